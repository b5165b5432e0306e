package nn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// Architecture describes a network that was recognised in a file. Exactly one of
// Temporal, Conditional and Classifier is set.
type Architecture struct {
	Prefix      string                         `json:"prefix"` // of the network's tensors, for instance "model."
	Parameters  int                            `json:"parameters"`
	Temporal    *TemporalUNetArchitecture      `json:"temporal_unet,omitempty"`
	Conditional *conditionalUNet1DArchitecture `json:"conditional_unet1d,omitempty"`
	Classifier  *ClassifierConfig              `json:"classifier,omitempty"`
}

// ArchitectureError says why the tensors that look like a network are not one.
type ArchitectureError struct {
	Network string // the kind of network
	Prefix  string
	Reason  string
}

func (e *ArchitectureError) Error() string {
	return fmt.Sprintf("nn: tensors under %q look like a %s, but %s", e.Prefix, e.Network, e.Reason)
}

// Recognise finds the networks in a file from the names and shapes of its tensors,
// in file order; a file can hold several, for instance a model and its moving
// average. It returns none for tensors it does not know, and an
// [ArchitectureError] for a network that is incomplete or contradicts itself.
func Recognise(sd *weights.StateDict) ([]Architecture, error) {
	var found []Architecture
	for _, t := range sd.Tensors() {
		prefix, ok := cutMark(t.Name)
		if !ok {
			continue
		}
		a, err := recognise(tensors{sd: sd, prefix: prefix})
		if err != nil {
			return found, err
		}
		if a != nil {
			found = append(found, *a)
		}
	}
	return found, nil
}

// marks are the ends of names of tensors that every known network has one of: the last
// of both networks of sequences, the first of a classifier.
var marks = []string{"final_conv.1.weight", "backbone.conv1.weight"}

// cutMark returns what is before a mark.
func cutMark(name string) (prefix string, ok bool) {
	for _, m := range marks {
		if prefix, ok = strings.CutSuffix(name, m); ok {
			return prefix, true
		}
	}
	return "", false
}

// recognise returns the network under a prefix, nil if none is known.
func recognise(p tensors) (*Architecture, error) {
	a := &Architecture{Prefix: p.prefix}
	var layout func() ([]weights.Spec, error)
	var err error
	switch {
	case p.has("time_mlp.encoder.1.weight"):
		p.network = "temporal U-Net"
		if a.Temporal, err = recogniseTemporal(p); err == nil {
			layout = a.Temporal.anyHorizon().Layout
		}
	case p.has("diffusion_step_encoder.1.weight"):
		p.network = "conditional U-Net"
		if a.Conditional, err = recogniseConditional(p); err == nil {
			layout = a.Conditional.anyHorizon().Layout
		}
	case p.has("backbone.layer1.0.conv1.weight"):
		p.network = "classifier"
		if a.Classifier, err = recogniseClassifier(p); err == nil {
			layout = a.Classifier.layout
		}
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	specs, err := layout()
	if err != nil {
		return nil, p.fail("%v", err)
	}
	a.Parameters, err = p.complete(specs)
	return a, err
}

// tensors are those of a file under a prefix.
type tensors struct {
	sd      *weights.StateDict
	prefix  string
	network string
}

func (p tensors) has(name string) bool {
	_, ok := p.sd.Tensor(p.prefix + name)
	return ok
}

// shape returns the shape of a tensor that must have the given number of axes,
// none of them empty.
func (p tensors) shape(name string, rank int) ([]int, error) {
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
func (p tensors) levels(name func(level int) string) (widths []int, first []int, err error) {
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
func (p tensors) complete(layout []weights.Spec) (int, error) {
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

func (p tensors) fail(format string, args ...any) error {
	return &ArchitectureError{Network: p.network, Prefix: p.prefix, Reason: fmt.Sprintf(format, args...)}
}
