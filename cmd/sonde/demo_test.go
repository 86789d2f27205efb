package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestDemoSaysWhereToLook(t *testing.T) {
	t.Parallel()
	s := startCommand(t, "demo", "--web.listen-address=127.0.0.1:0", "--log.level=debug")
	url := s.out.await(t, `(?m)^  page     (http://\S+/)$`)[1]
	s.out.await(t, `(?m)^  metrics  http://\S+/metrics$`)
	s.err.await(t, `msg=serving`)
	if status, page := call(t, "GET", url); status != 200 || !strings.Contains(page, "order-without-key") {
		t.Errorf("the page answers %d and has no order-without-key:\n%s", status, page)
	}
	if status := s.stop(); status != statusOK {
		t.Errorf("exit status %d, want 0:\n%s", status, s.err)
	}
}

// TestDemoOnce has the demo on real sockets name each of its probes. What came of them TestReadmeTable holds,
// where no machine is too busy for it.
func TestDemoOnce(t *testing.T) {
	t.Parallel()
	table := demoTable(t)
	declared := regexp.MustCompile(`(?m)^  - name: (\S+)$`).FindAllStringSubmatch(demoFile, -1)
	if len(declared) == 0 {
		t.Fatal("demo.yaml declares nothing")
	}
	for _, m := range declared {
		if !regexp.MustCompile(`(?m)^\S+ (down|flaky|up|unknown) +` + m[1] + ` `).MatchString(table) {
			t.Errorf("%s is not in the table:\n%s", m[1], table)
		}
	}
}
