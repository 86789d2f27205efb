package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The helpers are processes of their own: this test's binary under names that TestMain gives them. Each prints a line
// when it is ready, and ends when its standard input does.

// startHelper starts this test's own program under a name of TestMain's, and returns the line with which it begins.
// It ends when the test does.
func startHelper(t testing.TB, name string) string {
	t.Helper()
	c := exec.Command(name)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		c.Process.Kill()
		c.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// busyLoop is a process that spins until its standard input ends, or for a minute.
func busyLoop() {
	fmt.Println("spinning")
	go func() {
		for n := uint32(1); ; {
			n = n*1664525 + 1013904223
		}
	}()
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	<-time.After(time.Minute)
}

// overloadServer is a process that answers at one address, takes requests and says nothing at another, and answers
// too late at a third. It prints them, and ends with its standard input.
func overloadServer() {
	serve := func(f func(c net.Conn)) string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				go f(c)
			}
		}()
		return l.Addr().String()
	}
	silent := func(c net.Conn) { io.Copy(io.Discard, c); c.Close() }
	slow := func(c net.Conn) {
		c.Read(make([]byte, 4<<10))
		c.SetReadDeadline(time.Now().Add(2 * time.Second))
		io.Copy(io.Discard, c) // until then, or until nobody waits any more
		io.WriteString(c, benchAnswer)
		c.Close()
	}
	fmt.Println(serve(answerBench), serve(silent), serve(slow))
	io.Copy(io.Discard, os.Stdin)
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
