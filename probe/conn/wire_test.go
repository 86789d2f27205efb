package conn

import (
	"io"
	"net"
	"testing"

	"sonde/probe/conn/memnet"
)

// chatty is TLS of which each look at an idle connection wants to read so many bytes, and to write as many times.
type chatty struct {
	net.Conn
	reads, writes int
}

func (c *chatty) Read([]byte) (int, error) {
	for range c.writes {
		c.Conn.Write([]byte("x"))
	}
	_, err := io.ReadFull(c.Conn, make([]byte, c.reads))
	if err == nil {
		_, err = c.Conn.Read(make([]byte, 1))
	}
	return 0, err
}

// TestLook bounds what TLS may do while it is looked whether a connection is quiet: it reads what there is, a
// little of it, and writes nothing.
func TestLook(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name          string
		come          int
		reads, writes int
		quiet         bool
	}{
		{"nothing", 0, 0, 0, true},
		{"a part of a record", 3, 5, 0, true},
		{"a ticket", 500, 500, 0, true},
		{"tickets without end", 1 << 16, 1 << 20, 0, false},
		{"an answer", 5, 5, 1, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			here, there := memnet.Pipe("10.0.0.1:1", "10.0.0.2:443")
			l := &link{socket: here, net: New(Options{})}
			l.Conn = &chatty{&wire{Conn: here, link: l}, row.reads, row.writes}
			there.Write(make([]byte, row.come))
			if quiet := l.quiet(); quiet != row.quiet || l.looking.Load() != 0 {
				t.Errorf("quiet %v, want %v", quiet, row.quiet)
			}
		})
	}
}
