package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// startedDemo is a demo that the test's end closes, and a client that leaves nothing behind.
func startedDemo(t *testing.T) (*demo, *http.Client) {
	t.Helper()
	d, err := startDemo()
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
	}}
	t.Cleanup(d.close)
	return d, client
}

// answer is what a request to the demo came to, in one word or a status.
func answer(t *testing.T, c *http.Client, method, url, key string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := c.Do(req)
	if err != nil {
		return "none"
	}
	defer resp.Body.Close()
	if _, err := io.ReadAll(resp.Body); err != nil {
		return "half"
	}
	return resp.Status[:3] + resp.Header.Get("Retry-After")
}

func TestDemoAnswersByPlan(t *testing.T) {
	t.Parallel()
	d, client := startedDemo(t)
	web := "http://" + d.web.Addr().String()
	tests := []struct {
		name, method, url, key string
		want                   []string
	}{
		{"home", "GET", web + "/home", "", []string{"200", "200"}},
		{"slow", "GET", web + "/slow", "", []string{"200"}},
		{"secure", "GET", "https://" + d.secure.Addr().String() + "/home", "", []string{"200"}},
		{"broken", "GET", web + "/broken", "", []string{"500", "500", "500"}},
		{"503", "GET", web + "/sometimes/503", "", []string{"503", "200", "200", "503", "200"}},
		{"429", "GET", web + "/sometimes/429", "", []string{"4291", "200", "200", "4291", "200"}},
		{"cut", "GET", web + "/sometimes/cut", "", []string{"none", "200", "200", "200", "none"}},
		{"half", "GET", web + "/sometimes/half", "", []string{"half", "200", "200", "200", "200", "half"}},
		{"order with key", "POST", web + "/sometimes/order-503", "k", []string{"503", "201", "201", "503"}},
		{"order without key", "POST", web + "/sometimes/order-503", "", []string{"503", "201", "201", "503"}},
		{"banner is no HTTP", "GET", "http://" + d.banner.Addr().String(), "", []string{"none"}},
		{"closed port", "GET", "http://" + demoClosed, "", []string{"none"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for range test.want {
				got = append(got, answer(t, client, test.method, test.url, test.key))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDemoCertificates(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 10, 0, 0, 0, time.UTC)
	get, err := demoCertificates(now)
	if err != nil {
		t.Fatal(err)
	}
	for name, good := range map[string]bool{"secure.demo": true, "expired.demo": false} {
		c, err := get(&tls.ClientHelloInfo{ServerName: name})
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		roots.AddCert(leaf)
		_, err = leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: now})
		var invalid x509.CertificateInvalidError
		if expired := errors.As(err, &invalid) && invalid.Reason == x509.Expired; good && err != nil || !good && !expired {
			t.Errorf("verifying the certificate of %s: got %v, want good: %t", name, err, good)
		}
	}
}

// TestDemoCloses closes the demo while one caller waits for a stalled answer and another has said nothing at
// all. It takes no time, and that no goroutine is left is the bubble's to see.
func TestDemoCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, mem := bubbledDemo(t)
		began := time.Now()
		dial := func(l net.Listener) net.Conn {
			c, err := mem.Dial(t.Context(), "tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		silent, stalled := dial(d.banner), dial(d.web)
		if _, err := io.ReadFull(silent, make([]byte, len("SSH-2.0-"))); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{"/home", "/sometimes/stall"} {
			io.WriteString(stalled, "GET "+path+" HTTP/1.1\r\nHost: demo\r\n\r\n")
			synctest.Wait()
		}
		d.close()
		if took := time.Since(began); took > 0 {
			t.Errorf("closing took %v, want no time: nobody waits for a stalled answer", took)
		}
		for _, l := range []net.Listener{d.web, d.secure, d.banner} {
			if _, err := mem.Dial(t.Context(), "tcp", l.Addr().String()); err == nil {
				t.Errorf("%s still takes connections after close", l.Addr())
			}
		}
		for who, c := range map[string]net.Conn{"the silent": silent, "the stalled": stalled} {
			if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
				t.Errorf("%s caller's connection ends with %v", who, err)
			}
			c.Close()
		}
	})
}

func TestDemoFileHasTheAddresses(t *testing.T) {
	t.Parallel()
	d, _ := startedDemo(t)
	file := string(d.file())
	for _, want := range []string{
		"http://" + d.web.Addr().String() + "/home",
		"https://" + d.secure.Addr().String() + "/home",
		`address: "` + d.banner.Addr().String() + `"`,
		`address: "` + demoClosed + `"`,
	} {
		if !strings.Contains(file, want) {
			t.Errorf("the demo's file lacks %q", want)
		}
	}
	if rest := strings.Count(file, ".demo:"); rest != 0 {
		t.Errorf("%d placeholders of the demo's file were not filled in", rest)
	}
}
