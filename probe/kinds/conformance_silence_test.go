package kinds_test

import (
	"time"

	"sonde/probe"
)

// silenceRows are C30 to C37: the limits, and uploads.
var silenceRows = []row{
	{id: "C30", version: "1.1 h2c", server: []turn{silent},
		tries: "4×limit_sock_read@wait:U", requests: 4, end: "down limit_sock_read attempts",
		waits: "750ms 1.25s 2.25s", took: "44.25s", counts: "a4 r3 f1"},
	{id: "C31", version: "1.1 h2c", server: []turn{drip(5, 9*time.Second)}, with: changes(total(300 * time.Second)),
		tries: "ok", requests: 1, end: "up success", took: "45s", counts: "a1"},
	{id: "C32", version: "1.1 h2c", server: []turn{drip(20, 9*time.Second)}, with: changes(attempts(1)),
		tries: "limit_total@transfer:W", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "C34", version: "1.1 h2c", server: []turn{ok, after(5*time.Second, ok)}, prior: 1, gap: 9 * time.Second,
		tries: "ok", requests: 1, connections: 1, end: "up success", took: "5s", counts: "a1"},
	{id: "C37", server: []turn{early413}, with: changes(method("PUT"), body(letters(200_000))),
		tries: "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},

	// Beyond the table.
	{id: "header by drips", server: []turn{dripped("HTTP/1.1 204 OK\r\nA: b\r\n\r\n", 2*time.Second)}, with: changes(total(300*time.Second), attempts(1)),
		tries: "ok", requests: 1, end: "up success", took: "50s", counts: "a1"},
	{id: "header by drips, past total", server: []turn{dripped("HTTP/1.1 204 OK\r\nA: b\r\n\r\n", 2*time.Second)}, with: changes(attempts(1)),
		tries: "limit_total@wait:W", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "silence in the body", version: "1.1 h2c", server: []turn{half(silent), ok},
		tries: "limit_sock_read@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "10.75s", counts: "a2 r1 fl1"},
	{id: "no sock_read", version: "1.1 h2c", server: []turn{silent}, with: changes(sockRead(0), attempts(1)),
		tries: "limit_total@wait:U", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "upload that is never read", server: []turn{deaf}, with: changes(method("PUT"), body(letters(200_000)), attempts(1)),
		tries: "limit_total@write:U", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "upload that is never read, HTTP/2", version: "h2c", server: []turn{silent.on(atHeader)}, with: changes(method("PUT"), body(letters(200_000)), attempts(1)),
		tries: "limit_total@write:U", requests: 1, end: "down limit_total attempts", took: "30s", counts: "a1 f1"},
	{id: "upload that is never read, POST", server: []turn{deaf, ok}, with: changes(post, body(letters(200_000)), total(3*time.Second)),
		tries: "limit_total@write:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "3.75s", counts: "a2 r1 amb1 fl1"},
	{id: "upload cut by FIN", server: []turn{after(time.Second, fin).on(atHeader), ok}, with: changes(method("PUT"), body(letters(200_000))),
		tries: "disconnected@write:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "1.75s", counts: "a2 r1 fl1"},
	{id: "upload cut by RST", server: []turn{after(time.Second, rst).on(atHeader), ok}, with: changes(method("PUT"), body(letters(200_000))),
		tries: "disconnected@write:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "1.75s", counts: "a2 r1 fl1"},
	{id: "two streams, one silent", version: "h2c", server: []turn{silent, after(3*time.Second, ok)}, play: besideASilentOne,
		tries: "ok", requests: 2, connections: 1, end: "up success", took: "3s", counts: "a2 f1"},
}

// early413 answers an upload before it has come, and closes without reading it.
var early413 = turn{at: atHeader, serve: func(p *peer) {
	p.answer(413, "too much", []string{"Connection: close"})
	p.end()
}}

// dripped writes a text one byte at a time.
func dripped(text string, every time.Duration) turn {
	return turn{serve: func(p *peer) {
		for i := range len(text) {
			time.Sleep(every)
			if !p.more(text[i:i+1], false) {
				return
			}
		}
	}}
}

// besideASilentOne makes the run while another run's stream on the same connection is silent, which is
// to fail by itself.
func besideASilentOne(l *lab, p *probe.Probe) *probe.Result {
	other := l.probe("mute", attempts(1))
	done := make(chan *probe.Result)
	go func() { done <- l.run(other) }()
	time.Sleep(time.Second)
	r := l.run(p)
	if got := <-done; tries(got) != "limit_sock_read@wait:U" || got.Duration != 10*time.Second {
		l.t.Errorf("the silent stream's run is %s after %v, want limit_sock_read after 10s", tries(got), got.Duration)
	}
	return r
}
