package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-pcd/pcd/internal/regular"
)

// materials are what a program is made of, by what Go wrote into it.
type materials struct {
	version  string // of the program
	compiler string
	modules  []module
}

// module is one that is linked into the program.
type module struct{ path, version, sum string }

func readMaterials(program string) (materials, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return materials{}, err
	}
	m := materials{version: info.Main.Version, compiler: info.GoVersion}
	for _, d := range info.Deps {
		m.modules = append(m.modules, module{d.Path, d.Version, d.Sum})
	}
	return m, nil
}

// legal matches the names of files that say under which terms a module may be used.
var legal = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

// notices returns the terms of every module and of Go's own library.
func (m materials) notices(ctx context.Context) ([]byte, error) {
	var b bytes.Buffer
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	if err := addTerms(&b, "The Go standard library, "+m.compiler, strings.TrimSpace(string(root))); err != nil {
		return nil, err
	}
	for _, d := range m.modules {
		dir, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", d.path).Output()
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", d.path, err)
		}
		if err := addTerms(&b, d.path+" "+d.version, strings.TrimSpace(string(dir))); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// addTerms adds the terms in a folder. None at all is an error: what is published without
// them must not be.
func addTerms(b *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !legal.MatchString(e.Name()) {
			continue
		}
		text, err := regular.ReadFile(filepath.Join(dir, e.Name()), 1<<24)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "%s\n%s\n\n%s\n\n", title, strings.Repeat("=", len(title)), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", title, dir)
	}
	return nil
}

// bill returns the bill of materials in the form of CycloneDX 1.5.
func (m materials) bill() ([]byte, error) {
	type component struct {
		Type    string `json:"type"`
		Name    string `json:"name"`
		Version string `json:"version"`
		PURL    string `json:"purl,omitempty"`
	}
	components := []component{{"library", "std", strings.TrimPrefix(m.compiler, "go"), "pkg:golang/std@" + strings.TrimPrefix(m.compiler, "go")}}
	for _, d := range m.modules {
		components = append(components, component{"library", d.path, d.version, "pkg:golang/" + d.path + "@" + d.version})
	}
	return json.MarshalIndent(map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": component{"application", "pcd", m.version, ""}},
		"components": components,
	}, "", "  ")
}
