package pcd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// openers are functions that open whatever lies at a path: they wait for a pipe, and read
// a device without end.
var openers = map[string]bool{
	"os.Open": true, "os.OpenFile": true, "os.ReadFile": true, "os.DirFS": true, "os.OpenRoot": true, "os.OpenInRoot": true,
	"syscall.Open": true, "zip.OpenReader": true, "ioutil.ReadFile": true,
}

// opens lists who may call them, with the reason.
var opens = map[string]string{
	"internal/regular":             "looks first",
	"internal/atomicfile":          "folders that it made itself, to lock them",
	"internal/jobs":                "what it has made itself, in its store",
	"internal/memory":              "what the system says of memory",
	"internal/manifest/machine.go": "what the system says of the processor",
	"internal/golden":              "vectors of the tests",
	"internal/kernel/asm/glue":     "the source beside which it writes, when it is developed",
}

// Files that a user names are opened by package internal/regular alone.
func TestFilesAreOpenedInOnePlace(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	used := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		file = filepath.ToSlash(file)
		ast.Inspect(parsed, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			from, ok := s.X.(*ast.Ident)
			if !ok || !openers[from.Name+"."+s.Sel.Name] {
				return true
			}
			for _, who := range []string{file, filepath.ToSlash(filepath.Dir(file))} {
				if opens[who] != "" {
					used[who] = true
					return true
				}
			}
			t.Errorf("%s calls %s.%s: open files with package internal/regular", file, from.Name, s.Sel.Name)
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for who := range opens {
		if !used[who] {
			t.Errorf("%s opens nothing by itself, and needs no exception", who)
		}
	}
}
