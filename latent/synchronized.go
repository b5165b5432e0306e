package latent

import (
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/tensor"
)

// Synchronized is several images that are drawn together by SyncDiffusion: before every
// step, latents move down the gradient of a cost of the pictures that their clean
// estimates decode to, and the step is taken from where that led. The gradient is raw:
// through the network, both halves of its guidance, and the decoder, neither normalised
// nor scaled by the noise.
//
// Source: Lee et al., "SyncDiffusion: coherent montage via synchronized joint
// diffusions" (NeurIPS 2023), for views that do not overlap.
type Synchronized struct {
	Members  []Member // without exemplars: nothing is projected
	Dynamics pcd.Dynamics
	Codec    Codec
	Pair     cost.Cost // of two pictures of [-1, 1]
	Weight   float64   // of the gradient at the first step; published: 1.3
	Decay    float64   // of the weight from step to step; published: 0.99, 0 is 1
	// Together moves all members towards each other. Otherwise those beside the anchor
	// move, and the anchor, the middle one, is drawn as if it were alone.
	Together bool
}

// anchor returns the number of the member that does not move, -1 if there is none.
func (s Synchronized) anchor() int {
	if s.Together {
		return -1
	}
	return len(s.Members) / 2
}

// Passes returns how often a step passes the network and the decoder for a member, there or
// back: the estimate and, where the member moves, its gradient, and the network once more
// from where that led.
func (s Synchronized) Passes(member int) (network, decoder int) {
	if member == s.anchor() {
		return 2, 1
	}
	return 3, 2
}

// Problem returns the images as a problem of one variable for each member. Estimates are
// those of the dynamics without a clip.
func (s Synchronized) Problem() (pcd.Problem, error) {
	if len(s.Members) < 2 {
		return pcd.Problem{}, &SettingError{Name: "members", Value: len(s.Members), Want: "at least two"}
	}
	if s.Weight != 0 && !settings.SyncWeight.Allows(s.Weight) {
		return pcd.Problem{}, &SettingError{Name: "sync weight", Value: s.Weight, Want: settings.SyncWeight.Range()}
	}
	if !(s.Decay >= 0 && s.Decay <= 1) {
		return pcd.Problem{}, &SettingError{Name: "sync decay", Value: s.Decay, Want: "0, which is 1, to 1"}
	}
	p := pcd.Problem{Dynamics: s.Dynamics}
	down := descent{dynamics: s.Dynamics, cost: pictured{s.Codec, s.cost()}, weight: s.Weight, decay: s.Decay}
	if s.Decay == 0 {
		down.decay = 1
	}
	var shapes []tensor.Shape
	for _, m := range s.Members {
		if m.Exemplars.N > 0 || len(m.Bounds) > 0 {
			return pcd.Problem{}, &SettingError{Name: "exemplars of " + m.Name, Value: m.Exemplars.N, Want: "none: SyncDiffusion projects on nothing"}
		}
		model, ok := m.Model.(denoise.Linearizer)
		if !ok {
			return pcd.Problem{}, fmt.Errorf("latent: model of %s: %w", m.Name, denoise.ErrNotDifferentiable)
		}
		p.Variables = append(p.Variables, pcd.Variable{Name: m.Name, Model: m.Model})
		down.models, shapes = append(down.models, model), append(shapes, model.Shape())
	}
	p.Before = down
	return p, down.cost.Check(shapes)
}

// cost returns the cost of all pictures: that of every member and the anchor, or of all
// pairs.
func (s Synchronized) cost() cost.Cost {
	if s.Together {
		return cost.Pairwise(s.Pair)
	}
	var edges []cost.Edge
	for i := range s.Members {
		if i != s.anchor() {
			edges = append(edges, cost.Edge{I: min(i, s.anchor()), J: max(i, s.anchor())})
		}
	}
	return cost.Detach(cost.Graph(s.Pair, edges...), s.anchor())
}
