package kinds

import "testing"

// TestParseURLTakesWhatWePrint: --print has <secret> for a credential, and must load again.
func TestParseURLTakesWhatWePrint(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, user, password string }{
		{"https://<secret>@a.example/", "<secret>", ""},
		{"http://me:<secret>@a.example", "me", "<secret>"},
		{"http://<secret>:<secret>@a.example?q=@", "<secret>", "<secret>"},
		{"https://a.example/<secret>@b?token=<secret>", "", ""},
	} {
		u, err := parseURL(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if password, _ := u.User.Password(); u.User.Username() != c.user || password != c.password || u.Hostname() != "a.example" {
			t.Errorf("%s is %q and %q at %q, want %q and %q at a.example", c.text, u.User.Username(), password, u.Hostname(), c.user, c.password)
		}
	}
	for _, text := range []string{"https://<other>@a/", "https://<secret@a/", "<secret>://a/", "https://a:<secret>/", "%<secret>", "//<secret>@"} {
		if u, err := parseURL(text); err == nil {
			t.Errorf("%s is taken for %s", text, u.Redacted())
		}
	}
}
