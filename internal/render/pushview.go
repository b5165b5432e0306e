package render

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// PushView is what pictures of manipulation show: pairs of runs in which a disk,
// the agent, pushes a block towards a goal. Coordinates are those of an image, x to
// the right and y down; pictures keep them so.
type PushView struct {
	Title, Note string
	Size        float64 // side of the square window
	Step        float64 // seconds between states
	Block       []geom.Polygon
	Goal        PushPose
	Radius      float64 // of the agent
	Limit       float64 // highest speed, in units of [PushRunView.Speeds]; 0 for none
	Pairs       []PushPairView
}

// PushPose is where the block is and its angle.
type PushPose struct {
	At    geom.Vec2
	Angle float64
}

// PushPairView is a pair of runs from the same start.
type PushPairView struct {
	Name    string
	Members [2]PushRunView
}

// PushRunView is one run: states at steps 0, 1, ..., and what happens between
// them.
type PushRunView struct {
	Agent   []geom.Vec2
	Block   []PushPose // as many as Agent
	Rewards []float64  // after each step, one fewer
	Speeds  []float64  // of the targets, one for each step
	Facts   []Fact
}

// PushViewError says why runs cannot be drawn.
type PushViewError struct {
	Pair, Member int // -1 when the reason concerns none in particular
	Reason       string
}

func (e *PushViewError) Error() string {
	if e.Pair < 0 {
		return "render: manipulation: " + e.Reason
	}
	return fmt.Sprintf("render: manipulation: pair %d, member %d: %s", e.Pair, e.Member, e.Reason)
}

func (v PushView) check() error {
	if !(v.Size > 0) || !(v.Step > 0) || len(v.Pairs) == 0 {
		return &PushViewError{-1, -1, fmt.Sprintf("a window of %v, %v seconds between states and %d pairs; want positive numbers", v.Size, v.Step, len(v.Pairs))}
	}
	for k, p := range v.Pairs {
		for m, r := range p.Members {
			if reason := r.check(); reason != "" {
				return &PushViewError{k, m, reason}
			}
		}
	}
	return nil
}

func (r PushRunView) check() string {
	n := len(r.Agent)
	if n < 2 || len(r.Block) != n || len(r.Rewards) != n-1 || len(r.Speeds) != n-1 {
		return fmt.Sprintf("%d places of the agent, %d of the block, %d rewards and %d speeds; want one fewer of the last two, and a step at least",
			n, len(r.Block), len(r.Rewards), len(r.Speeds))
	}
	for h := range r.Agent {
		if !r.Agent[h].IsFinite() || !r.Block[h].At.IsFinite() || math.IsNaN(r.Block[h].Angle) || math.IsInf(r.Block[h].Angle, 0) {
			return fmt.Sprintf("state %d is not finite", h)
		}
	}
	return ""
}

// flip turns the coordinates of an image into those of pictures, whose y points up.
func (v PushView) flip(p geom.Vec2) geom.Vec2 { return geom.Vec2{X: p.X, Y: v.Size - p.Y} }

func (v PushView) flipPose(p PushPose) pose { return pose{at: v.flip(p.At), angle: -p.Angle} }

func (v PushView) ground() MapView {
	return MapView{Bounds: geom.Box{Max: geom.Vec2{X: v.Size, Y: v.Size}}}
}

// parts returns the block in its own frame, y up.
func (v PushView) parts() []geom.Polygon {
	out := make([]geom.Polygon, len(v.Block))
	for i, part := range v.Block {
		for _, q := range part {
			out[i] = append(out[i], geom.Vec2{X: q.X, Y: -q.Y})
		}
	}
	return out
}

// memberNames are the titles of the two runs of a pair.
var memberNames = [2]string{"first member", "second member"}

// AnimatePush returns the animation of pairs: both members side by side, and a
// viewer chooses the pair.
func AnimatePush(v PushView) (*Animation, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	a := &Animation{title: printable(v.Title), note: printable(v.Note), step: v.Step}
	goal := v.flipPose(v.Goal)
	for _, name := range memberNames {
		a.stages = append(a.stages, stage{title: name, ground: v.ground(), unit: "px", down: true, actors: []actor{
			{name: "agent", label: "agent", radius: v.Radius},
			{name: "block", label: "", parts: v.parts(), goal: &goal},
		}})
	}
	for k, p := range v.Pairs {
		t := take{name: printable(p.Name)}
		if t.name == "" {
			t.name = fmt.Sprint("pair ", k)
		}
		for _, r := range p.Members {
			t.runs = append(t.runs, v.run(r))
		}
		a.takes = append(a.takes, t)
	}
	return a, nil
}

func (v PushView) run(r PushRunView) run {
	out := run{facts: r.Facts, poses: make([][]pose, 2)}
	for h, p := range r.Agent {
		out.poses[0] = append(out.poses[0], pose{at: v.flip(p)})
		out.poses[1] = append(out.poses[1], v.flipPose(r.Block[h]))
	}
	reward := chart{title: "reward", lines: []chartLine{{actor: 1, values: [][2]float64{{0, r.Rewards[0]}}}},
		levels: []chartLevel{{actor: -1, value: 1, label: "done"}}}
	for h, x := range r.Rewards {
		reward.lines[0].values = append(reward.lines[0].values, [2]float64{float64(h + 1), x})
	}
	speed := chart{title: "speed of the target", unit: "normalised units per 0.01 s", kind: Speeding,
		lines: []chartLine{{actor: 0, steps: r.Speeds}}}
	if l := limited(v.Limit); l > 0 {
		speed.levels = []chartLevel{{actor: -1, value: l, label: "limit"}}
	}
	out.charts = []chart{reward, speed}
	return out
}
