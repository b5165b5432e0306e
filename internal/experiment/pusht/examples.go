package pusht

import (
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/push"
	"github.com/go-pcd/pcd/tensor"
)

// Numbers of the published training.
const (
	splitSeed = 42
	// mirrorClearance is how far from the walls the block must stay, in pixels, in
	// an episode that is mirrored; the walls are one pixel off the symmetry.
	mirrorClearance = 2
)

// examples are the windows of demonstrations, normalised: those of the episodes to
// learn from, their mirror images, and those held out.
type examples struct {
	parts []windowed // the last is held out
	first []int      // number of the first example of each part
	n     int
}

// windowed are the windows of some episodes.
type windowed struct {
	windows              *dataset.Windows
	observation, actions tensor.Batch // normalised rows
}

// newExamples divides demonstrations by episodes as the published code does:
// windows of one episode overlap and must not lie on both sides.
func newExamples(d *pusht.Demonstrations, s push.Spec, validation float64, mirror bool) (*examples, error) {
	keep, err := dataset.Split(d.Episodes(), validation, splitSeed)
	if err != nil {
		return nil, err
	}
	x := &examples{}
	if err := x.add(d, keep, s); err != nil {
		return nil, err
	}
	if mirror {
		m, episodes := d.Mirrored(mirrorClearance)
		learned := make([]bool, len(episodes))
		for i, e := range episodes {
			learned[i] = keep[e]
		}
		if err := x.add(m, learned, s); err != nil {
			return nil, err
		}
	}
	held := slices.Clone(keep)
	for i := range held {
		held[i] = !held[i]
	}
	return x, x.add(d, held, s)
}

// add appends the windows of the episodes to keep.
func (x *examples) add(d *pusht.Demonstrations, keep []bool, s push.Spec) error {
	w, err := dataset.NewWindows(d.EpisodeEnds, dataset.WindowOptions{
		Length: push.Horizon, PadBefore: pusht.ObservationSteps - 1, PadAfter: pusht.ActionSteps - 1, Keep: keep,
	})
	if err != nil {
		return err
	}
	p := windowed{windows: w, observation: d.Observations.Clone(), actions: d.Actions.Clone()}
	s.Observation.Normalize(p.observation, p.observation)
	s.Action.Normalize(p.actions, p.actions)
	x.parts = append(x.parts, p)
	x.first = append(x.first, x.n)
	x.n += w.Len()
	return nil
}

// Len implements [train.Data].
func (x *examples) Len() int { return x.n }

// HeldOut says how many are held out: see [train.Data].
func (x *examples) HeldOut() int { return x.parts[len(x.parts)-1].windows.Len() }

// Shape implements [train.Data].
func (x *examples) Shape() tensor.Shape { return tensor.Shape{push.Horizon, 2} }

// ConditionShape implements [train.Data].
func (x *examples) ConditionShape() tensor.Shape {
	return tensor.Shape{pusht.ObservationSteps * pusht.ObservationSize}
}

// Example implements [train.Data].
func (x *examples) Example(actions, condition []float32, i int) {
	k := len(x.parts) - 1
	for i < x.first[k] {
		k--
	}
	p, i := x.parts[k], i-x.first[k]
	p.windows.Gather(actions, p.actions, i)
	start, lo, hi := p.windows.At(i)
	for t := range pusht.ObservationSteps {
		row := max(lo, min(hi-1, start+t))
		copy(condition[t*pusht.ObservationSize:], p.observation.Sample(row))
	}
}
