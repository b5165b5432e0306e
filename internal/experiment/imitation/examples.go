package imitation

import (
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/tensor"
)

// splitSeed decides which episodes are held out.
const splitSeed = 42

// examples are the windows of all episodes, those that are held out last. The first and the last
// frame of an episode stand for those outside.
type examples struct {
	learned, held *dataset.Windows
	told          []tensor.Batch // vectors, normalised, in the order in which the policy is told them
	actions       tensor.Batch   // normalised
	horizon       int
	observations  int
	size          int // of the vectors that are told about one frame
}

func newExamples(r Recipe, p *policy.Policy, d *Demonstrations) (*examples, error) {
	ends := d.frames.Ends
	keep, err := dataset.Split(len(ends), r.Validation, splitSeed)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(keep))
	for i := range keep {
		out[i] = !keep[i]
	}
	x := &examples{horizon: r.Horizon, observations: r.Observations}
	for dst, keep := range map[**dataset.Windows][]bool{&x.learned: keep, &x.held: out} {
		w, err := dataset.NewWindows(ends, dataset.WindowOptions{
			Length: r.Horizon, PadBefore: r.Observations - 1, PadAfter: r.Actions - 1, Keep: keep,
		})
		if err != nil {
			return nil, err
		}
		*dst = w
	}
	for _, f := range d.features {
		if f.Type == policy.Visual {
			continue
		}
		v := d.frames.Vectors[f.Key].Clone()
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
	w, k := x.window(i)
	w.Gather(actions, x.actions, k)
	for _, row := range x.rows(i) {
		for _, v := range x.told {
			condition = condition[copy(condition, v.Sample(row)):]
		}
	}
}

// window returns the windows that an example is of, and its number among them.
func (x *examples) window(i int) (*dataset.Windows, int) {
	if i >= x.learned.Len() {
		return x.held, i - x.learned.Len()
	}
	return x.learned, i
}

// rows returns the frames that an example is told, the oldest first.
func (x *examples) rows(i int) (rows []int) {
	w, k := x.window(i)
	start, lo, hi := w.At(k)
	for t := range x.observations {
		rows = append(rows, max(lo, min(hi-1, start+t)))
	}
	return rows
}
