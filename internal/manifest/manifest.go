package manifest

import (
	"path/filepath"
	"strings"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// FileName is the name of the manifest of a folder.
const FileName = "manifest.json"

// Manifest says how the files of a folder came about. It is made when a command begins, so
// that its time covers the whole computation.
type Manifest struct {
	Verb     string            `json:"verb,omitempty"` // of the command: "image generate"
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
	// Writing are the files that a run which has not ended writes, and Before what the run
	// before it wrote that is still there.
	Writing []string          `json:"writing,omitempty"`
	Before  map[string]string `json:"before,omitempty"`
	Journal *Journal          `json:"journal,omitempty"` // of the status Delivering
	// Beside are the last runs of other commands whose files lie in the same folder, by verb.
	Beside map[string]*Manifest `json:"beside,omitempty"`
}

// Journal says what is left to be done where files take their places.
type Journal struct {
	Staged string            `json:"staged"`          // the folder beside the manifest in which they wait
	Aside  map[string]string `json:"aside,omitempty"` // new names of files that are in the way and not of the run before
}

// Input identifies something that a computation read.
type Input struct {
	Path   string `json:"path,omitempty"` // "" for what ships with the program
	SHA256 string `json:"sha256"`
	Text   string `json:"text,omitempty"` // of small inputs, such as a scene
}

// New begins the manifest of a command. Its status is [Finished] unless the command sets
// another.
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

// Add records a file of a folder with its digest.
func (m *Manifest) Add(dir, name string) error {
	digest, err := DigestFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	m.Files[name] = digest
	return nil
}

// WriteFile writes the manifest to a file.
func (m *Manifest) WriteFile(path string) error {
	m.Seconds = time.Since(m.Started).Seconds()
	return atomicfile.WriteJSON(path, m)
}

// isOf says whether a manifest is that of a command. Manifests from before they had verbs
// know it from the command line.
func (m *Manifest) isOf(verb string) bool { return m.verb(verb) == verb }

// verb returns the verb of a manifest; one without says whether it could be like.
func (m *Manifest) verb(like string) string {
	if m.Verb != "" || len(m.Command) == 0 {
		return m.Verb
	}
	words := m.Command[1:]
	if n := len(strings.Fields(like)); n > 0 && n <= len(words) && strings.Join(words[:n], " ") == like {
		return like
	}
	for i, w := range words {
		if strings.HasPrefix(w, "-") {
			words = words[:i]
			break
		}
	}
	return strings.Join(words, " ")
}
