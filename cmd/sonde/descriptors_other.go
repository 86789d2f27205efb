//go:build !unix

package main

// descriptorLimit is 0: this system has no such limit.
func descriptorLimit() int { return 0 }
