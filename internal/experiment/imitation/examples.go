package imitation

import (
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/tensor"
)

// splitSeed decides which episodes are held out.
const splitSeed = 42

// examples are the windows of all episodes, those that are held out last. The first and the last
// frame of an episode stand for those outside.
type examples struct {
	learned, held *dataset.Windows
	told          []tensor.Batch // normalised, in the order in which the policy is told them
	actions       tensor.Batch   // normalised
	horizon       int
	observations  int
	size          int // of what is told about one frame
}

func newExamples(r Recipe, p *policy.Policy, frames *lerobot.Frames) (*examples, error) {
	keep, err := dataset.Split(len(frames.Ends), r.Validation, splitSeed)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(keep))
	for i := range keep {
		out[i] = !keep[i]
	}
	x := &examples{horizon: r.Horizon, observations: r.Observations}
	for dst, keep := range map[**dataset.Windows][]bool{&x.learned: keep, &x.held: out} {
		w, err := dataset.NewWindows(frames.Ends, dataset.WindowOptions{
			Length: r.Horizon, PadBefore: r.Observations - 1, PadAfter: r.Actions - 1, Keep: keep,
		})
		if err != nil {
			return nil, err
		}
		*dst = w
	}
	c := p.Config()
	for _, f := range append(c.Inputs, c.Action) {
		v := frames.Vectors[f.Key].Clone()
		p.Normalize(v.Data, v.Data, f)
		if f.Type == policy.Action {
			x.actions = v
			continue
		}
		x.told = append(x.told, v)
		x.size += f.Size()
	}
	if x.learned.Len() == 0 {
		return nil, &DataError{"every episode is too short for a plan: record longer ones, or choose a smaller horizon"}
	}
	return x, nil
}

// Len implements [train.Data].
func (x *examples) Len() int { return x.learned.Len() + x.held.Len() }

// HeldOut says how many are held out: see [train.Data].
func (x *examples) HeldOut() int { return x.held.Len() }

// Shape implements [train.Data].
func (x *examples) Shape() tensor.Shape {
	return tensor.Shape{x.horizon, x.actions.Size()}
}

// ConditionShape implements [train.Data].
func (x *examples) ConditionShape() tensor.Shape { return tensor.Shape{x.observations * x.size} }

// Example implements [train.Data].
func (x *examples) Example(actions, condition []float32, i int) {
	w := x.learned
	if i >= w.Len() {
		w, i = x.held, i-w.Len()
	}
	w.Gather(actions, x.actions, i)
	start, lo, hi := w.At(i)
	for t := range x.observations {
		row := max(lo, min(hi-1, start+t))
		for _, v := range x.told {
			condition = condition[copy(condition, v.Sample(row)):]
		}
	}
}
