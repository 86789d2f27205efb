package kinds

import (
	"bufio"
	"io"
	"net/http"

	"sonde/probe"
	"sonde/probe/conn/memnet"
)

var httpTarget = target{
	aim: func(s probe.Settings, address string) { s.(*HTTP).URL = "http://" + address + "/" },
	serve: func(c *memnet.Conn, r *bufio.Reader) {
		for {
			if _, err := http.ReadRequest(r); err != nil {
				return
			}
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		}
	},
}
