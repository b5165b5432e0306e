package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// arguments are the structs that kernels take, by the beginning of their names. The longest
// one counts.
var arguments = map[string]string{
	"product": "tile", "transposed": "outer", "adam": "adam", "normals": "normalRun", "clamp": "clampRun",
	"filter": "filterRun", "planar": "planarRun", "transpose": "transposeRun", "row": "rowRun", "softmax": "softmaxRun",
	"split": "splitRun", "dots": "dotsRun", "amx": "tileRun", "chain": "Chains", "center": "span", "dot3": "span", "combine3": "span", "apart": "span",
	"": "sweep",
}

// stub is a function in assembly.
type stub struct{ name, parameters string }

// declared lists the functions of the assembly, but those that ask the processor, whose
// declarations are beside their use.
func declared(dir string) (stubs []stub, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_amd64.s"))
	if err != nil {
		return nil, err
	}
	function := regexp.MustCompile(`(?m)^// func (\w+)\((.*)\)$`)
	for _, file := range files {
		if filepath.Base(file) == "processor_amd64.s" {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, m := range function.FindAllSubmatch(text, -1) {
			stubs = append(stubs, stub{string(m[1]), typed(string(m[1]), string(m[2]))})
		}
	}
	if len(stubs) == 0 {
		return nil, fmt.Errorf("%s has no assembly", dir)
	}
	return stubs, nil
}

// typed returns the parameters of a function with their Go types: the assembly knows
// structs as bytes.
func typed(name, parameters string) string {
	if strings.Contains(parameters, ",") || !strings.HasSuffix(parameters, "*uint8") {
		return strings.ReplaceAll(parameters, "*uint8", "*byte")
	}
	longest := ""
	for prefix := range arguments {
		if strings.HasPrefix(name, prefix) && len(prefix) > len(longest) {
			longest = prefix
		}
	}
	return strings.Replace(parameters, "uint8", arguments[longest], 1)
}

// writeStubs writes the declarations.
func writeStubs(file string, stubs []stub) error {
	var b bytes.Buffer
	b.WriteString(header)
	for _, s := range slices.SortedFunc(slices.Values(stubs), func(a, b stub) int { return strings.Compare(a.name, b.name) }) {
		if strings.Contains(s.parameters, "*") {
			b.WriteString("//go:noescape\n")
		}
		fmt.Fprintf(&b, "func %s(%s)\n\n", s.name, s.parameters)
	}
	return write(file, b.Bytes())
}
