package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Manifest says how the files of an output directory came about.
type Manifest struct {
	Command  []string          `json:"command"`
	Version  string            `json:"version"`
	Machine  Machine           `json:"machine"`
	Started  time.Time         `json:"started"`
	Seconds  float64           `json:"seconds"`
	Seed     uint64            `json:"seed"`
	Settings any               `json:"settings,omitempty"` // everything that decides the numbers
	Files    map[string]string `json:"files"`              // SHA-256 by name
}

// NewManifest starts the manifest of a command.
func NewManifest(command []string, seed uint64, settings any) *Manifest {
	return &Manifest{
		Command: command, Version: Version(), Machine: ThisMachine(), Started: time.Now().UTC(),
		Seed: seed, Settings: settings, Files: map[string]string{},
	}
}

// Add records a file of the directory with its digest.
func (m *Manifest) Add(dir, name string) error {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	m.Files[name] = hex.EncodeToString(h.Sum(nil))
	return nil
}

// Write writes manifest.json to a directory.
func (m *Manifest) Write(dir string) error {
	m.Seconds = time.Since(m.Started).Seconds()
	return WriteJSON(filepath.Join(dir, "manifest.json"), m)
}

// WriteJSON writes v, indented, to a file that appears whole or not at all.
func WriteJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return WriteFile(path, append(data, '\n'))
}

// WriteFile writes data to a file that appears whole or not at all, even when the
// program is killed.
func WriteFile(path string, data []byte) error {
	return atomicfile.Write(path, func(w io.Writer) error { _, err := w.Write(data); return err })
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
