package kernel

import (
	"fmt"
	"os"
	"strings"
)

// Kind is a family of kernels.
type Kind int

// The kinds, from the one that runs everywhere to the fastest.
const (
	Portable Kind = iota // Go
	AVX2                 // AVX2 and FMA, 256-bit vectors
	AVX512               // AVX-512F, 512-bit vectors
	AMX                  // those and matrix tiles of bfloat16, for products of images
)

var kindNames = [...]string{"portable", "avx2", "avx512", "amx"}

// String returns the name of the kind, as PCD_KERNEL spells it.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Variable is the environment variable that overrides the selection.
const Variable = "PCD_KERNEL"

// SelectionError says why an override of the selection is not in force.
type SelectionError struct {
	Value string // what the variable says
	Known bool   // it names a kind, but not one this machine or build can run
	Best  Kind   // the fastest kind that runs here
}

func (e *SelectionError) Error() string {
	var names []string
	for k := Portable; k <= e.Best; k++ {
		names = append(names, k.String())
	}
	what := "is not a kernel"
	if e.Known {
		what = "cannot run on this CPU or build"
	}
	return fmt.Sprintf("%s=%s %s; choose one of %s, or unset it", Variable, e.Value, what, strings.Join(names, ", "))
}

// selected is the kind in force, active that of its vector kernels, and tiled says whether
// products of images are computed on matrix tiles. Tests change them by force.
var (
	selected, selectionError = choose(os.Getenv(Variable), detect())
	active, tiled            = min(selected, AVX512), selected == AMX
)

// force puts a kind in force.
func force(k Kind) { selected, active, tiled = k, min(k, AVX512), k == AMX }

// Selected returns the kind in force and a [SelectionError] when that is not the
// one PCD_KERNEL asks for.
func Selected() (Kind, error) { return selected, selectionError }

// choose returns the kind for a value of the variable on a machine that can run
// every kind up to best.
func choose(value string, best Kind) (Kind, error) {
	if value == "" {
		return best, nil
	}
	for k, name := range kindNames {
		if value == name {
			if Kind(k) > best {
				return best, &SelectionError{Value: value, Known: true, Best: best}
			}
			return Kind(k), nil
		}
	}
	return best, &SelectionError{Value: value, Best: best}
}
