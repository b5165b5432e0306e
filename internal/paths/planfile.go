package paths

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
)

// planFile is what is read of plan.json.
type planFile struct {
	Version int
	Motion  string
	Times   []float64
	Robots  []struct {
		Name   string
		Radius float64
	}
	Plan, Nearest *struct {
		Trajectories map[string][][]float64
		Certificate  struct {
			Certified bool
			Lateness  float64
			Margins   []struct {
				Constraint string
				Margin     float64
			}
		}
		Proof *struct {
			Traffic []struct {
				Name  string
				Times []float64
			}
			Pairs, Obstacles [][6]float64
			Late             [][8]float64
			Lateness         float64
		}
	}
}

// Versions of plan.json, which rise when a key moves or changes its meaning; new keys do not raise
// them. The newest is written; older ones, whose proofs have more rows than are needed, are read as
// well.
const OldestPlan, NewestPlan = 2, 3

// readPlan reads plan.json: its plan or, where there is none, what came nearest to one.
func readPlan(name string, o object) (*File, error) {
	var p planFile
	if err := o.decode(name, &p); err != nil {
		return nil, err
	}
	shown := p.Plan
	if shown == nil {
		shown = p.Nearest
	}
	switch {
	case p.Version < OldestPlan || p.Version > NewestPlan:
		return nil, broken(name, 0, "version %d of plan.json, want %d to %d", p.Version, OldestPlan, NewestPlan)
	case shown == nil:
		return nil, broken(name, 0, "it has neither a plan nor what came nearest to one")
	case p.Motion != "" && p.Motion != "polyline" && p.Motion != "curve":
		return nil, broken(name, 0, "motion %s is not known, want polyline or curve", quote.Text(p.Motion))
	}
	claim := &Claim{Certified: shown == p.Plan && shown.Certificate.Certified, Lateness: shown.Certificate.Lateness, Margins: map[string]float64{}, Radii: map[string]float64{}}
	for _, m := range shown.Certificate.Margins {
		claim.Margins[m.Constraint] = m.Margin
	}
	for _, r := range p.Robots {
		claim.Radii[r.Name] = r.Radius
	}
	var err error
	if claim.Proof, err = p.proof(name); err != nil {
		return nil, err
	}
	f := &File{Kind: Plan, Claim: claim}
	for robot, states := range shown.Trajectories {
		way := Path{Robot: robot, Times: slices.Clone(p.Times)}
		if len(states) != len(p.Times) {
			return nil, broken(name, 0, "robot %s has %d waypoints, want one for each of %d times", quote.Text(robot), len(states), len(p.Times))
		}
		for h, s := range states {
			if len(s) != 4 {
				return nil, broken(name, 0, "robot %s: waypoint %d has %d numbers, want x, y, vx, vy", quote.Text(robot), h, len(s))
			}
			way.X = append(way.X, geom.Vec2{X: s[0], Y: s[1]})
			if p.Motion == "curve" {
				way.V = append(way.V, geom.Vec2{X: s[2], Y: s[3]})
			}
		}
		f.Paths = append(f.Paths, way)
	}
	return f, nil
}

// proof returns the proof of the plan, nil if it has none.
func (p *planFile) proof(name string) (*Proof, error) {
	if p.Plan == nil || p.Plan.Proof == nil {
		return nil, nil
	}
	stored, out := p.Plan.Proof, &Proof{}
	for _, r := range p.Robots {
		out.Robots = append(out.Robots, r.Name)
	}
	for _, r := range stored.Traffic {
		out.Traffic = append(out.Traffic, r.Name)
	}
	for k, row := range stored.Pairs {
		var moments []float64 // that rows count instead of waypoints
		if j := int(row[1]) - len(p.Robots); p.Motion != "curve" && j >= 0 && j < len(stored.Traffic) {
			moments = stored.Traffic[j].Times
		}
		if err := p.inSeconds(row[2:4], moments); err != nil {
			return nil, broken(name, 0, "row %d of the proof of pairs: %v", k, err)
		}
		out.Pairs = append(out.Pairs, row)
	}
	for k, row := range stored.Obstacles {
		if err := p.inSeconds(row[2:4], nil); err != nil {
			return nil, broken(name, 0, "row %d of the proof of obstacles: %v", k, err)
		}
		out.Obstacles = append(out.Obstacles, row)
	}
	for k, row := range stored.Late {
		if err := p.inSeconds(row[2:6], nil); err != nil {
			return nil, broken(name, 0, "row %d of the proof for late robots: %v", k, err)
		}
		out.Late = append(out.Late, row)
	}
	if n := len(p.Times); n > 1 {
		out.Lateness = stored.Lateness * (p.Times[n-1] - p.Times[0]) / float64(n-1)
	}
	return out, nil
}

// beyond returns by how many waypoints proofs about robots at rest and traffic may go on after the
// last one: to the end of the duration, and for as long as robots may be late.
func (p *planFile) beyond() float64 {
	last := len(p.Times) - 1
	if last < 1 {
		return 1
	}
	return max(1, math.Ceil(p.Plan.Certificate.Lateness/(p.Times[last]-p.Times[last-1])+1))
}

// inSeconds makes seconds of times that count waypoints or, where there are moments, these, which are in
// waypoints themselves.
func (p *planFile) inSeconds(times, moments []float64) error {
	for k, at := range times {
		if n := len(moments); n > 0 {
			if !(at >= 0 && at < float64(n)) {
				return fmt.Errorf("moment %v, and there are %d", at, n)
			}
			at = moments[int(at)]
		}
		last := len(p.Times) - 1
		if !(at >= 0 && at <= float64(last)+p.beyond()) {
			return fmt.Errorf("waypoint %v, and the last one is %d", at, last)
		}
		h := min(int(at), last)
		times[k] = p.Times[h]
		if part := at - float64(h); part > 0 && last > 0 {
			i := min(h, last-1)
			times[k] += part * (p.Times[i+1] - p.Times[i])
		}
	}
	return nil
}
