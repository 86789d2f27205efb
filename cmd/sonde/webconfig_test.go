package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Two users, whose passwords are "secret".
const (
	adminUser = "basic_auth_users:\n  admin: $2a$04$//kEyR7REqJEa33vwEpGWOYI20l71EuVj5sKlzCaCOGDFp70Le2.K\n"
	otherUser = "basic_auth_users:\n  other: $2a$04$//kEyR7REqJEa33vwEpGWOYI20l71EuVj5sKlzCaCOGDFp70Le2.K\n"
)

// statusFor is the status of a page for a user with the password; without one for "".
func statusFor(t *testing.T, url, user string) int {
	t.Helper()
	if user != "" {
		url = strings.Replace(url, "http://", "http://"+user+":secret@", 1)
	}
	status, _ := call(t, "GET", url+"/metrics")
	return status
}

// A file of passwords that is half written, empty, bad or gone neither opens a route nor closes one, and a good one
// holds from then on.
func TestABadFileOfPasswordsChangesNothing(t *testing.T) {
	t.Parallel()
	web := newWeb()
	defer web.Close()
	config := filepath.Join(t.TempDir(), "web.yml")
	put(t, config, adminUser)
	s, url := startRun(t, "--web.config.file="+config, probesFile(t, "home="+web.URL+"/ok"))
	admin := strings.Replace(url, "http://", "http://admin:secret@", 1)
	for _, tt := range []struct{ name, text, why string }{
		{"empty", "", "it does not say basic_auth_users, as the file in use does"},
		{"half written", "http_server_config: {http2: true}\n", "it does not say basic_auth_users"},
		{"garbage", "garbage\n", "cannot unmarshal"},
		{"a cut hash", adminUser[:60], "is no hash of bcrypt"},
		{"TLS", adminUser + strings.ReplaceAll(readAll(t, tlsFiles(t)), "cert.pem, key_file: key.pem", "/none"), "missing one of key or key_file"},
		{"gone", "-", "no such file"},
	} {
		if tt.text == "-" {
			if err := os.Remove(config); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(config, []byte(tt.text), 0o644); err != nil { // in place
			t.Fatal(err)
		}
		if status := statusFor(t, url, ""); status != http.StatusUnauthorized {
			t.Errorf("%s: without a password it answers %d, want 401", tt.name, status)
		}
		if status, body := call(t, "POST", admin+"/-/reload"); status != 200 {
			t.Errorf("%s: a reload answers %d %s", tt.name, status, body)
		}
		if status := statusFor(t, url, ""); status != http.StatusUnauthorized {
			t.Errorf("%s, after a reload: without a password it answers %d, want 401", tt.name, status)
		}
		if got := metric(t, admin, "sonde_web_config_last_reload_successful"); got != "0" {
			t.Errorf("%s: sonde_web_config_last_reload_successful is %s, want 0", tt.name, got)
		}
		s.err.await(t, `msg="the file of TLS and passwords is refused; the one before holds" error=.*`+tt.why)
	}
	put(t, config, otherUser)
	s.err.await(t, `msg="the file of TLS and passwords is loaded"`)
	if a, o := statusFor(t, url, "admin"), statusFor(t, url, "other"); a != http.StatusUnauthorized || o != http.StatusOK {
		t.Errorf("after a good file the old user gets %d and the new one %d, want 401 and 200", a, o)
	}
	if got := metric(t, strings.Replace(admin, "admin", "other", 1), "sonde_web_config_last_reload_successful"); got != "1" {
		t.Errorf("sonde_web_config_last_reload_successful is %s, want 1", got)
	}
	put(t, config, "basic_auth_users: {}\n")
	s.err.await(t, `(?s)is loaded".*is loaded"`)
	if status := statusFor(t, url, ""); status != http.StatusOK {
		t.Errorf("without users it answers %d, want 200", status)
	}
}

func TestWhatGuardsMustBeKept(t *testing.T) {
	t.Parallel()
	const mutual = "tls_server_config: {cert_file: a, key_file: b, client_auth_type: RequireAndVerifyClientCert, client_ca_file: c, client_allowed_sans: [d]}\n"
	for _, tt := range []struct{ name, before, now, want string }{
		{"the same", adminUser + mutual, mutual + adminUser, ""},
		{"other users", adminUser, otherUser, ""},
		{"no users, said", adminUser, "basic_auth_users: {}", ""},
		{"none before", "", adminUser, ""},
		{"cut behind TLS", mutual + adminUser, mutual, "basic_auth_users"},
		{"cut in TLS", mutual, "tls_server_config: {cert_file: a, key_file: b}", "tls_server_config.client_auth_type, tls_server_config.client_allowed_sans, tls_server_config.client_ca_file"},
		{"cut behind the key of users", adminUser, "basic_auth_users:", "basic_auth_users"},
		{"users that are null", adminUser, "basic_auth_users: ~", "basic_auth_users"},
		{"cut behind the key of names", mutual, "tls_server_config: {cert_file: a, key_file: b, client_auth_type: RequireAndVerifyClientCert, client_ca_file: c, client_allowed_sans: }", "tls_server_config.client_allowed_sans"},
		{"no names", mutual, "tls_server_config: {cert_file: a, key_file: b, client_auth_type: RequireAndVerifyClientCert, client_ca_file: c, client_allowed_sans: []}", "tls_server_config.client_allowed_sans"},
		{"no authority", mutual, "tls_server_config: {cert_file: a, key_file: b, client_auth_type: RequireAndVerifyClientCert, client_ca_file: , client_allowed_sans: [d]}", "tls_server_config.client_ca_file"},
		{"no wish for a certificate", mutual, "tls_server_config: {cert_file: a, key_file: b, client_auth_type: '', client_ca_file: c, client_allowed_sans: [d]}", "tls_server_config.client_auth_type"},
		{"TLS off", mutual, adminUser, "restart to turn TLS off"},
		{"TLS on", adminUser, adminUser + mutual, "it turns TLS on, which takes a restart"},
	} {
		c := &webConfig{text: []byte(tt.before), guards: guardsIn([]byte(tt.before))}
		err := c.keepsGuards(guardsIn([]byte(tt.now)))
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
		}
	}
}

// The copy lies elsewhere, so that paths in it must not start at its folder.
func TestPathsOfTheCopy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"tls_server_config: {cert_file: a.pem, key_file: /b.pem, client_ca_file: ../c.pem}\n",
			"tls_server_config: {cert_file: /etc/sonde/a.pem, key_file: /b.pem, client_ca_file: /etc/c.pem}\n"},
		{"tls_server_config: {<<: {cert_file: &f a.pem}, key_file: *f}\n", "tls_server_config: {!!merge <<: {cert_file: &f /etc/sonde/a.pem}, key_file: *f}\n"},
		{"basic_auth_users: {cert_file: a} # as written\n", "basic_auth_users: {cert_file: a} # as written\n"},
		{"tls_server_config: {cert_file: \"\"}\n", "tls_server_config: {cert_file: \"\"}\n"},
		{"", ""},
	} {
		if got := string(absolute([]byte(tt.text), "/etc/sonde")); got != tt.want {
			t.Errorf("of %q the copy is %q, want %q", tt.text, got, tt.want)
		}
	}
}
