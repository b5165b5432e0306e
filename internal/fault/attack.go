//go:build attack && unix

package fault

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
)

// plan is what the environment asks for.
var plan = func() (p struct {
	what string
	at   int64
}) {
	if text := os.Getenv(Variable); text != "" {
		if _, err := fmt.Sscanf(text, "%s %d", &p.what, &p.at); err != nil {
			panic(fmt.Sprintf("%s is %q: %v", Variable, text, err))
		}
	}
	return p
}()

// passed counts the changes.
var passed atomic.Int64

// Point is called before a change of what lies at path.
func Point(op Op, path string) error {
	n := passed.Add(1)
	switch {
	case plan.what == "kill" && n == plan.at:
		fmt.Fprintf(os.Stderr, "killed before change %d: %s %s\n", n, op, path)
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case plan.what == "full" && n >= plan.at && needsRoom(op):
		return syscall.ENOSPC
	}
	return nil
}

// needsRoom says whether a full disk refuses a change. Names take the room of others.
func needsRoom(op Op) bool { return op == Create || op == Write || op == Sync }
