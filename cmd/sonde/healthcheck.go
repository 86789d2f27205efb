package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// healthcheckTimeout bounds the whole question, below the 10 s or so that a supervisor allows. Tests alone change it.
var healthcheckTimeout = 5 * time.Second

type healthcheckCommand struct {
	URL      string `name:"url" placeholder:"URL" default:"http://127.0.0.1:10115/-/healthy" help:"What to ask (default: ${default}). Name and password may stand in it."`
	Insecure bool   `name:"insecure-skip-verify" help:"Take any certificate: that of a public name is not for 127.0.0.1."`
}

// Help is shown by sonde healthcheck --help.
func (*healthcheckCommand) Help() string {
	return `For images without a shell: exits 0 when the running sonde answers, 1 when not. In a Dockerfile:

    HEALTHCHECK CMD ["/sonde", "healthcheck"]

Example: sonde healthcheck --url=http://127.0.0.1:10115/-/healthy`
}

func (c *healthcheckCommand) run(ctx context.Context, t *terminal) error {
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL, nil)
	switch {
	case err != nil:
		err = errors.New("cannot be read as a URL")
	case req.URL.Host != "" && req.URL.Scheme != "http" && req.URL.Scheme != "https":
		err = errors.New("is neither http nor https")
	case req.URL.Host == "":
		err = errors.New("has no host")
	default:
		err = portOf(req.URL)
	}
	if err != nil {
		return cannot(fmt.Errorf("--url %w", err), "give a whole one, such as http://127.0.0.1:10115/-/healthy")
	}
	if err := c.ask(req); err != nil {
		return &failure{status: statusFailed, err: fmt.Errorf("%s is not healthy: %w", printable(req.URL), bare(err))}
	}
	fmt.Fprintf(t.out, "%s is healthy\n", clean(printable(req.URL)))
	return nil
}

// printable is a URL as it may be printed: without a password and without a query, which may hold a token.
// Of what has no host, or cannot be read at all, nothing may be: NAME:PASSWORD@HOST is such a text.
func printable(u *url.URL) string {
	shown := *u
	shown.RawQuery, shown.ForceQuery = "", false
	return shown.Redacted()
}

// portOf says what is wrong with the port of a URL, if it has one.
func portOf(u *url.URL) error {
	if n, err := strconv.Atoi(u.Port()); u.Port() != "" && (err != nil || n < 1 || n > 65535) {
		return fmt.Errorf("has the port %s, want 1 to 65535", u.Port())
	}
	return nil
}

func (c *healthcheckCommand) ask(req *http.Request) error {
	client := &http.Client{Transport: &http.Transport{
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: c.Insecure},
		DisableKeepAlives: true,
	}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("it answers %s", resp.Status)
	}
	return nil
}

// bare is the error without the URL that net/http and net/url put before it, which may hold a password.
func bare(err error) error {
	var u *url.Error
	if !errors.As(err, &u) {
		return err
	}
	if errors.Is(u.Err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer within %v", healthcheckTimeout)
	}
	return u.Err
}
