package weights

import (
	"fmt"
	"slices"
	"strings"
)

// Architecture describes a network that was recognised in a file. Exactly one of
// Temporal and Conditional is set.
type Architecture struct {
	Prefix      string             `json:"prefix"` // of the network's tensors, for instance "model."
	Parameters  int                `json:"parameters"`
	Temporal    *TemporalUNet      `json:"temporal_unet,omitempty"`
	Conditional *ConditionalUNet1D `json:"conditional_unet1d,omitempty"`
}

// ArchitectureError says why the tensors that look like a network are not one.
type ArchitectureError struct {
	Network string // the kind of network
	Prefix  string
	Reason  string
}

func (e *ArchitectureError) Error() string {
	return fmt.Sprintf("weights: tensors under %q look like a %s, but %s", e.Prefix, e.Network, e.Reason)
}

// Infer finds the networks in a file from the names and shapes of its tensors,
// in file order; a file can hold several, for instance a model and its moving
// average. It returns none for tensors it does not know, and an
// [ArchitectureError] for a network that is incomplete or contradicts itself.
func Infer(sd *StateDict) ([]Architecture, error) {
	const last = "final_conv.1.weight" // both kinds of network end with it
	var found []Architecture
	for _, t := range sd.tensors {
		prefix, ok := strings.CutSuffix(t.Name, last)
		if !ok {
			continue
		}
		p := probe{sd: sd, prefix: prefix}
		a := Architecture{Prefix: prefix}
		var layout []Spec
		var err error
		switch {
		case p.has("time_mlp.encoder.1.weight"):
			p.network = "temporal U-Net"
			a.Temporal, err = inferTemporal(p)
			if err == nil {
				layout = a.Temporal.Layout()
			}
		case p.has("diffusion_step_encoder.1.weight"):
			p.network = "conditional U-Net"
			a.Conditional, err = inferConditional(p)
			if err == nil {
				layout = a.Conditional.Layout()
			}
		default:
			continue
		}
		if err != nil {
			return found, err
		}
		if a.Parameters, err = p.complete(layout); err != nil {
			return found, err
		}
		found = append(found, a)
	}
	return found, nil
}

// probe looks at the tensors under a prefix.
type probe struct {
	sd      *StateDict
	prefix  string
	network string
}

func (p probe) has(name string) bool {
	_, ok := p.sd.Tensor(p.prefix + name)
	return ok
}

// shape returns the shape of a tensor that must have the given number of axes,
// none of them empty.
func (p probe) shape(name string, rank int) ([]int, error) {
	t, ok := p.sd.Tensor(p.prefix + name)
	if !ok {
		return nil, p.fail("%s is missing", name)
	}
	if len(t.Shape) != rank || slices.Contains(t.Shape, 0) {
		return nil, p.fail("%s has shape %v, want %d axes", name, t.Shape, rank)
	}
	return t.Shape, nil
}

// levels returns the output channels and the shape of the first convolution of
// each level, from a name with the number of the level.
func (p probe) levels(name func(level int) string) (widths []int, first []int, err error) {
	for k := 0; p.has(name(k)); k++ {
		s, err := p.shape(name(k), 3)
		if err != nil {
			return nil, nil, err
		}
		if k == 0 {
			first = s
		}
		widths = append(widths, s[0])
	}
	if len(widths) < 2 {
		return nil, nil, p.fail("it has %d levels, want at least 2", len(widths))
	}
	return widths, first, nil
}

// complete checks that every tensor of a layout is there with its shape and
// counts their elements.
func (p probe) complete(layout []Spec) (int, error) {
	count := 0
	for _, s := range layout {
		t, ok := p.sd.Tensor(p.prefix + s.Name)
		if !ok {
			return 0, p.fail("%s %v is missing", s.Name, s.Shape)
		}
		if !slices.Equal(t.Shape, s.Shape) {
			return 0, p.fail("%s has shape %v, want %v", s.Name, t.Shape, s.Shape)
		}
		count += t.Elements()
	}
	return count, nil
}

func (p probe) fail(format string, args ...any) error {
	return &ArchitectureError{Network: p.network, Prefix: p.prefix, Reason: fmt.Sprintf(format, args...)}
}

// layout collects names and shapes.
type layout []Spec

// add appends a weight and the bias that belongs to its axis.
func (l *layout) add(name string, biasAxis int, shape ...int) {
	*l = append(*l, Spec{name + ".weight", shape}, Spec{name + ".bias", []int{shape[biasAxis]}})
}

// convBlock appends a convolution of kernel k with the normalisation after it,
// whose place in the block differs between the networks.
func (l *layout) convBlock(name, norm string, in, out, k int) {
	l.add(name+".block.0", 0, out, in, k)
	l.add(name+".block."+norm, 0, out)
}
