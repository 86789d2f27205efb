package kinds_test

import (
	"crypto/tls"
	"time"
)

// notify ends TLS as it should be ended, and closes.
var notify = turn{serve: func(p *peer) { p.end(); p.conn.Close() }}

// tlsRows are breaks below and above TLS.
var tlsRows = []row{
	{id: "stale below TLS", version: "1.1 2", tls: showing(&papers.good), server: []turn{ok, fin, ok}, prior: 1, with: changes(https),
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "stale by close_notify", version: "1.1 2", tls: showing(&papers.good), server: []turn{ok, notify, ok}, prior: 1, with: changes(https),
		tries: "stale_connection@wait:U +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "closed by close_notify while idle", version: "1.1 2", tls: showing(&papers.good), server: []turn{then(ok, time.Second, notify), ok},
		prior: 1, gap: 2 * time.Second, with: changes(https),
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "RST below TLS", version: "1.1 2", tls: showing(&papers.good), server: []turn{rst, ok}, with: changes(https, post),
		tries: "disconnected@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 amb1 fl1"},
	{id: "body cut below TLS", version: "1.1 2", tls: showing(&papers.good), server: []turn{half(fin), half(notify), half(after(time.Millisecond, rst)), ok}, with: changes(https),
		tries: "3×body_truncated@transfer:W ok", requests: 4, end: "flaky success", waits: "750ms 1.25s 2.25s", took: "4.251s", counts: "a4 r3 fl1"},
	{id: "silence within TLS", version: "1.1 2", tls: showing(&papers.good), server: []turn{silent, half(silent), ok}, with: changes(https),
		tries: "limit_sock_read@wait:U limit_sock_read@transfer:W ok", requests: 3, end: "flaky success", waits: "750ms 1.25s", took: "22s", counts: "a3 r2 fl1"},
	{id: "a body that ends with TLS", tls: showing(&papers.good), server: []turn{says("HTTP/1.1 200 OK\r\n\r\nhello", notify)}, with: changes(https),
		tries: "ok", requests: 1, end: "up success", counts: "a1", check: lengthUnverified},
	// Go takes the end of the connection for the end of TLS where no record is cut, as browsers do: too
	// many servers never say close_notify. The record says that the length is not verified.
	{id: "a body that ends without the end of TLS", tls: showing(&papers.good), server: []turn{says("HTTP/1.1 200 OK\r\n\r\nhello", fin)}, with: changes(https),
		tries: "ok", requests: 1, end: "up success", counts: "a1", check: lengthUnverified},
	{id: "a client certificate is wanted", version: "1.1 2", tls: wanting(tls.VersionTLS13), server: []turn{ok}, with: changes(https),
		tries: "tls_alert@wait:U", requests: -1, end: "down tls_alert permanent", counts: "a1 f1"},
	{id: "a client certificate is wanted, TLS 1.2", tls: wanting(tls.VersionTLS12), server: []turn{ok}, with: changes(https),
		tries: "tls_alert@tls:N", end: "down tls_alert permanent", counts: "a1 f1"},
	{id: "an alert that may pass", tls: showing(&papers.good), server: []turn{says("\x15\x03\x03\x00\x02\x02\x50", fin).on(atByte), ok}, with: changes(https),
		tries: "tls_alert@tls:N ok", requests: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "an alert that will not", tls: showing(&papers.good), server: []turn{says("\x15\x03\x03\x00\x02\x02\x28", fin).on(atByte)}, with: changes(https),
		tries: "tls_alert@tls:N", end: "down tls_alert permanent", counts: "a1 f1"},
}

// wanting is a server's TLS of one version that demands a certificate of its clients.
func wanting(version uint16) *tls.Config {
	c := showing(&papers.good)
	c.ClientAuth, c.MinVersion, c.MaxVersion = tls.RequireAnyClientCert, version, version
	return c
}
