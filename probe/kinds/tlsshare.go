package kinds

import (
	"sync"
	"weak"

	"sonde/probe/conn"
)

// securities are the TLS of the blocks that probers have now: those whose settings and files are the same share
// one, for a bundle of authorities and what is made of it take more room than all else of a probe. What no prober
// has any more is let go.
type securities struct {
	mu   sync.Mutex
	made map[string]weak.Pointer[security]
	most int // how many there may be before those are forgotten that nobody has
}

// security is the TLS of a block. Probers hold parts of it, and by them all of it.
type security struct{ home, abroad conn.TLS }

// tls reads the files of a block and gives what connections need: to the probe's own host, and to hosts that
// redirects lead to. A nil block is the plain one. What cannot be used is a *probe.Fault.
func (h *house) tls(t *TLS, dir string) (home, abroad *conn.TLS, err error) {
	if t == nil || *t == (TLS{}) {
		return plainTLS, plainTLS, nil
	}
	files, err := t.read(dir)
	if err != nil {
		return nil, nil, err
	}
	s, err := h.secure.get(t, files)
	switch {
	case err != nil:
		return nil, nil, err
	case s.abroad.Config == nil:
		return &s.home, &s.home, nil
	}
	return &s.home, &s.abroad, nil
}

// get finds or makes the TLS of a block and its files.
func (l *securities) get(t *TLS, files tlsFiles) (*security, error) {
	key := t.sum(files)
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.made[key].Value(); s != nil {
		return s, nil
	}
	config, err := t.config(files)
	if err != nil {
		return nil, err
	}
	s := &security{home: conn.TLS{Config: config, Key: key}}
	if t.ServerName != "" || t.CertFile != "" {
		s.abroad = abroad(s.home)
	}
	l.tidy()
	l.made[key] = weak.Make(s)
	return s, nil
}

// tidy forgets what nobody has, once there is much of it. The lock is held.
func (l *securities) tidy() {
	if l.made == nil {
		l.made = map[string]weak.Pointer[security]{}
	}
	if len(l.made) < l.most {
		return
	}
	for key, s := range l.made {
		if s.Value() == nil {
			delete(l.made, key)
		}
	}
	l.most = max(16, 2*len(l.made))
}

// abroad is the TLS of a host that a redirect leads to: the authorities are the same, but the name and the
// certificate are the first host's own.
func abroad(home conn.TLS) conn.TLS {
	config := home.Config.Clone()
	config.ServerName, config.Certificates = "", nil
	return conn.TLS{Config: config, Key: "abroad " + home.Key}
}
