package main

import "sonde/probe"

// clean makes text that came from outside fit for a line of a terminal, so that no target can move the
// cursor, colour the screen or hide a line.
func clean(s string) string { return probe.Line(s) }
