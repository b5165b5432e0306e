package pcd_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The surface of the last release, and what has changed since: a line that begins
// with "-" takes away what programs may use.
const (
	released  = "api/v0.1.0.txt"
	sinceThen = "api/next.txt"
)

// TestAPI holds the public surface to that of the last release and the changes that are
// written down, so that nobody takes a name away without seeing it.
func TestAPI(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	var now []string
	for _, p := range publicPackages() {
		now = append(now, surface(t, p)...)
	}
	slices.Sort(now)
	before := linesOf(t, released)
	changes := append(changed("-", before, now), changed("+", now, before)...)
	if *update {
		if err := os.WriteFile(sinceThen, []byte(joined(changes)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := linesOf(t, sinceThen); !slices.Equal(changes, want) {
		t.Errorf("the public surface has changed since the last release by\n%s\nand %s says\n%s\nWhere that is meant, go test . -run TestAPI -update writes it.", joined(changes), sinceThen, joined(want))
	}
}

// changed lists the lines of one surface that another lacks.
func changed(sign string, of, in []string) (all []string) {
	has := map[string]bool{}
	for _, l := range in {
		has[l] = true
	}
	for _, l := range of {
		if !has[l] {
			all = append(all, sign+" "+l)
		}
	}
	return all
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}

func linesOf(t *testing.T, name string) []string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return l == "" })
}

// surface lists what a package exports, a line for every function, method, type, field,
// constant and variable.
func surface(t *testing.T, p string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.FromSlash(p), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.FileExports(file)
		for _, d := range file.Decls {
			for _, l := range declared(d) {
				all = append(all, p+": "+l)
			}
		}
		for _, l := range lent(t, file) {
			all = append(all, p+": "+l)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// lent lists what types of internal packages bring under a name of a public one: their
// methods, and what their values hold.
func lent(t *testing.T, file *ast.File) (all []string) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		to, ours := inModule(path)
		if !ours || !isInternal(to) && owner(to) == "" {
			continue
		}
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = to
	}
	for _, d := range file.Decls {
		types, ok := d.(*ast.GenDecl)
		if !ok || types.Tok != token.TYPE {
			continue
		}
		for _, s := range types.Specs {
			s := s.(*ast.TypeSpec)
			of, ok := s.Type.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			pkg, ok := of.X.(*ast.Ident)
			if from := imports[pkg.Name]; ok && from != "" {
				all = append(all, under(surface(t, from), of.Sel.Name, s.Name.Name)...)
			}
		}
	}
	return all
}

// under lists the lines of a type, without those that name it itself, under another name.
func under(lines []string, name, other string) (all []string) {
	own := regexp.MustCompile(`^[^:]+: (func \((?:\w+ )?\*?|type )` + name + `(\) .*| (?:struct|interface), .*)$`)
	for _, l := range lines {
		if m := own.FindStringSubmatch(l); m != nil {
			all = append(all, m[1]+other+m[2])
		}
	}
	return all
}

// declared lists what a declaration exports.
func declared(d ast.Decl) (all []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if !onExported(d) {
			return nil
		}
		d.Body, d.Doc = nil, nil
		all = append(all, printed(d))
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.ValueSpec:
				for _, n := range s.Names {
					all = append(all, fmt.Sprintf("%s %s", d.Tok, n.Name))
				}
			case *ast.TypeSpec:
				all = append(all, typed(s)...)
			}
		}
	}
	return all
}

// typed lists a type and what can be named of it.
func typed(s *ast.TypeSpec) (all []string) {
	members := func(kind string, list *ast.FieldList) {
		all = append(all, fmt.Sprintf("type %s %s", s.Name, kind))
		for _, f := range list.List {
			names := f.Names
			if len(names) == 0 {
				names = []*ast.Ident{{Name: ""}}
			}
			for _, n := range names {
				all = append(all, fmt.Sprintf("type %s %s, %s %s", s.Name, kind, n.Name, printed(f.Type)))
			}
		}
	}
	switch u := s.Type.(type) {
	case *ast.StructType:
		members("struct", u.Fields)
	case *ast.InterfaceType:
		members("interface", u.Methods)
	default:
		all = append(all, fmt.Sprintf("type %s %s", s.Name, printed(u)))
	}
	return all
}

// printed writes a node on one line.
func printed(n ast.Node) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), n); err != nil {
		panic(err) // a buffer takes everything, and the node was parsed
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// onExported reports whether a declaration is a function or a method of an exported type:
// what others do they do as values of interfaces.
func onExported(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	of := d.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.IndexListExpr:
			of = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return true
		}
	}
}
