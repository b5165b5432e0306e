package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/quote"
)

// printJSON writes a summary as the machine reads it.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// outputDir is the directory that receives the files of a command.
type outputDir struct {
	path     string
	manifest *manifest.Manifest
	files    []string
}

// newOutput makes the directory for a manifest that was begun before.
func newOutput(path string, m *manifest.Manifest) (*outputDir, error) {
	if err := checkOutputDir(path); err != nil {
		return nil, err
	}
	if err := atomicfile.MkdirAll(path); err != nil {
		return nil, err
	}
	return &outputDir{path: path, manifest: m}, nil
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

// manifestName is the file that says how the others came about.
const manifestName = manifest.FileName

// file returns the path of a file of the directory.
func (o *outputDir) file(name string) string { return filepath.Join(o.path, name) }

// write makes a file with save, which gets its path, and enters it in the
// manifest.
func (o *outputDir) write(name string, save func(path string) error) error {
	path := o.file(name)
	if err := save(path); err != nil {
		return err
	}
	o.files = append(o.files, path)
	return o.manifest.Add(o.path, name)
}

// close writes the manifest.
func (o *outputDir) close() error {
	if err := o.manifest.Write(o.path); err != nil {
		return err
	}
	o.files = append(o.files, o.file(manifestName))
	return nil
}

// printWritten says which files were written. A folder may have any name.
func printWritten(w io.Writer, files ...string) {
	for _, f := range files {
		fmt.Fprintln(w, "wrote", quote.Lines(f))
	}
}
