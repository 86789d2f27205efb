package dns

import (
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// parseQuestion is the header and the question of a message that asks; false when it is none.
func parseQuestion(message []byte) (id uint16, q dnsmessage.Question, ok bool) {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || h.Response {
		return 0, q, false
	}
	q, err = p.Question()
	return h.ID, q, err == nil
}

// parseReply reads an answer to a question that was asked under an ID: how long it holds, and whether it has an
// address. What answers another question, is cut short, or is a failure, is none.
func parseReply(message []byte, id uint16, q dnsmessage.Question) (ttl time.Duration, positive, ok bool) {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || !h.Response || h.ID != id || h.Truncated || h.RCode != dnsmessage.RCodeSuccess && h.RCode != dnsmessage.RCodeNameError {
		return 0, false, false
	}
	about, err := p.Question()
	if err != nil || about.Type != q.Type || about.Class != q.Class || !strings.EqualFold(about.Name.String(), q.Name.String()) {
		return 0, false, false
	}
	if err := p.SkipAllQuestions(); err != nil {
		return 0, false, false
	}
	ttl = unstated
	for {
		r, err := p.AnswerHeader()
		if err == dnsmessage.ErrSectionDone {
			break
		}
		if err != nil || p.SkipAnswer() != nil {
			return 0, false, false
		}
		positive = positive || r.Type == q.Type
		ttl = min(ttl, time.Duration(r.TTL)*time.Second)
	}
	if !positive {
		ttl = min(ttl, negativeTTL(&p))
	}
	return ttl, positive, true
}

// negativeTTL is how long it holds that there is no answer (RFC 2308); the parser is at the authorities. Where no
// SOA says so, and small resolvers send none, it holds for as long as what else was answered.
func negativeTTL(p *dnsmessage.Parser) time.Duration {
	for {
		h, err := p.AuthorityHeader()
		if err != nil {
			return unstated
		}
		if h.Type != dnsmessage.TypeSOA {
			if p.SkipAuthority() != nil {
				return unstated
			}
			continue
		}
		soa, err := p.SOAResource()
		if err != nil {
			return unstated
		}
		return time.Duration(min(h.TTL, soa.MinTTL)) * time.Second
	}
}
