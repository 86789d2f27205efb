package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of CPU time in /proc: USER_HZ, which is 100 on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// cpuOf is the CPU time, user and system, that a process has used so far.
func cpuOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	return parseStat(text)
}

// parseStat reads utime and stime, the 14th and 15th fields. The second is the name in parentheses,
// which may hold blanks and parentheses itself.
func parseStat(text []byte) (time.Duration, error) {
	end := bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:]))
	if end < 0 || len(fields) < 13 {
		return 0, fmt.Errorf("/proc/PID/stat has %d fields after the name, want 13 or more", len(fields))
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("utime in /proc/PID/stat: %w", err)
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("stime in /proc/PID/stat: %w", err)
	}
	return time.Duration(user+system) * tick, nil
}

// memory is what a process holds in RAM, in bytes: now, and at most so far.
type memory struct{ now, peak number }

func memoryOf(pid int) (memory, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{nothing, nothing}, err
	}
	return parseStatus(string(text))
}

func parseStatus(text string) (memory, error) {
	m := memory{nothing, nothing}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		into := map[string]*number{"VmRSS": &m.now, "VmHWM": &m.peak}[name]
		if into == nil {
			continue
		}
		kb, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		if err != nil {
			return m, fmt.Errorf("%s in /proc/PID/status: %w", name, err)
		}
		*into = number(kb * 1024)
	}
	if !m.now.there() || !m.peak.there() {
		return m, fmt.Errorf("/proc/PID/status has VmRSS %v and VmHWM %v, want both", m.now, m.peak)
	}
	return m, nil
}
