package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// startBenchServer starts a server in a process of its own, which ends with this one, and returns its address.
func startBenchServer(b *testing.B) string {
	c := exec.Command("bench-server")
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		c.Wait()
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// benchServer is the process: it prints its address, and answers until its standard input ends.
func benchServer() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	os.Stdout.WriteString(l.Addr().String() + "\n")
	go serveBench(l)
	io.Copy(io.Discard, os.Stdin)
}

func serveBench(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go answerBench(c)
	}
}

const benchAnswer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 64\r\n\r\n" +
	"All is well here and this line is sixty-four bytes, its end too\n"

// answerBench answers the requests of one connection, which have no body and come one after the other.
func answerBench(c net.Conn) {
	defer c.Close()
	head := make([]byte, 1024)
	for n := 0; n < len(head); {
		more, err := c.Read(head[n:])
		if err != nil {
			return
		}
		if n += more; !bytes.HasSuffix(head[:n], []byte("\r\n\r\n")) {
			continue
		}
		if _, err := io.WriteString(c, benchAnswer); err != nil || bytes.Contains(head[:n], []byte("Connection: close")) {
			return
		}
		n = 0
	}
}
