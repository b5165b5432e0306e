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
	for _, p := range chosen {
		n, err := checkOn(ctx, dir, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		fmt.Printf("%s, %d packages\n", p, n)
	}
	return nil
}

// checkOn checks packages, and all that they import, on a platform, and returns how many they are.
func checkOn(ctx context.Context, dir string, p platform) (n int, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return 0, err
	}
	all, err := packages.Load(&packages.Config{
		Context: ctx, Dir: dir, Tests: p.os != "windows", Env: append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch),
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedModule | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesSizes,
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			return parse(files, name, text, !strings.HasPrefix(name, dir+string(filepath.Separator)))
		},
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

// parse reads a file. Bodies of functions matter where they are the module's: with those of others a check takes 1.4 times as
// long, and twice the memory.
func parse(files *token.FileSet, name string, text []byte, bodiless bool) (*ast.File, error) {
	f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if f == nil || !bodiless {
		return f, err
	}
	for _, d := range f.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
	return f, err
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
