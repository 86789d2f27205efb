package script

import (
	"errors"
	"strings"
	"testing"
	"time"

	"sonde/probe"
)

func broken() { panic("a bug") }

// What panics on a timer's goroutine panics on that of the run, which makes of it what it is, and still tells where it
// was.
func TestPanicOfATimer(t *testing.T) {
	t.Parallel()
	c := &clock{}
	c.AfterFunc(time.Second, broken)
	defer func() {
		err, _ := recover().(error)
		var p *probe.PanicError
		if !errors.As(err, &p) || p.Value != "a bug" || !strings.Contains(string(probe.Panicked(p).Stack), "script.broken") {
			t.Errorf("recovered %v, want the bug and the stack of where it was", err)
		}
	}()
	c.Sleep(t.Context(), time.Minute)
	t.Error("the run goes on")
}
