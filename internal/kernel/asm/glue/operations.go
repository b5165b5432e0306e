package main

import (
	"bytes"
	"fmt"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// operations are the kernels that are called by the number of an operation: the type of the
// number, what its constants leave out of the names of the kernels, the function that calls
// them and its argument.
var operations = []struct{ number, kernels, function, argument string }{
	{"op", "", "runSweep", "s *sweep"},
	{"rowOp", "", "runRow", "r *rowRun"},
	{"planarOp", "", "runPlanar", "p *planarRun"},
	{"filterOp", "filter", "runFilter", "f *filterRun"},
	{"chainOp", "chain", "runChain", "c *Chains"},
	{"Format", "dots", "runDots", "d *dotsRun"},
	{"spanOp", "", "runSpan", "s *span"},
}

// writeOperations writes the functions that call kernels by number.
func (s *structs) writeOperations(file string, stubs []stub) error {
	var b bytes.Buffer
	b.WriteString(header + "// The kernels are called directly, not through tables, so that their arguments stay on\n// the stack.\n\n")
	for _, o := range operations {
		sets := []string{"AVX512", "AVX2"}
		names := s.constants(o.number)
		if find(stubs, o.kernels, names[0], "AVX512") == "" {
			sets = sets[1:]
		}
		argument, _, _ := strings.Cut(o.argument, " ")
		functions := []string{o.function}
		if len(sets) > 1 {
			functions = nil
			for _, set := range sets {
				functions = append(functions, o.function+set)
			}
			fmt.Fprintf(&b, "func %s(op %s, %s) {\nif active == AVX512 {\n%s(op, %s)\n} else {\n%s(op, %s)\n}\n}\n\n",
				o.function, o.number, o.argument, functions[0], argument, functions[1], argument)
		} else {
			fmt.Fprintf(&b, "// %s runs the AVX2 kernels on CPUs with AVX-512, too.\n", o.function)
		}
		for i, set := range sets {
			if err := writeSwitch(&b, functions[i], o.number, o.argument, names, func(name string) string { return find(stubs, o.kernels, name, set) }); err != nil {
				return err
			}
		}
	}
	return write(file, b.Bytes())
}

// screen is how many operations a function chooses among; it leaves the others to a next one.
const screen = 24

// writeSwitch writes a function that calls the kernel of an operation.
func writeSwitch(b *bytes.Buffer, function, number, argument string, names []string, kernelOf func(name string) string) error {
	value, _, _ := strings.Cut(argument, " ")
	fmt.Fprintf(b, "func %s(op %s, %s) {\nswitch op {\n", function, number, argument)
	these, others := names[:min(screen, len(names))], names[min(screen, len(names)):]
	for _, name := range these {
		kernel := kernelOf(name)
		if kernel == "" {
			return fmt.Errorf("no kernel of %s for %s", name, function)
		}
		fmt.Fprintf(b, "case %s:\n%s(%s)\n", name, kernel, value)
	}
	if len(others) == 0 {
		b.WriteString("}\n}\n\n")
		return nil
	}
	next := "more" + strings.ToUpper(function[:1]) + function[1:]
	fmt.Fprintf(b, "default:\n%s(op, %s)\n}\n}\n\n", next, value)
	return writeSwitch(b, next, number, argument, others, kernelOf)
}

// find returns the kernel of an operation for an instruction set, "" when there is none.
// Names differ in the case of their letters: opGELU is gelu.
func find(stubs []stub, prefix, operation, set string) string {
	want := prefix + strings.TrimPrefix(operation, "op") + set
	for _, s := range stubs {
		if strings.EqualFold(s.name, want) {
			return s.name
		}
	}
	return ""
}

// constants lists the constants of a type in the order of their values.
func (s *structs) constants(name string) []string {
	t := s.scope.Lookup(name).Type()
	var all []*types.Const
	for _, n := range s.scope.Names() {
		if c, ok := s.scope.Lookup(n).(*types.Const); ok && types.Identical(c.Type(), t) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b *types.Const) int {
		x, _ := constant.Int64Val(a.Val())
		y, _ := constant.Int64Val(b.Val())
		return int(x - y)
	})
	var out []string
	for _, c := range all {
		out = append(out, c.Name())
	}
	return out
}
