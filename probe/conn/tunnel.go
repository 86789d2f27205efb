package conn

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"

	"sonde/probe"
)

// What a proxy may answer to CONNECT: the bytes of its header, and how many 1xx come before it.
const (
	maxTunnelHeader  = 64 << 10
	maxTunnelInterim = 8
)

// tunnel asks the proxy for a way to the route's address. A proxy that answers before it is asked, and goes, has
// answered.
func (c *Call) tunnel(l *link, r *Route) error {
	unasked := connectRequest(r).Write(l.Conn)
	if unasked != nil && !gone(unasked) {
		return tunnelBroken(r, unasked, "could not be asked for a way to %s: %s", r.Address, plain(unasked.Error()))
	}
	answer := &io.LimitedReader{R: singly{l.Conn}, N: maxTunnelHeader}
	resp, err := tunnelAnswer(bufio.NewReader(answer))
	switch {
	case unasked != nil && gone(err):
		return c.tunnelFailed(r, answer, unasked)
	case err != nil:
		return c.tunnelFailed(r, answer, err)
	case resp.StatusCode/100 != 2:
		return &Failure{Reason: probe.ReasonProxyStatus, Err: &ProxyRefusal{r.Proxy.Address, resp.StatusCode, resp.Header}}
	}
	return nil
}

// tunnelAnswer reads the header of the proxy's answer, which has no body that matters.
func tunnelAnswer(br *bufio.Reader) (*http.Response, error) {
	for range maxTunnelInterim {
		resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
	return nil, errInterim
}

// errInterim is a proxy that does not come to the point.
var errInterim = errors.New("1xx without end")

// tunnelFailed is the error of a proxy that gave no proper answer to CONNECT.
func (c *Call) tunnelFailed(r *Route, answer *io.LimitedReader, err error) error {
	switch {
	case answer.N == 0:
		return tunnelBroken(r, err, "answered CONNECT with a header of more than %d KiB", maxTunnelHeader>>10)
	case gone(err) && answer.N == maxTunnelHeader:
		return tunnelBroken(r, err, "%s before answering CONNECT", ending(err))
	case gone(err):
		return tunnelBroken(r, err, "%s in the middle of its answer to CONNECT", ending(err))
	case alert(err):
		return tunnelBroken(r, err, "did not answer CONNECT: %s", tlsWords(probe.ReasonTLSAlert, err))
	}
	return tunnelBroken(r, err, "did not answer CONNECT with proper HTTP: %s", plain(err.Error()))
}

// tunnelBroken is a failure of the proxy's protocol; what is used up of ours is told as it is.
func tunnelBroken(r *Route, err error, format string, args ...any) error {
	if local(err) {
		return err
	}
	return ProxyFailure(err, "the proxy %s %s", r.Proxy.Address, fmt.Sprintf(format, args...))
}

// singly reads byte by byte, so that nothing is read that is not the proxy's to say: what the address says at once
// may come with the proxy's answer.
type singly struct{ io.Reader }

// Read reads one byte.
func (s singly) Read(p []byte) (int, error) { return s.Reader.Read(p[:min(1, len(p))]) }
