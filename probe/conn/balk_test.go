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

// Who passes over a connection whose peer does not read, and may make no other, has it once the peer reads on.
func TestBalkingEnds(t *testing.T) {
	inBubble(t, conn.Options{}, func(w *world) {
		w.http2Script(func(p *peer) {
			p.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1<<31 - 1})
			p.WriteWindowUpdate(0, 1<<31-70_000)
			for f, err := p.ReadFrame(); err == nil; f, err = p.ReadFrame() {
				h, begins := f.(*http2.HeadersFrame)
				switch {
				case begins && h.StreamEnded():
					p.header(h.StreamID, true, ":status", "200")
				case begins: // of an upload, which is answered when the bubble is about to end
					time.Sleep(600 * time.Millisecond)
					time.AfterFunc(20*time.Second, func() { p.header(h.StreamID, true, ":status", "200") })
				}
			}
		})
		r := h2cRoute()
		r.Connection.PerHost = 1
		if a := w.get(r); !a.OK {
			t.Fatal(a.Err)
		}
		limits := probe.Limits{Total: 30 * time.Second, Connect: 5 * time.Second}
		uploaded := make(chan tried)
		go func() { uploaded <- w.upload(r, limits) }()
		time.Sleep(300 * time.Millisecond)
		if a := w.try(try{route: r, limits: limits, method: http.MethodGet}); !a.OK || !a.Reused || a.took > time.Second {
			t.Errorf("reused %v, after %v: %q: %v", a.Reused, a.took, a.Reason, a.Err)
		}
		if a := <-uploaded; !a.OK {
			t.Errorf("the upload: %q: %v", a.Reason, a.Err)
		}
	})
}
