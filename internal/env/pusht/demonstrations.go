package pusht

import (
	"fmt"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// Demonstrations are recorded episodes of the task, one after the other. Row i of
// the observations belongs to the same moment as the action that was then chosen.
type Demonstrations struct {
	Observations tensor.Batch // [rows, 20], px
	Actions      tensor.Batch // [rows, 2], px
	States       []State      // of every row
	EpisodeEnds  []int64      // one past the last row of each episode
}

// The arrays of the published replay buffer that are read.
const (
	actionArray   = "action"
	keypointArray = "keypoint"
	stateArray    = "state"
)

// ReadDemonstrations reads the published replay buffer, a zarr folder, or an .npz
// file with the same arrays: action [rows, 2], keypoint [rows, 9, 2], state
// [rows, 5]. It returns the errors of [dataset.OpenReplay], a
// [dataset.FormatError] for arrays of another shape, and a
// [tensor.NonFiniteError].
func ReadDemonstrations(path string) (*Demonstrations, error) {
	b, err := dataset.OpenReplay(path, dataset.ReplayOptions{Keys: []string{actionArray, keypointArray, stateArray}})
	if err != nil {
		return nil, err
	}
	actions, err := rows(b, actionArray, 2)
	if err != nil {
		return nil, err
	}
	keypoints, err := rows(b, keypointArray, Keypoints, 2)
	if err != nil {
		return nil, err
	}
	states, err := rows(b, stateArray, 5)
	if err != nil {
		return nil, err
	}
	d := &Demonstrations{Actions: actions, EpisodeEnds: b.EpisodeEnds, Observations: tensor.New(actions.N, ObservationSize)}
	for i := range actions.N {
		s := states.Sample(i)
		row := d.Observations.Sample(i)
		copy(row[copy(row, keypoints.Sample(i)):], s[:2])
		d.States = append(d.States, stateOfRow(s))
	}
	return d, nil
}

func stateOfRow(s []float32) State {
	var a [5]float64
	for i, v := range s {
		a[i] = float64(v)
	}
	return StateOf(a)
}

// rows returns an array as a batch whose samples have the given shape.
func rows(b *dataset.ReplayBuffer, name string, shape ...int) (tensor.Batch, error) {
	a, err := b.Array(name)
	if err != nil {
		return tensor.Batch{}, err
	}
	x, err := a.Batch()
	if err != nil {
		return x, err
	}
	if !x.Shape.Equal(shape) {
		return x, &dataset.FormatError{Part: name, Reason: fmt.Sprintf("has shape %v, want rows of shape %v", a.Shape, tensor.Shape(shape))}
	}
	return x, x.CheckFinite()
}

// Episodes returns the number of episodes.
func (d *Demonstrations) Episodes() int { return len(d.EpisodeEnds) }

// Rows returns the rows [lo, hi) of an episode.
func (d *Demonstrations) Rows(episode int) (lo, hi int) {
	b := dataset.ReplayBuffer{EpisodeEnds: d.EpisodeEnds}
	return b.Episode(episode)
}

// Episode returns an episode for [Replay].
func (d *Demonstrations) Episode(episode int) Demonstration {
	lo, hi := d.Rows(episode)
	e := Demonstration{States: d.States[lo:hi]}
	for i := lo; i < hi; i++ {
		a := d.Actions.Sample(i)
		e.Actions = append(e.Actions, geom.Vec2{X: float64(a[0]), Y: float64(a[1])})
	}
	return e
}
