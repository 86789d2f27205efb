package main

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"sonde/probe/kinds"
	"sonde/schema"
)

// TestURLsAreRedactedAlike: what a file's URL hides where the file is printed it hides where the probe is
// shown, whatever the spelling, and the other way round.
func TestURLsAreRedactedAlike(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"https://me:hush@h/?a=1", "https://hush@h/", "https://h/?token=hush", "https://h/?a=1;api_key=hush",
		"https://h/?a=1&&client_secret=hush;;b=2", "https://h/?pass%77ord=hush", "https://h/?token=one hush&b=2",
		"https://h/a;token=hush", "https://h/a;b=1?sig=hush", "https://h/?to=http://i/?auth=hush", "https://h/?a?key=hush",
		"https://h/?Token=%68ush&x-amz-signature=hush", "https://h?key=hush", "https://me:a:hush@h/?key=a?hush",
	} {
		set, err := schema.Parse("probes.yaml", []byte("probes: [{name: a, http: {url: "+strconv.Quote(url)+"}}]\n"), kinds.All(nil, "test"))
		if err != nil {
			t.Errorf("%s: %v", url, err)
			continue
		}
		var printed bytes.Buffer
		if err := schema.WriteYAML(&printed, set.Effective(), false); err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"the printed file": printed.String(), "the target": set.Probes[0].Target} {
			if strings.Contains(text, "hush") {
				t.Errorf("%s: %s shows the secret:\n%s", url, what, text)
			}
		}
		closeAll(set.Probes)
	}
}
