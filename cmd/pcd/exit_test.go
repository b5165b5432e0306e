package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/project"
)

func TestExitCodes(t *testing.T) {
	nowhere := atomicfile.WriteBytes(filepath.Join(t.TempDir(), "missing", "f"), nil)
	taken := atomicfile.WriteBytes(t.TempDir(), nil)
	full := &atomicfile.WriteError{Path: "f", Err: syscall.ENOSPC}
	for name, c := range map[string]struct {
		err  error
		want int
	}{
		"none":               {nil, exitOK},
		"unknown":            {errors.New("x"), exitRuntime},
		"usage":              {usageError{fs.ErrNotExist}, exitUsage},
		"problem":            {&pcd.ProblemError{Issues: []error{errors.New("x")}}, exitUsage},
		"infeasible":         {&project.InfeasibleError{}, exitInfeasible},
		"uncertified":        {&pcd.UncertifiedError{}, exitUncertified},
		"projector limit":    {&pcd.UncertifiedError{Limited: true}, exitLimit},
		"missing":            {fs.ErrNotExist, exitMissing},
		"output nowhere":     {nowhere, exitMissing},
		"output over folder": {taken, exitUsage},
		"full disk":          {full, exitRuntime},
		"interrupted":        {context.Canceled, exitInterrupted},
		"interrupted, wrong": {errors.Join(context.Canceled, &pcd.UncertifiedError{}), exitInterrupted},
	} {
		if got := exitCode(fmt.Errorf("wrapped: %w", c.err)); c.err != nil && got != c.want {
			t.Errorf("%s: exit code %d, want %d", name, got, c.want)
		}
		if got := exitCode(c.err); got != c.want {
			t.Errorf("%s: exit code %d, want %d", name, got, c.want)
		}
	}
}

// A folder may have any name: a terminal must not obey it.
func TestWrittenFilesAreSafeToPrint(t *testing.T) {
	var out strings.Builder
	printWritten(&out, "out/plan.png", "\x1b[2Jüber/plan.json")
	if want := "wrote out/plan.png\nwrote \\x1b[2Jüber/plan.json\n"; out.String() != want {
		t.Errorf("printed %q, want %q", &out, want)
	}
}

// The files of many robots do not push what is said of the plan off the screen.
func TestManyWrittenFilesAreOneLine(t *testing.T) {
	files := []string{"out/plan.json"}
	for i := range 2 * fewFiles {
		files = append(files, fmt.Sprintf("out/ros/robot_%d.path.yaml", i))
	}
	var out strings.Builder
	printWritten(&out, append(files, "out/manifest.json")...)
	if want := "wrote out/plan.json\nwrote out/ros: 20 files\nwrote out/manifest.json\n"; out.String() != want {
		t.Errorf("printed %q, want %q", &out, want)
	}
}

func TestMessagesNameTheProgramOnce(t *testing.T) {
	for err, want := range map[error]string{
		&pcd.UncertifiedError{Set: "x", Violation: 2}: "pcd: x is not certified: sample 0 violates its constraint by 2",
		errors.New("other"):                           "pcd: other",
		fmt.Errorf("saving: %w", context.Canceled):    "pcd: interrupted",
	} {
		if got := message(err); got != want {
			t.Errorf("message = %q, want %q", got, want)
		}
	}
}
