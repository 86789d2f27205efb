package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
)

// redirectOutsiders are servers that lead elsewhere.
func redirectOutsiders() []outsider {
	to := func(location string) func(c net.Conn) {
		return replying(response(302, "Location: "+location+"\r\n", ""), okFine)
	}
	invalid := down("redirect_invalid", "permanent", 1, "answered", "transfer").with(302, http11)
	elsewhere := func(reason, phase string) wanted {
		return down(reason, "attempts", 2, "never_sent", phase).with(302, http11)
	}
	all := []outsider{
		{"leads to another page", to("/next"), get, passed("up", 1), 2},
		{"leads in a circle", replying(response(302, "Location: /\r\n", "")), get, down("redirect_loop", "permanent", 1, "answered", "transfer").with(302, http11), 11},
		{"leads to itself, and is not followed", replying(response(302, "Location: /\r\n", "")), `http: {url: "http://<AT>/", redirects: none}`,
			down("status", "permanent", 1, "answered", "transfer").with(302, http11), 1},
		{"leads nowhere", replying(response(302, "", "")), get, down("status", "permanent", 1, "answered", "transfer").with(302, http11), 1},
		{"leads to a closed port", replying(response(302, "Location: http://"+closedAddress()+"/\r\n", "")), get, elsewhere("connect_refused", "connect"), 2},
		{"turns POST into GET, and cuts its answer", replying(response(303, "Location: /next\r\n", ""), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel"+finEnd), post,
			down("body_truncated", "unsafe_after_response", 1, "answered", "transfer").with(200, http11), 2},
	}
	for _, location := range []string{
		"ftp://127.0.0.1/", "javascript:alert(1)", "http://", "http:///next", "http://127.0.0.1:99999/", "http://127.0.0.1:0/", "http://127.0.0.1:x/",
		"http://exa mple/", "http://[::1/", "http://[fe80::1%25nosuch]/", "http://%zz/", "http://:80/", "mailto:a@b",
	} {
		all = append(all, outsider{"leads to " + location, to(location), get, invalid, 1})
	}
	return all
}

const post = `http: {url: "http://<AT>/", method: POST, body: "sku=canary"}`

// breakOutsiders are POST and PATCH, with a key and without one, against servers that break: what came before a
// response began may be sent again, and what came after it only with a key.
func breakOutsiders() (all []outsider) {
	for _, method := range []string{"POST", "PATCH"} {
		for _, b := range []struct {
			name, says              string
			reason, evidence, phase string
			status                  int
		}{
			{"closes", finEnd, "disconnected", "unanswered", "wait", 0},
			{"resets", rstEnd, "disconnected", "unanswered", "wait", 0},
			{"is silent", silenceEnd, "limit_sock_read", "unanswered", "wait", 0},
			{"closes in the header", "HTTP/1.1 2" + finEnd, "header_truncated", "answered", "wait", 0},
			{"closes in the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel" + finEnd, "body_truncated", "answered", "transfer", 200},
			{"resets in the body", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhel" + rstEnd, "body_truncated", "answered", "transfer", 200},
			{"damages the body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n" + finEnd, "body_corrupt", "answered", "transfer", 200},
			{"says 503", response(503, "", ""), "status", "answered", "transfer", 503},
			{"says 429", response(429, "Retry-After: 0\r\n", ""), "status", "answered", "transfer", 429},
		} {
			declared := fmt.Sprintf(`http: {url: "http://<AT>/", method: %s, body: "sku=canary"`, method)
			want := down(b.reason, "attempts", 2, b.evidence, b.phase)
			if b.status > 0 {
				want = want.with(b.status, http11)
			}
			once := want
			once.Attempts, once.WaitSource = 1, ""
			once.Stop = map[string]string{"answered": "unsafe_after_response", "unanswered": "unsafe_after_send"}[b.evidence]
			bare := want
			if b.evidence == "answered" {
				bare = once
			}
			all = append(all,
				outsider{method + ": " + b.name, replying(b.says), declared + "}", bare, bare.Attempts},
				outsider{method + " under before_send: " + b.name, replying(b.says), "retry: {unsafe: before_send}, " + declared + "}", once, 1},
				outsider{method + " with a key: " + b.name, replying(b.says), declared + ", idempotency_key: auto}", want, 2},
			)
		}
		upload := fmt.Sprintf(`retry: {attempts: 1}, timeout: {total: 700ms}, http: {url: "http://<AT>/", method: %s, body: *upload}`, method)
		all = append(all,
			outsider{method + ": nobody listens", nil, fmt.Sprintf(`http: {url: "http://<AT>/", method: %s}`, method), down("connect_refused", "attempts", 2, "never_sent", "connect"), 0},
			outsider{method + ": nobody listens, and nothing may be sent twice", nil, fmt.Sprintf(`retry: {unsafe: never}, http: {url: "http://<AT>/", method: %s}`, method),
				down("connect_refused", "unsafe_method", 1, "never_sent", "connect"), 0},
			outsider{method + ": never reads", unread, upload, down("limit_total", "attempts", 1, "unanswered", "write"), 0},
			outsider{method + ": closes in the upload", closesInUpload(false), upload, down("disconnected", "attempts", 1, "unanswered", "write"), 0},
			outsider{method + ": resets in the upload", closesInUpload(true), upload, down("disconnected", "attempts", 1, "unanswered", "write"), 0},
			outsider{method + ": answers before the end of the upload", early, upload, down("status", "permanent", 1, "answered", "transfer").with(413, http11), 0},
		)
	}
	return all
}

// unread takes an upload's connection and reads nothing of it.
func unread(c net.Conn) {
	c.(*outside).SetReadBuffer(4 << 10)
	<-c.(*outside).over
}

func closesInUpload(reset bool) func(c net.Conn) {
	return func(c net.Conn) {
		io.ReadFull(c, make([]byte, 64<<10))
		if reset {
			c.(*outside).SetLinger(0)
		}
	}
}

// early answers when it has seen the header, and closes when it has read for a while.
func early(c net.Conn) {
	r := bufio.NewReader(c)
	if _, err := r.ReadString('\n'); err != nil {
		return
	}
	io.WriteString(c, "HTTP/1.1 413 X\r\nContent-Length: 8\r\nConnection: close\r\n\r\ntoo much")
	c.(*outside).CloseWrite()
	io.Copy(io.Discard, r)
}

// retryAfterOutsiders say 429 once with a Retry-After that is odd.
func retryAfterOutsiders() (all []outsider) {
	const probed = `retry: {retry_after: {max: 2s}}, ` + get
	ignored, asked := passed("flaky", 2), passed("flaky", 2)
	asked.WaitSource = "retry_after"
	over := down("status", "retry_after_over_max", 1, "answered", "transfer").with(429, http11)
	for _, v := range []struct {
		value string
		want  wanted
	}{
		{"1", asked}, {" 1 ", asked}, {"0001", asked}, {"0", ignored}, {"-1", ignored}, {"+1", ignored}, {"1.5", ignored}, {"1s", ignored}, {"", ignored}, {"soon", ignored},
		{"1, 2", ignored}, {"Thu, 01 Jan 1970 00:00:00 GMT", ignored}, {"2999-01-01", ignored},
		{"3", over}, {"99999999999999999999", over}, {"18446744073709551616", over}, {"Sunday, 06-Nov-94 08:49:37 GMT", ignored}, {"Fri, 31 Dec 2998 23:59:59 GMT", over},
	} {
		all = append(all, outsider{"Retry-After: " + v.value, replying(response(429, "Retry-After: "+v.value+"\r\n", ""), okFine), probed, v.want, v.want.Attempts})
	}
	for above, want := range map[string]wanted{"clamp": asked, "ignore": ignored} {
		all = append(all, outsider{"Retry-After over the max, " + above, replying(response(503, "Retry-After: 3600\r\n", ""), okFine),
			`retry: {retry_after: {max: 100ms, above: ` + above + `}}, ` + get, want, 2})
	}
	return all
}
