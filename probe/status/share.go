package status

import (
	"net/http"
	"slices"
)

// Share is the part of the declared probes that a process runs, where several have divided them.
type Share struct {
	// Text says which part it is, as in `shard 1/4: 2,503 of 10,000 probes`.
	Text string
	// Where says who runs the probe of a name, as in `shard 2/4`; it is empty when nobody does. It is
	// called by many goroutines.
	Where func(name string) string
}

// Shared tells which part of the probes is on the page, so that it can say whose the others are. Without,
// all are.
func (b *Board) Shared(s Share) { b.share.Store(&s) }

// answer is the page that a request asks for, and its status: of one probe alone at /?probe=NAME. Of one
// that is not here it says who runs it, and the status is 404.
func (b *Board) answer(r *http.Request) (view, int) {
	v, share := b.view(), b.share.Load()
	if share == nil {
		share = &Share{Where: func(string) string { return "" }}
	}
	v.Share = cleanText(share.Text)
	name := r.URL.Query().Get("probe")
	if name == "" {
		return v, http.StatusOK
	}
	shown := cleanText(name)
	v.Rows = slices.DeleteFunc(v.Rows, func(l line) bool { return l.Name != shown })
	if len(v.Rows) > 0 {
		v.Tries = v.Rows[0].tries
		return v, http.StatusOK
	}
	v.Missing = "There is no probe " + shown
	if where := share.Where(name); where != "" {
		v.Missing = shown + " runs on " + cleanText(where)
	}
	return v, http.StatusNotFound
}

// none is what the page says when it shows no probe.
func (v view) none() string {
	switch {
	case v.Missing != "":
		return v.Missing
	case v.Share != "":
		return "This shard has no probe"
	}
	return "No probe is declared"
}
