package dns_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"sonde/probe/conn/dns"
)

// records is what a name server answers to a question.
type records func(b *dnsmessage.Message, q dnsmessage.Question)

func header(q dnsmessage.Question, t dnsmessage.Type, ttl uint32) dnsmessage.ResourceHeader {
	return dnsmessage.ResourceHeader{Name: q.Name, Type: t, Class: dnsmessage.ClassINET, TTL: ttl}
}

// a answers with an address of IPv4, after so many seconds' worth of CNAME, and nothing to IPv6.
func a(ttl, cname uint32) records {
	return func(m *dnsmessage.Message, q dnsmessage.Question) {
		if q.Type != dnsmessage.TypeA {
			return
		}
		if cname > 0 {
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: header(q, dnsmessage.TypeCNAME, cname), Body: &dnsmessage.CNAMEResource{CNAME: q.Name}})
		}
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: header(q, dnsmessage.TypeA, ttl), Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 1}}})
	}
}

// bothRecords has a second say more.
func bothRecords(first, second records) records {
	return func(m *dnsmessage.Message, q dnsmessage.Question) { first(m, q); second(m, q) }
}

// aaaa does something to the answer for IPv6 alone.
func aaaa(f func(m *dnsmessage.Message, q dnsmessage.Question)) records {
	return func(m *dnsmessage.Message, q dnsmessage.Question) {
		if q.Type == dnsmessage.TypeAAAA {
			f(m, q)
		}
	}
}

func soa(ttl, least uint32) records {
	return aaaa(func(m *dnsmessage.Message, q dnsmessage.Question) {
		m.Authorities = append(m.Authorities, dnsmessage.Resource{
			Header: header(q, dnsmessage.TypeSOA, ttl), Body: &dnsmessage.SOAResource{NS: q.Name, MBox: q.Name, MinTTL: least},
		})
	})
}

func rcode(code dnsmessage.RCode) records {
	return aaaa(func(m *dnsmessage.Message, _ dnsmessage.Question) { m.RCode = code })
}

// truncated asks for the question once more by TCP.
func truncated(m *dnsmessage.Message, _ dnsmessage.Question) { m.Truncated, m.Answers = true, nil }

// serveDNS answers on loopback, by UDP as udp says and by TCP as tcp does, and returns the address. Before each
// answer by UDP comes one to another question, as of somebody who guesses.
func serveDNS(t testing.TB, udp, tcp records) string {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	l, err := net.Listen("tcp", pc.LocalAddr().String())
	if err != nil {
		t.Skip("the port is taken: ", err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			pc.WriteTo(reply(buf[:n], bothRecords(a(1, 0), func(m *dnsmessage.Message, _ dnsmessage.Question) { m.ID++ })), from)
			pc.WriteTo(reply(buf[:n], udp), from)
		}
	}()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go serveTCP(c, tcp)
		}
	}()
	return pc.LocalAddr().String()
}

func serveTCP(c net.Conn, tcp records) {
	defer c.Close()
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return
	}
	out := reply(question, tcp)
	out = append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...)
	for i := range out { // in the smallest pieces
		c.Write(out[i : i+1])
	}
}

// reply is the answer to a question.
func reply(question []byte, say records) []byte {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) == 0 {
		return nil
	}
	m.Response, m.RecursionAvailable, m.Additionals = true, true, nil
	say(&m, m.Questions[0])
	out, _ := m.Pack()
	return out
}

// TestLookupTTL has Go's own resolver ask a server on loopback, and reads how long its answers hold.
func TestLookupTTL(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		udp  records
		tcp  records
		want time.Duration
	}{
		{"an address", a(60, 0), nil, time.Minute},
		{"behind an alias that ends before", a(60, 7), nil, 7 * time.Second},
		{"longer than is kept", a(86400, 0), nil, 5 * time.Minute},
		{"not to be kept", a(0, 0), nil, 0},
		{"no IPv6 for as long as the SOA says", bothRecords(a(60, 0), soa(50, 9)), nil, 9 * time.Second},
		{"no IPv6 for as long as the SOA holds", bothRecords(a(60, 0), soa(8, 90)), nil, 8 * time.Second},
		{"IPv6 that failed", bothRecords(a(60, 0), rcode(dnsmessage.RCodeServerFailure)), nil, 0},
		{"by TCP", truncated, a(60, 7), 7 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			server := serveDNS(t, row.udp, row.tcp)
			ips, ttl, err := resolverAt(server).LookupTTL(context.Background(), "host.example.")
			if err != nil || len(ips) != 1 || ttl != row.want {
				t.Errorf("got %v, %v, %v, want %v", ips, ttl, err, row.want)
			}
		})
	}
	t.Run("of /etc/hosts", func(t *testing.T) {
		t.Parallel()
		server := serveDNS(t, a(60, 0), nil)
		if ips, ttl, err := resolverAt(server).LookupTTL(context.Background(), "localhost"); err != nil || len(ips) == 0 || ttl != 0 {
			t.Errorf("got %v, %v, %v, want 0", ips, ttl, err)
		}
	})
}

// FuzzParseReply reads answers of arbitrary bytes: never a panic, never a time below 0 or beyond what is kept.
func FuzzParseReply(f *testing.F) {
	name := dnsmessage.MustNewName("host.example.")
	q := dnsmessage.Question{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}
	ask := dnsmessage.Message{Header: dnsmessage.Header{ID: 7}, Questions: []dnsmessage.Question{q}}
	asked, err := ask.Pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(reply(asked, a(60, 7)))
	f.Add(reply(asked, func(m *dnsmessage.Message, q dnsmessage.Question) { m.RCode = dnsmessage.RCodeNameError }))
	f.Add(asked)
	f.Fuzz(func(t *testing.T, message []byte) {
		if ttl, _, ok := dns.ParseReply(message, 7, q); ttl < 0 || ttl > 5*time.Minute || !ok && ttl != 0 {
			t.Errorf("%v, %v", ttl, ok)
		}
	})
}
