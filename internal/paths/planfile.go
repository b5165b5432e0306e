package paths

import (
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
	}
}

// planVersion is the version of plan.json that is read.
const planVersion = 2

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
	case p.Version != planVersion:
		return nil, broken(name, 0, "version %d of plan.json, want %d", p.Version, planVersion)
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
