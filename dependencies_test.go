package pcd_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the checked-in lists anew")

// dependencies is the list of what a program links that imports a public package: the
// packages outside this module and the standard library.
const dependencies = "testdata/dependencies.txt"

// TestDependencies compares the list with the imports. The root stands on the standard
// library alone.
func TestDependencies(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	var list strings.Builder
	for _, p := range publicPackages() {
		outside := outsideOf(t, p)
		if p == "." && len(outside) > 0 {
			t.Errorf("the root depends on %v", outside)
		}
		fmt.Fprintf(&list, "%s: %s\n", p, strings.Join(outside, " "))
	}
	if *update {
		if err := os.WriteFile(dependencies, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(dependencies)
	if err != nil {
		t.Fatal(err)
	}
	if list.String() != string(want) {
		t.Errorf("the dependencies of the public packages are\n%s\nand %s has\n%s\nWhere that is meant, go test . -run Dependencies -update writes it.", list.String(), dependencies, want)
	}
}

// TestPublicSurface bounds what this module promises: packages, and names. The count is the
// strict one of somebody who knows nothing of the module: every function, type, constant,
// variable and method of an exported type counts, whatever it is for, also those of a type
// of an internal package under a public name. What an interface declares belongs to the
// interface and is not counted again.
func TestPublicSurface(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	const mostPackages, mostNames = 24, 1300
	public := publicPackages()
	if found := importable(t); !slices.Equal(found, public) {
		t.Errorf("other modules may import %v, want %v: what is no package for them belongs under internal", found, public)
	}
	if len(public) > mostPackages {
		t.Errorf("%d public packages, at most %d: %v", len(public), mostPackages, public)
	}
	if names := exportedNames(t, public); names > mostNames {
		t.Errorf("the public packages export %d names, at most %d: export what a stranger needs", names, mostNames)
	}
}

// exportedNames counts functions, types, constants, variables and methods of exported types.
func exportedNames(t *testing.T, public []string) int {
	t.Helper()
	name := regexp.MustCompile(`^[^:]+: (func \([^)]+\) \w+|func \w+|type \w+|const \w+|var \w+)`)
	counted := map[string]bool{}
	for _, p := range public {
		for _, l := range surface(t, p) {
			counted[name.FindString(l)] = true
		}
	}
	delete(counted, "")
	return len(counted)
}

// importable lists the folders with a package outside internal, commands aside.
func importable(t *testing.T) (all []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && path == "." {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"testdata", "internal", "cmd", "node_modules"}, d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		p := filepath.ToSlash(filepath.Dir(path))
		if filepath.Ext(path) != ".go" || slices.Contains(all, p) {
			return nil
		}
		text, err := os.ReadFile(path)
		if !bytes.Contains(text, []byte("//go:build ignore")) {
			all = append(all, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(all)
	return all
}

// publicPackages lists the packages that other modules may import.
func publicPackages() (all []string) {
	for p := range levels {
		if !isInternal(p) && owner(p) == "" && !isProgram(p) {
			all = append(all, p)
		}
	}
	slices.Sort(all)
	return all
}

// outsideOf lists what a package imports from other modules, itself or through packages of
// this one.
func outsideOf(t *testing.T, from string) []string {
	t.Helper()
	var outside []string
	seen := map[string]bool{from: true}
	for open := []string{from}; len(open) > 0; open = open[1:] {
		for _, name := range importsOf(t, open[0]) {
			to, ours := inModule(name)
			switch first, _, _ := strings.Cut(name, "/"); {
			case ours && !seen[to]:
				seen[to] = true
				open = append(open, to)
			case !ours && strings.Contains(first, ".") && !slices.Contains(outside, name):
				outside = append(outside, name)
			}
		}
	}
	slices.Sort(outside)
	return outside
}

// importsOf lists the imports of the files of a package without its tests, on any system.
func importsOf(t *testing.T, p string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(p), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s: %d files, %v", p, len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, path)
		}
	}
	return all
}
