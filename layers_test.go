package pcd_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/go-pcd/pcd"

// levels orders the packages: a package imports lower levels only. Packages of
// one level may import each other where sideways names the pair. Packages under
// internal/ are of level 0, and may import each other, unless they are listed.
var levels = map[string]int{
	"tensor": 0, "noise": 0, "geom": 0,
	"schedule": 1, "denoise": 1, "cost": 1, "project": 1,
	"denoisetest": 2, "costtest": 2, "projecttest": 2,
	".": 2, "nn": 2, "weights": 2, "dataset": 2,
	"train": 3, "env/nav2d": 3, "env/pusht": 3, "plan": 3, "metric": 3, "push": 3,
	"experiment": 4, "experiment/toy": 4, "experiment/navigation": 4, "experiment/manipulation": 4, "render": 4,
	"cmd/pcd": 5,

	"internal/nnbench": 4, "internal/projectbench": 4,
}

// sideways lists the imports within a level that the design names.
var sideways = map[[2]string]bool{
	{"denoise", "schedule"}:                   true,
	{"plan", "env/nav2d"}:                     true,
	{"plan", "metric"}:                        true,
	{"experiment/toy", "experiment"}:          true,
	{"experiment/navigation", "experiment"}:   true,
	{"experiment/manipulation", "experiment"}: true,
	{"push", "env/pusht"}:                     true,
	{"push", "metric"}:                        true,
}

// TestImportsPointDown reads the imports of every package and fails on one that
// points up, on an unknown package and on an import of a command.
func TestImportsPointDown(t *testing.T) {
	packages := map[string]bool{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		from := filepath.ToSlash(filepath.Dir(file))
		packages[from] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if to, ok := inModule(name); ok {
				checkImport(t, file, from, to)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !packages["."] || !packages["cmd/pcd"] {
		t.Errorf("the walk found only %v", packages)
	}
}

// inModule returns the path of an import within the module.
func inModule(name string) (string, bool) {
	if name == module {
		return ".", true
	}
	return strings.CutPrefix(name, module+"/")
}

func checkImport(t *testing.T, file, from, to string) {
	t.Helper()
	upper, ok := level(from)
	if !ok {
		t.Errorf("%s: package %s has no level", file, from)
		return
	}
	lower, ok := level(to)
	if !ok {
		t.Errorf("%s imports %s, which has no level", file, to)
		return
	}
	inner := isInternal(from) && isInternal(to)
	if lower > upper || lower == upper && !inner && !(isInternal(to) && upper == 0) && !sideways[[2]string{from, to}] {
		t.Errorf("%s: %s (level %d) imports %s (level %d)", file, from, upper, to, lower)
	}
}

func isInternal(p string) bool { return strings.HasPrefix(p, "internal/") }

// level returns the level of a package.
func level(p string) (int, bool) {
	if n, ok := levels[p]; ok {
		return n, true
	}
	return 0, isInternal(p)
}
