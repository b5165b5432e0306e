package toy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// Method is a way to sample a pair of blocks.
type Method string

// The methods, under their names on the command line.
const (
	Conditional Method = "conditional" // the big block first, then the small one given it
	Coupled     Method = "coupled"     // jointly, without constraints
	PCD         Method = "pcd"         // jointly, both between the walls
	PD          Method = "pd"          // projected diffusion: between the walls, without coupling
	CG          Method = "cg"          // classifier guidance: the big block given a small one in the middle
)

// Methods lists the methods in the order of the published figure.
func Methods() []Method { return []Method{Conditional, Coupled, PCD, PD, CG} }

// ParseMethods returns the methods that a name stands for: one, or "all".
func ParseMethods(name string) ([]Method, error) {
	if name == "all" {
		return Methods(), nil
	}
	if m := Method(name); slices.Contains(Methods(), m) {
		return []Method{m}, nil
	}
	var names []string
	for _, m := range Methods() {
		names = append(names, string(m))
	}
	return nil, fmt.Errorf("unknown method %q; the methods are %s and all", name, strings.Join(names, ", "))
}

// Strength returns the coupling strength of the published runs of a method.
func (m Method) Strength() float64 {
	switch m {
	case Conditional:
		return sequenceStrength
	case PD:
		return 0
	default:
		return jointStrength
	}
}

// problem returns the problem of a method that samples both blocks at once. Its
// variables are the big block and the small block.
func (m Method) problem(strength float64) pcd.Problem {
	big, small := bigBlock(), smallBlock()
	p := pcd.Problem{Dynamics: Dynamics}
	if m == PCD || m == PD {
		big.Project, small.Project = between(FeasibleBig), between(FeasibleSmall)
	}
	if m == CG {
		small.Init, small.Model = pcd.Values(at(Middle)), nil
	}
	p.Variables = []pcd.Variable{big, small}
	if strength != 0 {
		p.Couplings = []pcd.Coupling{barrier(strength)}
	}
	return p
}

// Problem returns the problem of a method that samples both blocks at once, as published.
func (m Method) Problem() pcd.Problem { return m.problem(m.Strength()) }

// given returns the problem of drawing the small block next to big blocks that
// are already there.
func given(big tensor.Batch, strength float64) pcd.Problem {
	first := bigBlock()
	first.Init, first.Model = pcd.Values(big), nil
	return pcd.Problem{
		Variables: []pcd.Variable{first, smallBlock()},
		Couplings: []pcd.Coupling{barrier(strength)},
		Dynamics:  Dynamics,
	}
}

// pinned is projected coupled diffusion with the small block held in the middle
// by a constraint, the form in which it becomes classifier guidance.
func pinned(strength float64) pcd.Problem {
	p := Coupled.problem(strength)
	p.Variables[1].Project = between([2]float64{Middle, Middle})
	p.Variables[1].Init = pcd.Values(at(Middle))
	return p
}
