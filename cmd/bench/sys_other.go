//go:build !linux

package main

import (
	"errors"
	"os/exec"
	"syscall"
)

var errLinux = errors.New("the benchmark needs Linux: it reads /proc, and 127.0.0.0/8 must be loopback")

func system() error { return errLinux }

func raiseFiles(int) (int, error) { return 0, errLinux }

func endWithUs(*exec.Cmd) {}

func prefer() error { return errLinux }

func loopbackOnly(_, _ string, _ syscall.RawConn) error { return errLinux }
