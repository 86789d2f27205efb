package probe

import "time"

// Certificate is what one certificate of a peer says of itself, whether it was trusted or not. All of
// it comes from the peer, bounded in length; who shows it escapes it.
type Certificate struct {
	// Subject and Issuer are distinguished names, as in "CN=www.example.com,O=Example".
	Subject, Issuer string
	// Names are the first of the names and addresses that it is good for, and MoreNames is how many it
	// has beside them.
	Names     []string
	MoreNames int
	// NotBefore and NotAfter are the first and the last instant at which it is valid.
	NotBefore, NotAfter time.Time
}

func (c *Certificate) mask(s Secrets) {
	c.Subject, c.Issuer = s.Text(c.Subject), s.Text(c.Issuer)
	names := make([]string, len(c.Names))
	for i, name := range c.Names {
		names[i] = s.Text(name)
	}
	c.Names = names
}

// masked is the facts with secrets taken out; the connection's own stay as they are, for another probe
// may be shown them.
func (f *TLSFacts) masked(s Secrets) *TLSFacts {
	if f == nil || len(f.Chain) == 0 {
		return f
	}
	copied := *f
	copied.Chain = append([]Certificate(nil), f.Chain...)
	for i := range copied.Chain {
		copied.Chain[i].mask(s)
	}
	return &copied
}
