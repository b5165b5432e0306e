//go:build !linux

package queue

import "os/exec"

// startNicely starts a command.
func startNicely(c *exec.Cmd) error { return c.Start() }
