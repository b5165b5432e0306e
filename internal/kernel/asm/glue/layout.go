package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// layoutRow is a number of layout.go with the field that it belongs to.
var layoutRow = regexp.MustCompile(`(?m)^(\s*\w+\s*= )\d+(\s*// )(size of )?(\w+)(?:\.(\w+))?`)

// writeLayout writes the numbers of a file.
func (s *structs) writeLayout(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var failed error
	text = layoutRow.ReplaceAllFunc(text, func(line []byte) []byte {
		m := layoutRow.FindSubmatch(line)
		n, err := s.number(string(m[4]), string(m[5]))
		failed = errors.Join(failed, err)
		return fmt.Appendf(nil, "%s%d%s", m[1], n, line[bytes.Index(line, m[2]):])
	})
	return errors.Join(failed, write(file, text))
}

// structs are those of a package.
type structs struct {
	scope *types.Scope
	sizes types.Sizes
}

// load reads the package in a folder. What it imports is left open: no field of an
// argument has a type of another package.
func load(dir string) (*structs, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_other.go") || strings.HasSuffix(name, "_portable.go") {
			continue
		}
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	config := types.Config{IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}, Importer: nil}
	p, _ := config.Check("kernel", set, files, nil) // errors are of imports, which are not read
	return &structs{p.Scope(), types.SizesFor("gc", "amd64")}, nil
}

// number returns the offset of a field of a struct, or the size of the struct without one.
func (s *structs) number(name, field string) (int64, error) {
	t := s.scope.Lookup(name)
	if t == nil {
		return 0, fmt.Errorf("there is no type %s", name)
	}
	of, ok := t.Type().Underlying().(*types.Struct)
	if !ok {
		return 0, fmt.Errorf("%s is no struct", name)
	}
	if field == "" {
		return s.sizes.Sizeof(of), nil
	}
	var fields []*types.Var
	for i := range of.NumFields() {
		fields = append(fields, of.Field(i))
	}
	for i, at := range s.sizes.Offsetsof(fields) {
		if fields[i].Name() == field {
			return at, nil
		}
	}
	return 0, fmt.Errorf("%s has no field %s", name, field)
}
