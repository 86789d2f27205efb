package kinds_test

import (
	"fmt"
	"io"
	"strings"
	"time"
)

const permanentProtocol = "down protocol_error permanent"

// protocolRows are C46, C47 and C62: answers that are not HTTP, or not what was asked for.
var protocolRows = []row{
	{id: "C46", server: []turn{says("SSH-2.0-OpenSSH_9.6\r\n", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "C47", server: []turn{says("HTTP/1.1 2", fin), ok},
		tries: "header_truncated@wait:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "C62 101", server: []turn{says("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nbytes", silent)},
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "C62 302 without Location", version: "1.1 h2c", server: statuses(302),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "C62 HTTP to a TLS port", server: []turn{says("HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n", fin)},
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},

	// Beyond the table.
	{id: "HTTP to a TLS port that says it in TLS", server: []turn{says("\x15\x03\x01\x00\x02\x02\x0a", fin)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "a banner before the request", server: []turn{says("SSH-2.0-OpenSSH_9.6\r\n", silent).on(atAccept)},
		tries: "protocol_error@wait:W", end: permanentProtocol, counts: "a1 f1"},
	{id: "banner, then FIN", server: []turn{says("220 smtp ready\r\n", fin)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "two lengths", server: []turn{says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "a version that is none", server: []turn{says("HTTP/x.y 200 OK\r\n\r\n", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "a status that is none", server: []turn{says("HTTP/1.1 two OK\r\n\r\n", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "a header line that is none", server: []turn{says("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "a length below zero", server: []turn{says("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", silent)},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1"},
	{id: "headers without end", server: []turn{floods("HTTP/1.1 200 OK\r\n", "A: "+strings.Repeat("b", 1000)+"\r\n")},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1", check: readAtMost(2 << 20)},
	{id: "a header line without end", server: []turn{floods("HTTP/1.1 200 OK\r\nA: ", strings.Repeat("b", 1000))},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1", check: readAtMost(2 << 20)},
	{id: "1xx without end", server: []turn{floods("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")},
		tries: "protocol_error@wait:W", requests: 1, end: permanentProtocol, counts: "a1 f1", check: readAtMost(2 << 20)},
	{id: "100, then the answer", server: []turn{says("HTTP/1.1 100 Continue\r\n\r\n", ok)},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "a body without end", server: []turn{floods("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("b", 1000))}, with: changes(matched, maxBody(1<<20), attempts(1)),
		tries: "assertion@transfer:W", requests: 1, end: "down assertion permanent", counts: "a1 f1", check: readAtMost(3 << 20)},
	{id: "a body that drips without end", server: []turn{drip(1000, time.Second)}, with: changes(attempts(1)),
		tries: "limit_total@transfer:W", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "chunks that are cut", server: []turn{chunked("5\r\nhel", fin), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "chunks without the last", server: []turn{chunked("5\r\nhello\r\n", fin), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "a chunk of 2^63", server: []turn{chunked("8000000000000000\r\nx", fin), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "a chunk of more than 2^64", server: []turn{chunked("10000000000000000\r\nx", silent), ok},
		tries: "body_corrupt@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "a chunk that is none", server: []turn{chunked("zz\r\n", silent), ok}, with: changes(post, keyed),
		tries: "body_corrupt@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "FIN where a cut cannot be told", server: []turn{says("HTTP/1.1 200 OK\r\n\r\n", fin)},
		tries: "ok", requests: 1, end: "up success", counts: "a1", check: lengthUnverified},
	{id: "RST where FIN would be the end", server: []turn{says("HTTP/1.1 200 OK\r\n\r\nhello", after(time.Second, rst)), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "1.75s", counts: "a2 r1 fl1"},
	{id: "an answer beyond the one asked for", server: []turn{says("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 X\r\n\r\n", stays), ok}, prior: 1,
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
}

// floods writes a text, and another over and over, until nobody takes it any more.
func floods(first, again string) turn {
	return turn{serve: func(p *peer) {
		_, err := io.WriteString(p, first)
		for err == nil {
			_, err = io.WriteString(p, again)
		}
		p.end()
	}}
}

func chunked(text string, next turn) turn {
	return says(fmt.Sprintf("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%s", text), next)
}

// poolRows are C57 and C58, and limits of connections per host and in all.
var poolRows = []row{
	{id: "C57", server: []turn{after(20*time.Second, ok)}, with: changes(perHost(1), sockRead(0), attempts(1)), play: behindAnother,
		tries: "pool_timeout@queue:N", end: "unknown pool_timeout attempts", took: "5s", counts: "a1 u1"},
	{id: "C58", server: statuses(503), with: changes(budget(0.1, 1, 3)), play: fiftyAtOnce,
		tries: "status@transfer:W", requests: -1, end: "down status budget", counts: anyCounts},

	// Beyond the table.
	{id: "budget of three", server: statuses(503), with: changes(budget(0, 0, 3)), play: twice,
		tries: "status@transfer:W", requests: 5, end: "down status budget", counts: "a5 r3 den1 f2"},
	{id: "budget that time fills", server: statuses(503, 503, 503, 200), with: changes(budget(0, 2, 1)),
		tries: "3×status@transfer:W ok", requests: 4, end: "flaky success", waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 fl1"},
	{id: "budget that runs fill", server: statuses(503), with: changes(budget(1, 0, 2)), play: twice,
		tries: "2×status@transfer:W", requests: 5, end: "down status budget", waits: "750ms", took: "750ms", counts: "a5 r3 den2 f2"},
	{id: "budget that time fills too slowly", server: statuses(503, 503, 503, 200), with: changes(budget(0, 1, 1)),
		tries: "2×status@transfer:W", requests: 2, end: "down status budget", waits: "750ms", took: "750ms", counts: "a2 r1 den1 f1"},
	{id: "pool_timeout, then a connection", server: []turn{after(7*time.Second, ok), ok}, with: changes(perHost(1), sockRead(0)), play: behindAnother,
		tries: "pool_timeout@queue:N ok", requests: 1, end: "up success", waits: "750ms", took: "7s", counts: "a2 r1"},
	{id: "the queue is inside connect", server: []turn{after(3*time.Second, ok), ok}, with: changes(perHost(1), noReuse), play: behindAnother,
		tries: "ok", requests: 1, end: "up success", took: "3s", counts: "a1", check: queued(3 * time.Second)},
	{id: "one connection in all", server: []turn{after(20*time.Second, ok)}, second: []turn{ok}, with: changes(mostConnections(1), sockRead(0), attempts(1)),
		play: behindOneElsewhere, tries: "pool_timeout@queue:N", end: "unknown pool_timeout attempts", took: "5s", counts: "a1 u1"},
	{id: "one connection in all, which is idle", server: []turn{ok}, second: []turn{ok}, with: changes(mostConnections(1)),
		play: behindOneElsewhere, tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "two streams, one connection", version: "h2c", server: []turn{after(20*time.Second, ok), ok}, with: changes(perHost(1), sockRead(0)), play: behindAnother,
		tries: "ok", requests: 1, connections: 1, end: "up success", counts: "a1"},
}
