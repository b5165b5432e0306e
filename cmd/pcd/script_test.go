package main

import (
	"errors"
	"flag"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update makes the scripts agree with what the program prints. Read the
// difference before it is committed.
var update = flag.Bool("update", false, "rewrite the expected outputs of the scripts")

// TestMain makes this test binary the program when a script calls "pcd": the
// scripts run main itself, in a process of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pcd": main})
}

// TestScripts runs the command lines under testdata/script and compares what they
// print, write and return. $root is the folder of the module.
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(e *testscript.Env) error { e.Setenv("root", root); return nil },
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and requires an exit code: exits CODE pcd ARGUMENTS. What
// it printed can be compared afterwards.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGUMENTS")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
