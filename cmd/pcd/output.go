package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

// printJSON writes a summary as the machine reads it.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// newRecord begins the manifest of a command, whose verb is that of its help.
func newRecord(verb string, invocation []string, seed uint64, settings any) *manifest.Manifest {
	m := manifest.New(invocation, seed, settings)
	m.Verb = verb
	return m
}

// openOutput opens the directory for the files of a command, before they are computed, and
// tells what it did there. names are those of the files.
func openOutput(stderr io.Writer, path string, m *manifest.Manifest, names ...string) (*manifest.Folder, error) {
	if err := checkOutputDir(path); err != nil {
		return nil, err
	}
	f, err := manifest.Open(path, m, names...)
	if err == nil && f.Report.Finished {
		tellFinished(stderr, path)
	}
	return f, err
}

// deliverOutput gives the files of a command their places, and returns their paths.
func deliverOutput(stderr io.Writer, f *manifest.Folder) ([]string, error) {
	err := f.Deliver()
	tellReport(stderr, f.Path(""), &f.Report)
	return f.Report.Files, err
}

// tellFinished says that an earlier run has left something to do.
func tellFinished(w io.Writer, dir string) {
	fmt.Fprintf(w, "the files of an earlier run, which had been cut short, have taken their places in %s\n", quote.Lines(dir))
}

// tellReport says what became of files in a directory that are not of this run.
func tellReport(w io.Writer, dir string, r *manifest.Report) {
	path := func(name string) string { return quote.Lines(filepath.Join(dir, filepath.FromSlash(name))) }
	tellSome(w, r.Removed, func(name string) string { return "removed " + path(name) + ", which the run before wrote" })
	tellSome(w, r.Left, func(name string) string {
		return "left " + path(name) + ", which the run before wrote and somebody has changed"
	})
	tellSome(w, slices.Sorted(maps.Keys(r.Aside)), func(name string) string {
		return path(name) + " was not of the run before: it is " + path(r.Aside[name]) + " now"
	})
}

// fewFiles bounds how many files are told of one by one.
const fewFiles = 10

// tellSome writes a line for each of the first names.
func tellSome(w io.Writer, names []string, line func(name string) string) {
	for _, name := range names[:min(len(names), fewFiles)] {
		fmt.Fprintln(w, line(name))
	}
	if more := len(names) - fewFiles; more > 0 {
		fmt.Fprintf(w, "and so with %d more\n", more)
	}
}

// checkOutputDir refuses a directory that cannot be written, and the name of a file as that
// of one. It can be called before anything is computed. No name is no output.
func checkOutputDir(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return usageError{fmt.Errorf("-o: %s is a file, want a directory", path)}
	}
	return atomicfile.CheckFolder(path)
}

// errNoOutput refuses an empty name for an output that has to have one.
var errNoOutput = usageError{errors.New("-o is empty, want a name")}

// wantOutputDir is checkOutputDir for an output that has to have a name.
func wantOutputDir(path string) error {
	if path == "" {
		return errNoOutput
	}
	return checkOutputDir(path)
}

// printWritten says which files were written. A folder may have any name. Where one after the other
// is in the same folder, more than a few are one line.
func printWritten(w io.Writer, files ...string) {
	for len(files) > 0 {
		dir, n := filepath.Dir(files[0]), 1
		for n < len(files) && filepath.Dir(files[n]) == dir {
			n++
		}
		if n > fewFiles {
			fmt.Fprintf(w, "wrote %s: %s\n", quote.Lines(dir), plural.Of(n, "file"))
		} else {
			for _, f := range files[:n] {
				fmt.Fprintln(w, "wrote", quote.Lines(f))
			}
		}
		files = files[n:]
	}
}
