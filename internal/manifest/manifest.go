// Package manifest is the record of a run: what was asked for, by whom, on which inputs, how
// far it came, and the files that it wrote, with their digests.
package manifest

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Manifest says how the files of an output directory came about. It is made when
// a command begins, so that its time covers the whole computation:
//
//	m := manifest.New(command, seed, settings)
//	m.Input("model", manifest.Input{Path: path, SHA256: digest})
//	…                      // compute, write files
//	err = m.Add(dir, name) // for each file
//	m.Status = manifest.StatusOf(err)
//	err = m.Write(dir)
type Manifest struct {
	Command  []string          `json:"command"`
	Version  string            `json:"version"`
	Machine  Machine           `json:"machine"`
	Started  time.Time         `json:"started"`
	Seconds  float64           `json:"seconds"` // from the beginning to the last writing of the manifest
	Status   Status            `json:"status"`
	Seed     uint64            `json:"seed"`
	Settings any               `json:"settings,omitempty"` // everything that decides the numbers, also what a preset's name stands for
	Inputs   map[string]Input  `json:"inputs,omitempty"`   // what was read, by what it was for: "model", "data", "scene"
	Files    map[string]string `json:"files"`              // what was written: SHA-256 by name
}

// Status says how far the computation of an output came.
type Status string

// The states of a computation.
const (
	Running     Status = "running"     // or killed: the manifest is not written again
	Finished    Status = "finished"    // all that was asked for
	Interrupted Status = "interrupted" // by the user; the files hold what was finished
	Failed      Status = "failed"
)

// StatusOf returns the state in which err leaves a computation.
func StatusOf(err error) Status {
	switch {
	case err == nil:
		return Finished
	case errors.Is(err, context.Canceled):
		return Interrupted
	default:
		return Failed
	}
}

// Input identifies something that a computation read.
type Input struct {
	Path   string `json:"path,omitempty"` // "" for what ships with the program
	SHA256 string `json:"sha256"`
	Text   string `json:"text,omitempty"` // of small inputs, such as a scene
}

// New begins the manifest of a command. Its status is [Finished] unless
// the command sets another.
func New(command []string, seed uint64, settings any) *Manifest {
	return &Manifest{
		Command: command, Version: Version(), Machine: ThisMachine(), Started: time.Now().UTC(), Status: Finished,
		Seed: seed, Settings: settings, Inputs: map[string]Input{}, Files: map[string]string{},
	}
}

// Input records something that the command read.
func (m *Manifest) Input(name string, in Input) { m.Inputs[name] = in }

// InputFile records a file or a folder that the command read, with its digest.
func (m *Manifest) InputFile(name, path string) error {
	digest, err := DigestFile(path)
	if err != nil {
		return err
	}
	m.Input(name, Input{Path: path, SHA256: digest})
	return nil
}

// Add records a file of the directory with its digest.
func (m *Manifest) Add(dir, name string) error {
	digest, err := DigestFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	m.Files[name] = digest
	return nil
}

// FileName is the name of the manifest of a directory.
const FileName = "manifest.json"

// Write writes the manifest to its directory.
func (m *Manifest) Write(dir string) error { return m.WriteFile(filepath.Join(dir, FileName)) }

// WriteFile writes the manifest to a file.
func (m *Manifest) WriteFile(path string) error {
	m.Seconds = time.Since(m.Started).Seconds()
	return atomicfile.WriteJSON(path, m)
}
