//go:build attack && unix

package fault

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// variable names the environment variable of the attack: "kill N" ends the program before
// its change number N, as SIGKILL does; "full N" fails that change and all that follow, as
// far as they need room, as a full disk does; "list 0" prints all changes.
const variable = "PCD_FAULT"

func init() {
	Volatile = true // no attack switches the machine off
	text := os.Getenv(variable)
	if text == "" {
		return
	}
	var what string
	var at int64
	if _, err := fmt.Sscanf(text, "%s %d", &what, &at); err != nil {
		panic(fmt.Sprintf("%s is %q: %v", variable, text, err))
	}
	var passed atomic.Int64
	Hook = func(op Op, path string) error {
		switch n := passed.Add(1); {
		case what == "kill" && n == at:
			fmt.Fprintf(os.Stderr, "killed before change %d: %s %s\n", n, op, path)
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		case what == "full" && n >= at && op.NeedsRoom():
			return syscall.ENOSPC
		case what == "list":
			fmt.Fprintf(os.Stderr, "change %d: %s %s\n", n, op, path)
		}
		return nil
	}
}
