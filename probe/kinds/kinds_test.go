package kinds

import (
	"bufio"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sonde/probe"
	"sonde/probe/conn/memnet"
	"sonde/probe/retry"
)

// target is what a kind is tried against in the conformance suite. Every kind has one, in its own test
// file.
type target struct {
	// aim points the settings, which hold the kind's defaults, at the address, so that both servers
	// below can be told apart by what they say.
	aim func(s probe.Settings, address string)
	// serve is a connection to a server that is as it should be.
	serve func(c *memnet.Conn, r *bufio.Reader)
}

// targets has the target of each kind.
var targets = map[string]target{"http": httpTarget, "tcp": tcpTarget}

// ruleless are the fields that need no validate tag, with the reason.
var ruleless = map[string]string{
	"HTTP.Headers":           "Check judges names and values",
	"HTTP.Body":              "any text will do",
	"HTTP.JSON":              "any value will do; Check tries it",
	"HTTP.Form":              "any texts will do",
	"HTTP.IdempotencyKey":    "Check judges it",
	"HTTP.RetryableStatus":   "the type judges each element",
	"HTTP.Redirects":         "the type judges it",
	"HTTP.Version":           "the type judges it",
	"HTTP.Proxy":             "Check judges its fields",
	"HTTPProxy.URL":          "Check judges it",
	"HTTPProxy.NoProxy":      "Check judges each",
	"HTTPProxy.Headers":      "Check judges names and values",
	"HTTP.TLS":               "its fields have rules",
	"HTTP.Expect":            "its fields have rules",
	"HTTPExpect.Status":      "the type judges each element",
	"HTTPExpect.Headers":     "Check judges names and rules",
	"HTTPExpect.Body":        "its fields have rules",
	"HTTPExpect.MaxBody":     "the type judges it",
	"HeaderRule.Equals":      "any text will do",
	"HeaderRule.Contains":    "any text will do",
	"HeaderRule.Matches":     "the type compiles it",
	"HeaderRule.Absent":      "true or false",
	"BodyRules.Contains":     "any texts will do",
	"BodyRules.NotContains":  "Check refuses the empty text",
	"BodyRules.Matches":      "the type compiles each",
	"BodyRules.NotMatches":   "the type compiles each",
	"TLS.CAFile":             "Prober reads it",
	"TLS.CertFile":           "Prober reads it",
	"TLS.KeyFile":            "Prober reads it",
	"TLS.InsecureSkipVerify": "true or false",
	"TCP.TLS":                "its fields have rules",
	"TCP.Dialogue":           "Check judges the steps",
	"TCPStep.Expect":         "the type compiles it",
	"TCPStep.Send":           "any text will do",
}

func TestAllIsSortedAndEachNewIsItsOwn(t *testing.T) {
	t.Parallel()
	kinds := All(nil, "1.2.3")
	if !slices.IsSortedFunc(kinds, func(a, b probe.Kind) int { return strings.Compare(a.Name, b.Name) }) || len(kinds) < 2 {
		t.Errorf("kinds are %v, want at least two, sorted", kinds)
	}
	for _, k := range kinds {
		if a, b := k.New(), k.New(); a == b {
			t.Errorf("%s: New returns the same settings twice", k.Name)
		}
	}
}

func TestRegisteringTwicePanics(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("a second kind of the name http was taken")
		}
	}()
	register("http", newHTTP)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, k := range All(nil, "") {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			tgt, ok := targets[k.Name]
			if !ok {
				t.Fatalf("kind %s has no target in its test file", k.Name)
			}
			c := conformance{k.Name, tgt}
			t.Run("documented", c.documented)
			t.Run("passes", c.passes)
			t.Run("refused", c.refused)
			t.Run("canceled", c.canceled)
			t.Run("deadline", c.deadline)
			t.Run("at once", c.atOnce)
		})
	}
}

type conformance struct {
	kind   string
	target target
}

// settings are the kind's, aimed at here.
func (c conformance) settings(w *world) probe.Settings {
	s := registry[c.kind](w.house())
	c.target.aim(s, here)
	return s
}

// documented holds the settings against the rules of their form, and looks for the example.
func (c conformance) documented(t *testing.T) {
	s := registry[c.kind](newHouse(nil, ""))
	typ := reflect.TypeOf(s)
	if typ.Kind() != reflect.Pointer || typ.Elem().Kind() != reflect.Struct {
		t.Fatalf("settings are a %v, want a pointer to a struct", typ)
	}
	checkFields(t, typ.Elem(), fieldComments(t), map[reflect.Type]bool{})
	if _, err := os.Stat(filepath.Join("..", "..", "examples", c.kind+".yaml")); err != nil {
		t.Errorf("the kind has no example: %v", err)
	}
}

func (c conformance) passes(t *testing.T) {
	inBubble(t, func(w *world) {
		w.serve(here, c.target.serve)
		a := w.try(c.settings(w))
		if !a.OK || a.Reason != "" || a.Err != nil || a.RemoteAddress != here {
			t.Errorf("attempt is %+v, want one that passed at %s", a, here)
		}
	})
}

func (c conformance) refused(t *testing.T) {
	inBubble(t, func(w *world) {
		a := w.try(c.settings(w))
		if a.OK || a.Reason != probe.ReasonConnectRefused || !a.Transient || a.Evidence != probe.NeverSent || a.Err == nil {
			t.Errorf("attempt is %+v, want connect_refused, transient, never_sent", a)
		}
	})
}

func (c conformance) canceled(t *testing.T) { c.cut(t, context.Canceled, probe.ReasonCanceled) }

func (c conformance) deadline(t *testing.T) { c.cut(t, retry.ErrDeadline, probe.ReasonDeadline) }

// cut ends the context while a silent server is waited for: the attempt ends without a further wait.
func (c conformance) cut(t *testing.T, cause error, want probe.Reason) {
	inBubble(t, func(w *world) {
		w.serve(here, func(c *memnet.Conn, r *bufio.Reader) { w.pause(time.Hour) })
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan probe.Attempt, 1)
		go func() { done <- w.tryIn(ctx, c.settings(w)) }()
		synctest.Wait()
		cancel(cause)
		synctest.Wait() // no time passes
		select {
		case a := <-done:
			if a.OK || a.Reason != want {
				t.Errorf("attempt is %+v, want %s", a, want)
			}
		default:
			t.Error("the attempt goes on after its context has ended")
			<-done
		}
	})
}

// atOnce lets one prober make several attempts at a time; the race detector watches.
func (c conformance) atOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.serve(here, c.target.serve)
		p := prober(t, c.settings(w), standard)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for n := range 3 {
					if a := p.Probe(context.Background(), probe.Try{Number: n + 1, Key: probe.NewKey()}); !a.OK {
						t.Errorf("attempt is %+v, want one that passed", a)
					}
					if r, ok := p.(probe.Rester); ok {
						r.Rest()
					}
				}
			})
		}
		all.Wait()
		if closer, ok := p.(interface{ Close() error }); ok {
			if err := closer.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// fieldComments has, by type and field, what the source of this package says.
func fieldComments(t *testing.T) map[string]string {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	comments := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if s, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range s.Fields.List {
					for _, field := range f.Names {
						comments[spec.Name.Name+"."+field.Name] = f.Doc.Text()
					}
				}
			}
			return false
		})
	}
	return comments
}

// checkFields looks at each field of a settings struct, and of those within.
func checkFields(t *testing.T, typ reflect.Type, comments map[string]string, done map[reflect.Type]bool) {
	for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct || done[typ] {
		return
	}
	done[typ] = true
	for i := range typ.NumField() {
		f := typ.Field(i)
		if !f.IsExported() {
			continue
		}
		name := fmt.Sprintf("%s.%s", typ.Name(), f.Name)
		if yaml := f.Tag.Get("yaml"); yaml == "" || yaml != strings.ToLower(yaml) {
			t.Errorf("%s has the yaml tag %q, want a name in lower case", name, yaml)
		}
		_, hasRule := f.Tag.Lookup("validate")
		if _, reason := ruleless[name]; hasRule == reason {
			t.Errorf("%s: has a validate tag: %v, has a reason for none: %v; want one of them", name, hasRule, reason)
		}
		if comment := comments[name]; !strings.HasSuffix(strings.TrimSpace(comment), ".") {
			t.Errorf("%s has the comment %q, want a sentence: it is the reference", name, comment)
		}
		checkFields(t, f.Type, comments, done)
	}
}
