package kinds_test

import (
	"time"

	"golang.org/x/net/http2"

	"sonde/probe/retry"
)

// http2Rows are C42 to C44: streams that are refused and reset, connections that are being closed.
var http2Rows = []row{
	{id: "C42", version: "h2c", server: []turn{goaway(below, http2.ErrCodeNo, fin)},
		tries: "h2_refused@wait:R +h2_refused@wait:R 3×h2_refused@wait:R", requests: 5, connections: 5, end: "down h2_refused attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 t1 f1"},
	{id: "C44", version: "h2c", server: []turn{resets(http2.ErrCodeInternal)}, with: changes(post),
		tries: "4×h2_stream_reset@wait:U", requests: 4, connections: 1, end: "down h2_stream_reset attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 amb3 f1"},
	{id: "C44 before_send", version: "h2c", server: []turn{resets(http2.ErrCodeInternal)}, with: changes(post, unsafe(retry.UnsafeBeforeSend)),
		tries: "h2_stream_reset@wait:U", requests: 1, end: "down h2_stream_reset unsafe_after_send", counts: "a1 f1"},

	// Beyond the table.
	{id: "REFUSED_STREAM once", version: "h2c", server: []turn{resets(http2.ErrCodeRefusedStream), ok},
		tries: "h2_refused@wait:R +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "REFUSED_STREAM once, POST under never", version: "h2c", server: []turn{resets(http2.ErrCodeRefusedStream), ok},
		with: changes(post, unsafe(retry.UnsafeNever)), tries: "h2_refused@wait:R +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "REFUSED_STREAM for ever", version: "h2c", server: []turn{resets(http2.ErrCodeRefusedStream)},
		tries: "h2_refused@wait:R +h2_refused@wait:R 3×h2_refused@wait:R", requests: 5, end: "down h2_refused attempts",
		waits: "750ms 1.25s 2.25s", took: "4.25s", counts: "a4 r3 t1 f1"},
	{id: "REFUSED_STREAM, POST under before_send", version: "h2c", server: append(times(2, resets(http2.ErrCodeRefusedStream)), ok),
		with: changes(post, unsafe(retry.UnsafeBeforeSend)), tries: "h2_refused@wait:R +h2_refused@wait:R ok", requests: 3,
		end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 t1 fl1"},
	{id: "REFUSED_STREAM, no transparent ones", version: "h2c", server: []turn{resets(http2.ErrCodeRefusedStream), ok}, with: changes(transparent(0)),
		tries: "h2_refused@wait:R ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "REFUSED_STREAM on the last attempt", version: "h2c", server: []turn{resets(http2.ErrCodeRefusedStream), ok}, with: changes(attempts(1)),
		tries: "h2_refused@wait:R +ok", requests: 2, end: "up success", counts: "a1 t1"},
	{id: "GOAWAY with an error, below", version: "h2c", server: []turn{goaway(below, http2.ErrCodeEnhanceYourCalm, stays), ok}, with: changes(post),
		tries: "h2_refused@wait:R +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "GOAWAY up to it, then the answer", version: "h2c", server: []turn{goaway(upTo, http2.ErrCodeNo, ok)}, with: changes(post),
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "GOAWAY up to it, then FIN", version: "h2c", server: []turn{goaway(upTo, http2.ErrCodeNo, fin), ok}, with: changes(post),
		tries: "h2_goaway@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 amb1 fl1"},
	{id: "GOAWAY with an error up to it, then FIN", version: "h2c", server: []turn{goaway(upTo, http2.ErrCodeEnhanceYourCalm, fin), ok},
		tries: "h2_goaway@wait:U ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "GOAWAY of the greatest stream, then the answer", version: "h2c", server: []turn{goaway(1<<30, http2.ErrCodeNo, ok)},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "GOAWAY twice, as a server that drains", version: "h2c", server: []turn{goaway(1<<30, http2.ErrCodeNo, goaway(below, http2.ErrCodeNo, stays)), ok},
		tries: "h2_refused@wait:R +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "GOAWAY in the body, which comes whole", version: "h2c", server: []turn{half(goaway(upTo, http2.ErrCodeNo, moreOf("hello")))},
		tries: "ok", requests: 1, end: "up success", counts: "a1"},
	{id: "GOAWAY in the body, then FIN", version: "h2c", server: []turn{half(goaway(upTo, http2.ErrCodeNo, fin)), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "GOAWAY while idle", version: "h2c", server: []turn{then(ok, time.Second, goaway(upTo, http2.ErrCodeNo, stays)), ok}, prior: 1, gap: 2 * time.Second,
		tries: "ok", requests: 1, connections: 2, end: "up success", counts: "a1"},
	{id: "GOAWAY as the request comes", version: "h2c", server: []turn{ok, goaway(-2, http2.ErrCodeNo, fin), ok}, prior: 1, with: changes(post),
		tries: "h2_refused@wait:R +ok", requests: 2, connections: 2, end: "up success", counts: "a1 t1"},
	{id: "reset in the body", version: "h2c", server: []turn{half(resets(http2.ErrCodeInternal)), ok},
		tries: "body_truncated@transfer:W ok", requests: 2, connections: 1, end: "flaky success", waits: "750ms", took: "750ms", counts: "a2 r1 fl1"},
	{id: "reset with NO_ERROR after a whole answer to an upload", version: "h2c",
		server: []turn{{at: atHeader, serve: func(p *peer) { p.answer(413, "too much", nil); resets(http2.ErrCodeNo).serve(p) }}},
		with:   changes(method("PUT"), body(letters(200_000))),
		tries:  "status@transfer:W", requests: 1, end: "down status permanent", counts: "a1 f1"},
	{id: "body longer than announced", version: "h2c", server: []turn{{serve: func(p *peer) { p.begin(200, 3, "hello") }}}, with: changes(attempts(1)),
		tries: "body_corrupt@transfer:W", requests: 1, end: "down body_corrupt attempts", counts: "a1 f1"},
	{id: "body shorter than announced", version: "h2c", server: []turn{{serve: func(p *peer) { p.begin(200, 10, "hello"); p.more("", true) }}}, with: changes(attempts(1)),
		tries: "body_truncated@transfer:W", requests: 1, end: "down body_truncated attempts", counts: "a1 f1"},
	{id: "HTTP/1 where HTTP/2 is spoken", version: "h2c", server: []turn{says("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n", fin).on(atByte)},
		tries: "protocol_error@wait:W", end: "down protocol_error permanent", counts: "a1 f1"},
}

// moreOf ends a body with a text.
func moreOf(text string) turn { return turn{serve: func(p *peer) { p.more(text, true) }} }
