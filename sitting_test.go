package pcd_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"testing"
)

// The page that follows a sample from the call to the end of a step leads through few
// files, which one reads in one sitting.
func TestSamplerInOneSitting(t *testing.T) {
	const mostFiles, mostLines = 5, 650
	page, err := os.ReadFile("docs/how-a-sample-is-drawn.md")
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, stop := range regexp.MustCompile("(?m)^\\| ([a-z ]+) \\| `[^|]+` \\| `([a-z]+\\.go)` \\|").FindAllStringSubmatch(string(page), -1) {
		if stop[1] != "certificate" && !slices.Contains(files, stop[2]) {
			files = append(files, stop[2])
		}
	}
	lines := 0
	for _, name := range files {
		lines += linesOfDeclarations(t, name)
	}
	if len(files) < 3 || len(files) > mostFiles || lines > mostLines {
		t.Errorf("the stops of a step are in %v, %d lines, want at most %d files and %d lines", files, lines, mostFiles, mostLines)
	}
}

// linesOfDeclarations counts the lines of a file from one declaration to the next, with
// comments and without imports.
func linesOfDeclarations(t *testing.T, name string) (lines int) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		from := d.Pos()
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			if d.Doc != nil {
				from = d.Doc.Pos()
			}
		}
		lines += 2 + set.Position(d.End()).Line - set.Position(from).Line // with the empty one
	}
	return lines
}
