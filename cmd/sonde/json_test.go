package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sonde/probe"
)

const wantFlakyJSON = `{
  "results": [
    {
      "probe": "orders-create",
      "kind": "http",
      "target": "https://api.example.com/orders-create",
      "group": "shop",
      "labels": {
        "team": "checkout"
      },
      "verdict": "flaky",
      "reason": "",
      "stop": "success",
      "error": "",
      "started": "2026-11-30T10:00:00.000000001Z",
      "duration_seconds": 0.812,
      "attempts": [
        {
          "number": 1,
          "transparent": false,
          "started": "2026-11-30T10:00:00.000000001Z",
          "duration_seconds": 0.011,
          "ok": false,
          "reason": "status",
          "transient": true,
          "evidence": "answered",
          "error": "status 503\\x1b[2J; second line\\x9b31m, want \"201\" & <b>",
          "limit": "",
          "phase": "transfer",
          "late_seconds": 0,
          "wait_seconds": 0.72,
          "wait_source": "backoff",
          "remote_address": "203.0.113.7:443",
          "proxy": "",
          "addresses": [
            {
              "address": "[2001:db8::7]:443",
              "error": "connection refused"
            }
          ],
          "connection_reused": false,
          "phases_seconds": {
            "queue": 0,
            "resolve": 0.001,
            "connect": 0.002,
            "tls": 0.004,
            "write": 0,
            "wait": 0.003,
            "transfer": 0.001
          },
          "http": {
            "status": 503,
            "version": "HTTP/2.0",
            "url": "https://api.example.com/b",
            "hops": [
              {
                "url": "https://api.example.com/a",
                "status": 307,
                "remote_address": "203.0.113.7:443",
                "proxy": ""
              }
            ],
            "body_head": "busy\u009b",
            "length_unverified": false,
            "after_resend": false
          }
        },
        {
          "number": 2,
          "transparent": false,
          "started": "2026-11-30T10:00:00.731000001Z",
          "duration_seconds": 0.081,
          "ok": true,
          "reason": "",
          "transient": false,
          "evidence": "answered",
          "error": "",
          "limit": "",
          "phase": "",
          "late_seconds": 0,
          "wait_seconds": 0,
          "wait_source": "",
          "remote_address": "",
          "proxy": "",
          "addresses": [],
          "connection_reused": true,
          "phases_seconds": {
            "queue": 0,
            "resolve": 0,
            "connect": 0,
            "tls": 0,
            "write": 0,
            "wait": 0.081,
            "transfer": 0
          }
        }
      ]
    }
  ]
}
`

func TestJSONToTheLetter(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	if err := writeJSON(&b, []*probe.Result{flakyResult()}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wantFlakyJSON, b.String()); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestJSONOfARunThatNeverBegan(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	writeJSON(&b, []*probe.Result{unknownResult()})
	var got struct{ Results []map[string]any }
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"probe": "never-began", "kind": "http", "target": "https://api.example.com/never-began", "group": "shop",
		"labels": map[string]any{}, "verdict": "unknown", "reason": "deadline", "stop": "batch_deadline",
		"error": "the deadline of --deadline has passed", "started": "2026-11-30T10:00:00.000000001Z",
		"duration_seconds": 0.0, "attempts": []any{},
	}
	if diff := cmp.Diff([]map[string]any{want}, got.Results); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
}

func TestJSONWithoutResults(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	writeJSON(&b, nil)
	if want := "{\n  \"results\": []\n}\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

// TestEscapeControls holds that the value stays the same, whatever characters are in it.
func TestEscapeControls(t *testing.T) {
	t.Parallel()
	const text = "a\x1b\u009b\u202e\u200b\U000e0041\U0001f4a9é"
	plain, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	shown := escapeControls(plain)
	if want := `"a\u001b\u009b\u202e\u200b\udb40\udc41` + "\U0001f4a9é\""; string(shown) != want {
		t.Errorf("got %s, want %s", shown, want)
	}
	var back string
	if err := json.Unmarshal(shown, &back); err != nil || back != text {
		t.Errorf("it is read as %q (%v), want %q", back, err, text)
	}
}
