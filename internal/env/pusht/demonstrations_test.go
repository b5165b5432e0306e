package pusht_test

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/tensor"
)

// circling pushes a block around: one that stays in the middle, or one that ends at
// a wall.
func circling(t *testing.T, toWall bool) pusht.Demonstration {
	start := at(180, 330, 256, 220, 0.4)
	if toWall {
		start = at(256, 330, 256, 160, 0)
	}
	var actions []geom.Vec2
	for k := range 40 {
		a := 0.15 * float64(k)
		target := geom.Vec2{X: 256 + 90*math.Cos(2.3+a), Y: 300 + 60*math.Sin(2.3+a)}
		if toWall {
			target = geom.Vec2{X: 256, Y: 400 - 12*float64(k)}
		}
		actions = append(actions, target)
	}
	return recorded(t, start, actions)
}

// buffer returns the arrays of a replay buffer of demonstrations.
func buffer(all ...pusht.Demonstration) *dataset.ReplayBuffer {
	var actions, keypoints, states []float32
	b := &dataset.ReplayBuffer{}
	for _, d := range all {
		for i, s := range d.States {
			actions = append(actions, float32(d.Actions[i].X), float32(d.Actions[i].Y))
			for k, v := range s.Observe(nil) {
				if k < 2*pusht.Keypoints {
					keypoints = append(keypoints, float32(v))
				}
			}
			for _, v := range s.Array() {
				states = append(states, float32(v))
			}
		}
		b.EpisodeEnds = append(b.EpisodeEnds, int64(len(states)/5))
	}
	n := len(states) / 5
	b.Arrays = []dataset.Array{
		{Name: "action", Shape: []int{n, 2}, Data: actions},
		{Name: "keypoint", Shape: []int{n, 9, 2}, Data: keypoints},
		{Name: "state", Shape: []int{n, 5}, Data: states},
	}
	return b
}

func read(t *testing.T, b *dataset.ReplayBuffer) (*pusht.Demonstrations, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "replay.npz")
	if err := b.WriteNPZ(path); err != nil {
		t.Fatal(err)
	}
	return pusht.ReadDemonstrations(path)
}

func TestReadDemonstrations(t *testing.T) {
	first, second := circling(t, false), circling(t, true)
	d, err := read(t, buffer(first, second))
	if err != nil {
		t.Fatal(err)
	}
	if d.Episodes() != 2 || d.Observations.N != 80 {
		t.Fatalf("%d episodes and %d rows, want 2 and 80", d.Episodes(), d.Observations.N)
	}
	got := d.Episode(1)
	for i, s := range second.States {
		if got.States[i] != s {
			t.Fatalf("state %d of episode 1 is %v, want %v", i, got.States[i], s)
		}
		row := d.Observations.Sample(40 + i)
		for k, v := range s.Observe(nil) {
			if row[k] != float32(v) {
				t.Fatalf("observation %d, number %d is %v, want %v", i, k, row[k], v)
			}
		}
	}
}

func TestReadDemonstrationsRefusesBadData(t *testing.T) {
	bad := func(change func(*dataset.ReplayBuffer)) error {
		b := buffer(circling(t, false))
		change(b)
		_, err := read(t, b)
		return err
	}
	var key *dataset.FormatError
	if err := bad(func(b *dataset.ReplayBuffer) { b.Arrays[1].Name = "img" }); !errors.As(err, &key) || !strings.Contains(err.Error(), "no array") {
		t.Errorf("without keypoints: %v", err)
	}
	var shape *dataset.FormatError
	if err := bad(func(b *dataset.ReplayBuffer) { b.Arrays[1].Shape = []int{40, 18} }); !errors.As(err, &shape) || !strings.Contains(err.Error(), "has shape [40 18]") {
		t.Errorf("flat keypoints: %v", err)
	}
	var finite *tensor.NonFiniteError
	if err := bad(func(b *dataset.ReplayBuffer) { b.Arrays[0].Data.([]float32)[5] = float32(math.NaN()) }); !errors.As(err, &finite) {
		t.Errorf("NaN action: %v", err)
	}
}

// The actions of a mirrored episode lead to the mirror images of its states, but for
// the rounding of the mirrored actions to float32.
func TestMirroredEpisodesObeyThePhysics(t *testing.T) {
	d, err := read(t, buffer(circling(t, true), circling(t, false)))
	if err != nil {
		t.Fatal(err)
	}
	m, episodes := d.Mirrored(2)
	if len(episodes) != 1 || episodes[0] != 1 {
		t.Fatalf("episodes %v are mirrored, want the one away from the walls, 1", episodes)
	}
	r, err := pusht.Replay(m.Episode(0))
	if err != nil {
		t.Fatal(err)
	}
	original, err := pusht.Replay(d.Episode(1))
	if err != nil {
		t.Fatal(err)
	}
	moved := false
	for i, s := range original.Trajectory {
		moved = moved || s.Block.Position.Dist(original.Trajectory[0].Block.Position) > 20
		want, got := s.Mirror().Array(), r.Trajectory[i].Array()
		for k := range want {
			if math.Abs(want[k]-got[k]) > 2e-4 {
				t.Fatalf("state %d, number %d is %v, want %v", i, k, got[k], want[k])
			}
		}
		if c, w := pusht.Coverage(r.Trajectory[i].Block), pusht.Coverage(s.Block); math.Abs(c-w) > 1e-5 {
			t.Fatalf("coverage of state %d is %v, want %v", i, c, w)
		}
	}
	if !moved {
		t.Error("the block was not pushed")
	}
	for i := range m.States {
		if got, want := m.Observations.Sample(i)[18], float32(m.States[i].Agent.X); got != want {
			t.Fatalf("observation %d has the agent at %v, want %v", i, got, want)
		}
	}
}

func TestClearance(t *testing.T) {
	for _, c := range []struct{ x, y, angle, want float64 }{
		{100, 200, 0, 33}, {256, 20, 0, 13}, {256, 380, 0, 4}, {256, 100, math.Pi, -27}, {440, 200, 0, 4},
	} {
		got := pusht.Clearance(pusht.Pose{Position: geom.Vec2{X: c.x, Y: c.y}, Angle: c.angle})
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("clearance at (%v, %v, %v) is %v, want %v", c.x, c.y, c.angle, got, c.want)
		}
	}
}
