package conn_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"sonde/probe"
	"sonde/probe/conn"
)

// frames writes frames down; what it writes is a text.
func frames(write func(p *peer)) string {
	var b bytes.Buffer
	p := newPeer(&b, nil)
	p.AllowIllegalWrites = true
	write(p)
	return b.String()
}

// http2Pours takes the one request, writes some frames, and then others without end, and reads whatever comes.
func http2Pours(first func(p *peer), kib int, again func(p *peer)) func(f *flooder) {
	return func(f *flooder) {
		if _, err := io.ReadFull(f.c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f.says(frames(func(p *peer) { p.WriteSettings() }))
		newPeer(f.c, f.c).stream() // is 1
		go io.Copy(io.Discard, f.c)
		if first != nil {
			f.says(frames(first))
		}
		if again != nil {
			f.floods(kib, frames(again))
		}
	}
}

// begins answers with a header, so that what follows comes in the body.
func begins(p *peer) { p.header(1, false, ":status", "200") }

// Frames that mean little; each is small, so that there are many.
func ping(p *peer)            { p.WritePing(false, [8]byte{}) }
func pong(p *peer)            { p.WritePing(true, [8]byte{}) }
func noSettings(p *peer)      { p.WriteSettings() }
func goAway(p *peer)          { p.WriteGoAway(1<<31-1, http2.ErrCodeNo, nil) }
func goAwayAtLength(p *peer)  { p.WriteGoAway(1<<31-1, http2.ErrCodeNo, make([]byte, 8<<10)) }
func widen(p *peer)           { p.WriteWindowUpdate(0, 1) }
func widenStream(p *peer)     { p.WriteWindowUpdate(1, 1) }
func widenMost(p *peer)       { p.WriteWindowUpdate(0, 1<<31-1) }
func widenNot(p *peer)        { p.WriteWindowUpdate(0, 0) }
func reset(p *peer)           { p.WriteRSTStream(1, http2.ErrCodeInternal) }
func resetOthers(p *peer)     { p.WriteRSTStream(3, http2.ErrCodeInternal) }
func resetEven(p *peer)       { p.WriteRSTStream(2, http2.ErrCodeInternal) }
func priority(p *peer)        { p.WritePriority(1, http2.PriorityParam{StreamDep: 3}) }
func unknown(p *peer)         { p.WriteRawFrame(0xbe, 0, 1, nil) }
func unknownAtLength(p *peer) { p.WriteRawFrame(0xbe, 0, 1, make([]byte, 16<<10)) }
func noData(p *peer)          { p.WriteData(1, false, nil) }
func noDataEnd(p *peer)       { p.WriteData(1, true, nil) }
func onlyPadding(p *peer)     { p.WriteDataPadded(1, false, nil, make([]byte, 255)) }
func data(p *peer)            { p.WriteData(1, false, make([]byte, 16<<10)) }
func dataOfOthers(p *peer)    { p.WriteData(3, false, []byte("x")) }
func noHeaders(p *peer)       { p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1}) }
func noHeadersEnd(p *peer)    { p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true}) }
func noHeadersEndAll(p *peer) {
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, EndHeaders: true, EndStream: true})
}
func noContinuation(p *peer)    { p.WriteContinuation(1, false, nil) }
func noContinuationEnd(p *peer) { p.WriteContinuation(1, true, nil) }
func hint(p *peer)              { p.header(1, false, ":status", "103") }
func push(p *peer) {
	p.WritePushPromise(http2.PushPromiseParam{StreamID: 1, PromiseID: 2, EndHeaders: true})
}

// manySettings are as many as a frame holds.
func manySettings(p *peer) {
	all := make([]http2.Setting, 2000)
	for i := range all {
		all[i] = http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(i)}
	}
	p.WriteSettings(all...)
}

func setting(id http2.SettingID, value uint32) func(p *peer) {
	return func(p *peer) { p.WriteSettings(http2.Setting{ID: id, Val: value}) }
}

// fragment is a header's text as it is, without its end.
func fragment(text string) func(p *peer) {
	return func(p *peer) { p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte(text)}) }
}

func both(all ...func(p *peer)) func(p *peer) {
	return func(p *peer) {
		for _, f := range all {
			f(p)
		}
	}
}

// continued is a CONTINUATION of a text.
func continued(text string) func(p *peer) {
	return func(p *peer) { p.WriteContinuation(1, false, []byte(text)) }
}

// bomb is a header of one entry of 4 KiB, which is then named over and over by one byte each.
func bomb(p *peer) {
	var block bytes.Buffer
	e := hpack.NewEncoder(&block)
	e.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	e.WriteField(hpack.HeaderField{Name: "a", Value: strings.Repeat("b", 4000)})
	p.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes()})
}

var http2Floods = []flood{
	{name: "PING", serve: http2Pours(nil, 16, ping), reasons: ofFlood},
	{name: "PING in the body", serve: http2Pours(begins, 16, ping), reasons: ofFlood},
	{name: "PING that nobody has sent", serve: http2Pours(nil, 16, pong), reasons: ofFlood},
	{name: "SETTINGS", serve: http2Pours(nil, 16, noSettings), reasons: ofFlood},
	{name: "SETTINGS in the body", serve: http2Pours(begins, 16, noSettings), reasons: ofFlood},
	{name: "SETTINGS of many", serve: http2Pours(nil, 64, manySettings), reasons: ofFlood},
	{name: "SETTINGS of a frame size that is none", serve: http2Pours(setting(http2.SettingMaxFrameSize, 1), 0, nil), reasons: ofProtocol},
	{name: "SETTINGS of a table of 4 GiB", serve: http2Pours(both(setting(http2.SettingHeaderTableSize, 1<<32-1), ok2), 0, nil), reasons: ofPass},
	{name: "SETTINGS of a window of 2^32-1", serve: http2Pours(setting(http2.SettingInitialWindowSize, 1<<32-1), 0, nil), reasons: ofProtocol},
	{name: "SETTINGS without a window", serve: http2Pours(setting(http2.SettingInitialWindowSize, 0), 0, nil), upload: true, reasons: ofTotal},
	{name: "WINDOW_UPDATE", serve: http2Pours(nil, 16, widen), reasons: ofFlood},
	{name: "WINDOW_UPDATE of a stream", serve: http2Pours(nil, 16, widenStream), reasons: ofFlood},
	{name: "WINDOW_UPDATE over the top", serve: http2Pours(nil, 16, widenMost), reasons: ofProtocol},
	{name: "WINDOW_UPDATE of nothing", serve: http2Pours(nil, 16, widenNot), reasons: ofProtocol},
	{name: "GOAWAY", serve: http2Pours(nil, 16, goAway), reasons: ofFlood},
	{name: "GOAWAY in the body", serve: http2Pours(begins, 16, goAway), reasons: ofFlood},
	{name: "GOAWAY with much to say", serve: http2Pours(nil, 64, goAwayAtLength), reasons: ofFlood},
	{name: "RST_STREAM", serve: http2Pours(nil, 16, reset), reasons: reasons(probe.ReasonH2StreamReset)},
	{name: "RST_STREAM in the body", serve: http2Pours(begins, 16, reset), reasons: reasons(probe.ReasonBodyTruncated)},
	{name: "RST_STREAM of streams that are not", serve: http2Pours(nil, 16, resetOthers), reasons: ofFlood},
	{name: "RST_STREAM of streams that cannot be", serve: http2Pours(nil, 16, resetEven), reasons: ofFlood},
	{name: "PRIORITY", serve: http2Pours(nil, 16, priority), reasons: ofFlood},
	{name: "frames that nobody knows", serve: http2Pours(nil, 16, unknown), reasons: ofFlood},
	{name: "frames that nobody knows, at length", serve: http2Pours(nil, 256, unknownAtLength), reasons: ofFlood},
	{name: "PUSH_PROMISE", serve: http2Pours(nil, 16, push), reasons: ofProtocol},
	{name: "DATA of nothing", serve: http2Pours(begins, 16, noData), reasons: ofFlood},
	{name: "DATA of nothing before the header", serve: http2Pours(nil, 16, noData), reasons: ofProtocol},
	{name: "DATA of nothing with END", serve: http2Pours(begins, 16, noDataEnd), reasons: ofPass},
	{name: "DATA of padding", serve: http2Pours(begins, 64, onlyPadding), reasons: ofFlood},
	{name: "DATA of streams that are not", serve: http2Pours(begins, 16, dataOfOthers), reasons: ofBody},
	{name: "DATA that nobody has room for", serve: http2Pours(begins, 2048, data), reasons: reasons(probe.ReasonBodyCorrupt, probe.ReasonLimitTotal)},
	{name: "HEADERS of nothing", serve: http2Pours(nil, 16, noHeaders), reasons: ofProtocol},
	{name: "HEADERS of nothing with END_HEADERS", serve: http2Pours(nil, 16, noHeadersEnd), reasons: ofProtocol},
	{name: "HEADERS of nothing with END_STREAM", serve: http2Pours(nil, 16, noHeadersEndAll), reasons: ofProtocol},
	{name: "HEADERS as trailers, again and again", serve: http2Pours(begins, 16, noHeadersEnd), reasons: ofBody},
	{name: "103 without end", serve: http2Pours(nil, 16, hint), reasons: ofProtocol},
	{name: "CONTINUATION of nothing", serve: http2Pours(noHeaders, 16, noContinuation), reasons: ofFlood},
	{name: "CONTINUATION of nothing, in the body", serve: http2Pours(both(begins, noHeaders), 16, noContinuation), reasons: ofFlood},
	{name: "CONTINUATION of nothing, with END", serve: http2Pours(noHeaders, 16, noContinuationEnd), reasons: ofProtocol},
	{name: "CONTINUATION without end", serve: http2Pours(fragment("\x88"), 64, continued("\x00\x01a\x7f\x81\x1f"+strings.Repeat("b", 286))), reasons: ofProtocol},
	{name: "a field without end", serve: http2Pours(fragment("\x88\x00\x01a\x7f\xff\xff\xff\x7f"), 64, continued(strings.Repeat("b", 1000))), reasons: ofProtocol},
	{name: "HPACK: a bomb", serve: http2Pours(bomb, 64, continued(strings.Repeat("\xbe", 1000))), reasons: ofProtocol},
	{name: "HPACK: a number without end", serve: http2Pours(fragment("\x88\x7f"), 64, continued(strings.Repeat("\xff", 1000))), reasons: ofProtocol},
	{name: "HPACK: a table of 4 GiB", serve: http2Pours(fragment("\x3f\xe1\xff\xff\xff\x0f\x88"), 64, continued("")), reasons: ofProtocol},
	{name: "HPACK: an entry that is not", serve: http2Pours(fragment("\xff\xff\x7f"), 64, continued("")), reasons: ofProtocol},
	{name: "a frame of 16 MiB", serve: http2Pours(begins, 512, func(p *peer) { p.WriteRawFrame(0, 0, 1, make([]byte, 1<<24-1)) }), reasons: ofBody},
}

// ok2 is an answer.
func ok2(p *peer) { p.header(1, true, ":status", "200") }

// TestHTTP2Floods has frames come without end, in the wait for the answer and in the body.
func TestHTTP2Floods(t *testing.T) {
	for _, x := range http2Floods {
		x.version = conn.H2C
		t.Run(x.name, x.play)
	}
}
