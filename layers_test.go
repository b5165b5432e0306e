package pcd_test

import (
	"go/doc"
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
// internal/ are of level 0, and may import each other, unless they are listed. Rooms
// beneath a package, such as plan/internal/mmd, are of its level and its own.
var levels = map[string]int{
	"tensor": 0, "noise": 0, "geom": 0,
	"schedule": 1, "denoise": 1, "cost": 1, "project": 1, "weights": 1,
	"denoise/analytic": 2, "lawtest": 2, "internal/published": 2, "project/separation": 2,
	".": 2, "nn": 2, "dataset": 2,
	"policy": 3, "train": 3, "latent": 3, "modelfile": 3, "env/nav2d": 3, "internal/env/pusht": 3, "internal/env/portrait": 3, "plan": 3, "plan/route": 3, "plan/session": 3, "internal/metric": 3, "internal/metric/nav2d": 3, "internal/metric/pusht": 3, "internal/metric/images": 3, "internal/push": 3, "internal/pair": 3,
	"internal/experiment": 4, "internal/experiment/toy": 4, "internal/experiment/nav2d": 4, "internal/experiment/teams": 4, "internal/experiment/pusht": 4, "internal/experiment/portraits": 4, "internal/experiment/images": 4, "internal/render": 4, "internal/planner": 4,
	"internal/lerobot": 2, "internal/experiment/imitation": 4, "internal/epochs": 1, "examples/internal/unlearned": 6, "examples/internal/seeing": 6,
	"plan/bundled": 4, "internal/pair/bundled": 4, "internal/push/bundled": 4,
	"serve": 5, "internal/placement": 5, "cmd/pcd": 6, "examples/internal/arms": 6,

	"internal/exact": 1, "internal/gaps": 1, "internal/field": 1, "internal/singlefile": 2, "internal/maps": 1, "internal/manifest": 1, "internal/sweep": 1, "internal/heading": 1, "internal/timed": 1, "internal/passages": 1, "internal/nearby": 1, "internal/paths": 1, "internal/judge": 2, "internal/messages": 3, "internal/nnbench": 4, "internal/projectbench": 4, "internal/metamorph": 4, "internal/metamorph/scenes": 1,
	"internal/hull": 1, "internal/clipimage": 1, "internal/recorded": 3, "internal/encoded": 4, "internal/experiment/attributes": 4, "internal/samplers": 2,
}

// sideways lists the imports within a level that the design names.
var sideways = map[[2]string]bool{
	{"denoise", "schedule"}:                                    true,
	{"project", "internal/hull"}:                               true,
	{"internal/samplers", "."}:                                 true,
	{"plan", "env/nav2d"}:                                      true,
	{"plan", "plan/route"}:                                     true,
	{"plan/internal/turns", "env/nav2d"}:                       true,
	{"plan/session", "plan"}:                                   true,
	{"plan/session", "env/nav2d"}:                              true,
	{"plan", "internal/recorded"}:                              true,
	{"plan/route", "env/nav2d"}:                                true,
	{"plan", "internal/metric/nav2d"}:                          true,
	{"internal/metric/nav2d", "internal/metric"}:               true,
	{"internal/metric/pusht", "internal/metric"}:               true,
	{"internal/experiment", "internal/render"}:                 true,
	{"internal/experiment/pusht", "internal/render"}:           true,
	{"internal/experiment/toy", "internal/experiment"}:         true,
	{"internal/experiment/nav2d", "internal/experiment"}:       true,
	{"internal/experiment/teams", "internal/experiment"}:       true,
	{"internal/experiment/teams", "internal/experiment/nav2d"}: true,
	{"internal/experiment/pusht", "internal/experiment"}:       true,
	{"internal/experiment/portraits", "internal/experiment"}:   true,
	{"internal/experiment/images", "internal/experiment"}:      true,
	{"internal/experiment/images", "internal/render"}:          true,
	{"internal/experiment/attributes", "internal/experiment"}:  true,
	{"internal/experiment/attributes", "internal/encoded"}:     true,
	{"internal/experiment/portraits", "internal/encoded"}:      true,
	{"internal/experiment/imitation", "internal/experiment"}:   true,
	{"internal/planner", "internal/experiment"}:                true,
	{"internal/planner", "internal/render"}:                    true,
	{"internal/planner", "internal/experiment/toy"}:            true,
	{"latent", "modelfile"}:                                    true,
	{"plan", "modelfile"}:                                      true,
	{"internal/pair", "latent"}:                                true,
	{"internal/pair", "modelfile"}:                             true,
	{"internal/push", "policy"}:                                true,
	{"internal/push", "modelfile"}:                             true,
	{"internal/push", "internal/env/pusht"}:                    true,
	{"internal/push", "internal/metric/pusht"}:                 true,
}

// TestImportsPointDown reads the imports of every package and fails on one that
// points up, on an unknown package and on an import of a command.
func TestImportsPointDown(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
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

// TestRootDocLeadsToEveryPackage wants every public package named in the comment of
// the root.
func TestRootDocLeadsToEveryPackage(t *testing.T) {
	root, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(root.Doc.Text(), func(r rune) bool { return strings.ContainsRune(" \t\n,:;()[]", r) }) {
		named[word] = true
	}
	for p := range levels {
		if p != "." && !isInternal(p) && !isProgram(p) && !named[p] {
			t.Errorf("the package comment of the root does not name %s", p)
		}
	}
}

// TestEveryPackageHasAnExample wants a runnable example in every public package.
func TestEveryPackageHasAnExample(t *testing.T) {
	if testing.Short() {
		t.Skip("reads sources on one goroutine")
	}
	for p := range levels {
		if !isInternal(p) && owner(p) == "" && !isProgram(p) && !hasExample(t, p) {
			t.Errorf("package %s has no example with an output", p)
		}
	}
}

// hasExample reports whether go test runs an example of the package in a folder.
func hasExample(t *testing.T, dir string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range doc.Examples(file) {
			if e.Output != "" || e.EmptyOutput {
				return true
			}
		}
	}
	return false
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
	inner := isInternal(from) && isInternal(to) || owner(to) != "" && (from == owner(to) || owner(from) == owner(to))
	if lower > upper || lower == upper && !inner && !(isInternal(to) && upper == 0) && !sideways[[2]string{from, to}] {
		t.Errorf("%s: %s (level %d) imports %s (level %d)", file, from, upper, to, lower)
	}
}

func isInternal(p string) bool { return strings.HasPrefix(p, "internal/") }

// owner returns the package to which a room belongs, or "".
func owner(p string) string {
	before, _, ok := strings.Cut(p, "/internal/")
	if !ok {
		return ""
	}
	return before
}

// level returns the level of a package.
func level(p string) (int, bool) {
	if n, ok := levels[p]; ok {
		return n, true
	}
	if o := owner(p); o != "" {
		n, ok := levels[o]
		return n, ok || isInternal(p)
	}
	return 0, isInternal(p)
}

// isProgram reports whether a package is a program: nobody imports it.
func isProgram(p string) bool {
	return strings.HasPrefix(p, "cmd/") || strings.HasPrefix(p, "examples/")
}
