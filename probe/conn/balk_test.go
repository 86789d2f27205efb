package conn_test

import (
	"net/http"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"sonde/probe"
	"sonde/probe/conn"
)

// balkingPeer answers requests without a body, and reads no more once one with a body has begun.
func balkingPeer(p *peer) {
	p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
	p.WriteWindowUpdate(0, 1<<31-70000)
	for {
		f, err := p.ReadFrame()
		if err != nil {
			return
		}
		h, ok := f.(*http2.HeadersFrame)
		switch {
		case ok && !h.StreamEnded():
			time.Sleep(5 * time.Minute)
			return
		case ok:
			p.header(h.StreamID, true, ":status", "200")
		}
	}
}

// TestPassedOverPeer has a request come while an upload has not got on for a while.
func TestPassedOverPeer(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.http2Script(balkingPeer)
		r, limits := h2cRoute(), probe.Limits{Total: 3 * time.Second, Connect: time.Second}
		if a := w.get(r); !a.OK {
			t.Fatal(a.Err)
		}
		put := make(chan tried)
		go func() { put <- w.upload(r, limits) }()
		time.Sleep(300 * time.Millisecond)
		if a := w.try(try{route: r, limits: limits}); !a.OK || a.Reused {
			t.Errorf("reused %v, %q: %v", a.Reused, a.Reason, a.Err)
		}
		<-put
		if open, _ := w.Held(); open != 1 {
			t.Errorf("%d connections are kept, want the one that goes on", open)
		}
	})
}

// upload puts more than a connection holds.
func (w *world) upload(r *conn.Route, l probe.Limits) tried {
	return w.try(try{route: r, limits: l, method: http.MethodPut, body: string(make([]byte, 4<<20))})
}
