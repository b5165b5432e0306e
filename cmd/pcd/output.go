package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/experiment"
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
	manifest *experiment.Manifest
	files    []string
}

// openOutput makes the directory.
func openOutput(path string, command []string, seed uint64, settings any) (*outputDir, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("output directory: %w", err)
	}
	return &outputDir{path: path, manifest: experiment.NewManifest(command, seed, settings)}, nil
}

// manifestName is the file that says how the others came about.
const manifestName = "manifest.json"

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
