package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unit reads a systemd unit: section and key lead to the values, in order.
func unit(t *testing.T, text string) map[string]map[string][]string {
	t.Helper()
	sections := map[string]map[string][]string{}
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		key, value, assigns := strings.Cut(line, "=")
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[' && strings.HasSuffix(line, "]"):
			section = line[1 : len(line)-1]
			sections[section] = map[string][]string{}
		case assigns && section != "":
			sections[section][key] = append(sections[section][key], value)
		default:
			t.Errorf("the unit has the line %q, want [Section] or Key=value", line)
		}
	}
	return sections
}

// unitKeys are the keys that the unit may hold: a misspelt one is ignored by systemd with a mere warning.
var unitKeys = map[string][]string{
	"Unit": {"After", "Description", "Wants"},
	"Service": {
		"CapabilityBoundingSet", "DynamicUser", "ExecReload", "ExecStart", "ExecStartPre", "LimitNOFILE",
		"LockPersonality", "MemoryDenyWriteExecute", "NoNewPrivileges", "PrivateDevices", "PrivateTmp",
		"ProtectClock", "ProtectControlGroups", "ProtectHome", "ProtectHostname", "ProtectKernelLogs",
		"ProtectKernelModules", "ProtectKernelTunables", "ProtectProc", "ProtectSystem", "Restart",
		"RestartSec", "RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime",
		"RestrictSUIDSGID", "SystemCallArchitectures", "SystemCallErrorNumber", "SystemCallFilter",
		"TimeoutStopSec", "Type", "UMask",
	},
	"Install": {"WantedBy"},
}

func TestSystemdUnit(t *testing.T) {
	t.Parallel()
	got := unit(t, readFile(t, "examples/systemd/sonde.service"))
	for section, keys := range got {
		for key := range keys {
			if !slices.Contains(unitKeys[section], key) {
				t.Errorf("the unit has %s in [%s], want one of %q", key, section, unitKeys[section])
			}
		}
	}
	for key, want := range map[string]string{
		"DynamicUser": "yes", "ProtectSystem": "strict", "NoNewPrivileges": "yes", "ProtectHome": "yes",
		"CapabilityBoundingSet": "", "ExecReload": "/bin/kill -HUP $MAINPID",
	} {
		if values := got["Service"][key]; !slices.Equal(values, []string{want}) {
			t.Errorf("%s is %q, want %q", key, values, want)
		}
	}
	for _, key := range []string{"ExecStartPre", "ExecStart"} {
		if len(got["Service"][key]) != 1 {
			t.Fatalf("%s stands %d times, want once", key, len(got["Service"][key]))
		}
		words := strings.Fields(got["Service"][key][0])
		if words[0] != "/usr/local/bin/sonde" {
			t.Errorf("%s runs %s, want /usr/local/bin/sonde", key, words[0])
		}
		understood(t, key+" of the unit", words[1:])
	}
}

// TestUnitCommandsAreInstalled holds that the unit's own words on how to install it name what it runs.
func TestUnitCommandsAreInstalled(t *testing.T) {
	t.Parallel()
	text := readFile(t, "examples/systemd/sonde.service")
	for _, want := range []string{`install .* /usr/local/bin/sonde\b`, `install .* /etc/sonde/probes\.yaml\b`} {
		if !regexp.MustCompile(`(?m)^#.*` + want).MatchString(text) {
			t.Errorf("the unit's comment has no line that matches %q", want)
		}
	}
}
