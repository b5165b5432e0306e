package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// check compares the types of everything that the packages in a folder, and their tests, consist
// of on the chosen platforms. It finds what a compiler refuses, and makes no code, which for the
// dependencies alone would take minutes. Tests need a Unix.
func check(ctx context.Context, dir, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	for _, p := range chosen {
		packages, err := list(ctx, dir, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := checkAll(packages, p.arch); err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Printf("%s, %d packages\n", p, len(packages))
	}
	return nil
}

// source is a package as the go command lists it; that of a test has the files of both.
type source struct {
	ImportPath, Dir          string
	GoFiles, SFiles, Imports []string
	ImportMap                map[string]string // from the path in an import to that of the package
	Module                   *struct{ Main bool }
}

// ours says whether a package is of the module that is released.
func (s source) ours() bool { return s.Module != nil && s.Module.Main }

// list returns the packages, their tests and what they import.
func list(ctx context.Context, dir string, p platform) ([]source, error) {
	c := exec.CommandContext(ctx, "go", "list", "-deps", fmt.Sprintf("-test=%t", p.os != "windows"),
		"-json=ImportPath,Dir,GoFiles,SFiles,Imports,ImportMap,Module", "./...")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []source
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var s source
		if err := d.Decode(&s); err != nil {
			return nil, err
		}
		if !strings.HasSuffix(s.ImportPath, ".test") { // those are written by the go command
			packages = append(packages, s)
		}
	}
	return packages, nil
}

// checkAll checks packages, each after those that it imports.
func checkAll(packages []source, arch string) error {
	c := checker{files: token.NewFileSet(), sizes: types.SizesFor("gc", arch), turns: make(chan bool, runtime.GOMAXPROCS(0)),
		packages: map[string]func() (*types.Package, error){"unsafe": func() (*types.Package, error) { return types.Unsafe, nil }}}
	for _, s := range packages {
		if s.ImportPath != "unsafe" {
			c.packages[s.ImportPath] = sync.OnceValues(func() (*types.Package, error) { return c.check(s) })
		}
	}
	errs := make([]error, len(packages))
	var all sync.WaitGroup
	for i, s := range packages {
		all.Go(func() {
			if _, errs[i] = c.packages[s.ImportPath](); errors.Is(errs[i], errImport) {
				errs[i] = nil // the error of what is imported says it
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// checker checks packages of one platform.
type checker struct {
	files    *token.FileSet
	sizes    types.Sizes
	turns    chan bool // bounds how many are checked at a time
	packages map[string]func() (*types.Package, error)
}

// errImport stands for the error of a package that another one imports.
var errImport = errors.New("a package that is imported has errors")

// check returns the types of a package. Bodies of functions matter where they are the module's.
func (c *checker) check(s source) (*types.Package, error) {
	imported := map[string]*types.Package{}
	for _, path := range s.Imports {
		p, err := c.packages[path]()
		if err != nil {
			return nil, errImport
		}
		imported[path] = p
	}
	c.turns <- true
	defer func() { <-c.turns }()
	files, err := c.parse(s)
	if err != nil {
		return nil, err
	}
	config := types.Config{Sizes: c.sizes, IgnoreFuncBodies: !s.ours(), Importer: importer(func(path string) (*types.Package, error) {
		if to, ok := s.ImportMap[path]; ok {
			path = to
		}
		return imported[path], nil
	})}
	var errs []error
	config.Error = func(err error) { errs = append(errs, err) }
	p, _ := config.Check(s.ImportPath, c.files, files, nil) // it is the first of these
	return p, errors.Join(append(errs, c.bodies(s, files))...)
}

// parse reads the files of a package.
func (c *checker) parse(s source) ([]*ast.File, error) {
	var files []*ast.File
	for _, name := range s.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(s.Dir, name)
		}
		f, err := parser.ParseFile(c.files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// bodies refuses functions without one in a package of the module that has no assembly.
func (c *checker) bodies(s source, files []*ast.File) error {
	if !s.ours() || len(s.SFiles) > 0 {
		return nil
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
				return fmt.Errorf("%s: %s has no body, and there is no assembly", c.files.Position(f.Pos()), f.Name.Name)
			}
		}
	}
	return nil
}

// importer finds the packages that one imports.
type importer func(path string) (*types.Package, error)

func (i importer) Import(path string) (*types.Package, error) { return i(path) }
