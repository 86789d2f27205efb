package status

import (
	"bytes"
	"cmp"
	"fmt"
	"text/tabwriter"
	"time"
)

// text writes the page for a terminal.
func (v view) text(body *bytes.Buffer) error {
	fmt.Fprintf(body, "%s\n", v.Sentence())
	if v.Share != "" {
		fmt.Fprintf(body, "%s\n", v.Share)
	}
	if v.Notice != "" {
		fmt.Fprintf(body, "%s\n", v.Notice)
		for _, p := range v.Problems {
			fmt.Fprintf(body, "  %s\n", p)
		}
	}
	if len(v.Rows) == 0 {
		return nil
	}
	body.WriteByte('\n')
	w := tabwriter.NewWriter(body, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "VERDICT\tPROBE\tKIND\tTARGET\tATTEMPTS\tDURATION\tLAST RUN\tLAST RUNS\tLAST FAILURE")
	for _, l := range v.Rows {
		fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Shape(), l.Word(), l.Name, l.Kind, l.Target,
			dash(l.Attempts), dash(l.Took), dash(clockOf(l.Ended)), dash(l.strip()), dash(l.failure()))
	}
	if err := w.Flush(); err != nil || len(v.Tries) == 0 {
		return err
	}
	body.WriteString("\nThe last run that failed, or was flaky:\n")
	for _, t := range v.Tries {
		fmt.Fprintf(body, "  %s\n", t)
	}
	return nil
}

func dash(s string) string { return cmp.Or(s, "-") }

func clockOf(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(clockLayout)
}

func (l line) strip() string {
	s := ""
	for _, m := range l.Runs() {
		s += m.Shapes
	}
	return s
}

func (l line) failure() string {
	if l.Reason == "" {
		return ""
	}
	s := string(l.Reason)
	if l.Error != "" {
		s += ": " + l.Error
	}
	return s + " (" + clockOf(l.FailedAt) + ")"
}
