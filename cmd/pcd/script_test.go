package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/internal/thorough"
)

// update makes the scripts agree with what the program prints. Read the
// difference before it is committed.
var update = flag.Bool("update", false, "rewrite the expected outputs of the scripts")

// TestMain makes this test binary the program when a script calls "pcd": the
// scripts run main itself, in a process of its own, with a ruler beside it.
func TestMain(m *testing.M) {
	os.Unsetenv("COLUMNS") // of whoever runs the tests
	fault.Volatile = true
	cardSteps = 4 // what a card shows and measures is drawn as well
	testscript.Main(m, map[string]func(){"pcd": measured})
}

// exitTooWide is how a program ends that has printed a line which is too wide: as none of
// its own.
const exitTooWide = 99

// measured is main, except that what is printed for people has to fit a terminal of the
// standard width. Errors and warnings have one line each.
func measured() {
	out, messages := &ruler{w: os.Stdout}, &ruler{w: os.Stderr, spared: regexp.MustCompile(`^(pcd|warning): `)}
	code := program(out, messages)
	for _, r := range []*ruler{out, messages} {
		if line := r.tooWide(); line != "" && !slices.ContainsFunc(os.Args, forPrograms) {
			fmt.Fprintf(os.Stderr, "more than %d columns: %s\n", terminal.Standard, line)
			code = exitTooWide
		}
	}
	os.Exit(code)
}

// forPrograms reports whether an argument asks for output that is not for people.
func forPrograms(arg string) bool {
	return slices.Contains([]string{"--json", "markdown", "csv", "json", "__complete", "completion"}, arg)
}

// ruler passes a text on and keeps it.
type ruler struct {
	w      io.Writer
	text   bytes.Buffer
	spared *regexp.Regexp // lines of any width
}

func (r *ruler) Write(p []byte) (int, error) {
	r.text.Write(p)
	return r.w.Write(p)
}

// tooWide returns a line that is too wide, "" when there is none. Words such as paths,
// which cannot be broken, count for twenty columns at most.
func (r *ruler) tooWide() string {
	for line := range strings.Lines(r.text.String()) {
		line = strings.TrimRight(line, "\n")
		if r.spared != nil && r.spared.MatchString(line) {
			continue
		}
		short := longWord.ReplaceAllString(line, "twenty columns wide.")
		if utf8.RuneCountInString(short) > terminal.Standard {
			return line
		}
	}
	return ""
}

// longWord is what has no place to be broken.
var longWord = regexp.MustCompile(`\S{21,}`)

// TestScripts runs the command lines under testdata/script and compares what they
// print, write and return. $root is the folder of the module.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script") }

// TestLongScripts runs those under testdata/long, which compute.
func TestLongScripts(t *testing.T) {
	thorough.Test(t)
	runScripts(t, "testdata/long")
}

func runScripts(t *testing.T, dir string) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
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
