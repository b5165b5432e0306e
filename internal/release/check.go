package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/tools/go/packages"
)

// check compares the types of everything that the packages in a folder, and their tests, consist
// of on the chosen platforms. It finds what a compiler refuses, and makes no code, which for the
// dependencies alone would take minutes. Tests need a Unix.
func check(ctx context.Context, dir, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return err
	}
	read := &sources{module: dir + string(filepath.Separator), files: token.NewFileSet(), parsed: map[string]*ast.File{}}
	for _, p := range chosen {
		n, err := read.checkOn(ctx, dir, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Printf("%s, %d packages\n", p, n)
	}
	return nil
}

// sources are files that were read: most of them are those of several platforms, which do not change them.
type sources struct {
	module string // what names of its files begin with
	files  *token.FileSet
	mu     sync.Mutex
	parsed map[string]*ast.File // without mistakes
}

// checkOn checks packages, and all that they import, on a platform, and returns how many they are.
func (s *sources) checkOn(ctx context.Context, dir string, p platform) (n int, err error) {
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Tests: p.os != "windows", Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		Fset: s.files, ParseFile: s.parse,
	}, "./...")
	if err != nil {
		return 0, err
	}
	var errs []error
	told := map[string]bool{} // a package is loaded once more with its tests
	packages.Visit(all, nil, func(q *packages.Package) {
		n++
		for _, err := range mistakes(q) {
			if !told[err.Error()] {
				told[err.Error()], errs = true, append(errs, err)
			}
		}
	})
	return n, errors.Join(errs...)
}

// parse reads a file, once. Bodies of functions matter where they are the module's: with those of others a check takes 1.4
// times as long, and twice the memory.
func (s *sources) parse(files *token.FileSet, name string, text []byte) (*ast.File, error) {
	s.mu.Lock()
	f := s.parsed[name]
	s.mu.Unlock()
	if f != nil {
		return f, nil
	}
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	if !strings.HasPrefix(name, s.module) {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				f.Body = nil
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parsed[name] = f
	return f, nil
}

// mistakes returns those of a package of the module: what the compiler finds, and functions without a body where there is no
// assembly. Main packages of tests are written by the go command.
func mistakes(q *packages.Package) (errs []error) {
	if q.Module == nil || !q.Module.Main || strings.HasSuffix(q.PkgPath, ".test") {
		return nil
	}
	for _, err := range q.Errors {
		errs = append(errs, err)
	}
	for _, f := range q.Syntax {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && len(q.OtherFiles) == 0 {
				errs = append(errs, fmt.Errorf("%s: %s has no body, and there is no assembly", q.Fset.Position(f.Pos()), f.Name.Name))
			}
		}
	}
	return errs
}
