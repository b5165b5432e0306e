package plan

import (
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Problem returns the joint sampling problem of a team: one variable per robot.
func (t Team) Problem(m Method, gamma float64, s Settings) (pcd.Problem, error) {
	t = s.on(t)
	dynamics, err := s.dynamics(t.Robots[0].Model.schedule)
	if err != nil {
		return pcd.Problem{}, err
	}
	p := pcd.Problem{Dynamics: dynamics, Cadence: s.cadence()}
	for _, r := range t.Robots {
		v, err := t.variable(r, m.Projected(), s)
		if err != nil {
			return p, err
		}
		if s.holdsStaying() && t.stays(r) {
			v.Conditions = []pcd.Condition{r.staying()}
		}
		p.Variables = append(p.Variables, v)
	}
	if m.Projected() && !s.ExactProjection {
		joint, err := t.newStacked()
		if err != nil {
			return p, err
		}
		p.Constraints = []pcd.Constraint{{Name: "speed limits", Project: joint}}
	}
	if n := s.SeparationSteps; n > 0 {
		set, err := t.newContactFree()
		if err != nil {
			return p, err
		}
		p.Constraints = append(p.Constraints, pcd.Constraint{Name: contactFreeName, Project: set, Window: pcd.Window{To: n}})
	}
	if c := t.coupling(m.Coupling()); c != nil && len(t.Robots) > 1 {
		p.Couplings = append(p.Couplings, t.guidance("robots", c, gamma, s))
	}
	if m.Coupling() != Uncoupled || s.GuideAll {
		p.BeforeNoise = heldMeans(p.Variables)
		obstacles, boundary := t.obstacles(s.SquaredObstacles)
		weight := t.obstacleWeight(m.Coupling(), s)
		p.Couplings = append(p.Couplings, t.guidance("obstacles", obstacles, weight, s), t.guidance("boundary", boundary, weight, s))
	}
	return p, nil
}

// variable returns the trajectory of a robot: it starts at rest at the start and,
// while the goal is held, ends at rest at the goal.
func (t Team) variable(r Robot, projected bool, s Settings) (pcd.Variable, error) {
	start, goal := r.Model.state(r.Start), r.Model.state(r.Goal)
	held := pcd.Condition{Offset: (r.Model.Waypoints() - 1) * channels, Values: goal, Window: pcd.Window{From: 1}}
	if s.PinGoal {
		held.Window = pcd.Window{}
	}
	v := pcd.Variable{Name: r.Name, Model: r.Model.Net, Conditions: []pcd.Condition{{Values: start}, held}}
	if !projected || !s.ExactProjection || math.IsInf(r.Limit, 1) {
		return v, nil
	}
	path := project.Path{Start: position(start), Skip: 1}
	if s.PinGoal {
		path.Goal = position(goal)
	}
	var err error
	v.Project, err = project.NewSpeedLimit(t.stepLimit(r), path)
	return v, err
}

// position returns the position in a state.
func position(state tensor.Batch) tensor.Batch {
	return tensor.Batch{N: 1, Shape: tensor.Shape{2}, Data: state.Data[:2]}
}

// coupling returns the cost between the robots in map units; nil for none. The
// published offset and range are 1.9 and 6 radii; between different robots the
// mean of the radii counts.
func (t Team) coupling(kind Coupling) cost.Cost {
	switch kind {
	case LogBarrier:
		return t.barriers()
	case SquaredHinge:
		crowd := cost.Crowd{}
		for _, r := range t.Robots {
			crowd.Reach = append(crowd.Reach, hingeReach*r.Radius)
		}
		return crowd
	default:
		return nil
	}
}

const (
	barrierOffset = 1.9 // of the mean radius of a pair
	hingeReach    = 3   // of each radius of a pair
)

// barriers returns the log barriers of all pairs.
func (t Team) barriers() cost.Cost {
	equal := true
	for _, r := range t.Robots {
		equal = equal && r.Radius == t.Robots[0].Radius
	}
	if equal {
		return cost.Pairwise(cost.LogBarrier{Alpha: barrierOffset * t.Robots[0].Radius})
	}
	var pairs []cost.Cost
	for j := range t.Robots {
		for i := range j {
			alpha := barrierOffset * (t.Robots[i].Radius + t.Robots[j].Radius) / 2
			pairs = append(pairs, cost.Graph(cost.LogBarrier{Alpha: alpha}, cost.Edge{I: i, J: j}))
		}
	}
	return cost.Sum(pairs...)
}

// obstacles returns the costs of obstacles and of the boundary of the map.
func (t Team) obstacles(squared bool) (obstacles, boundary cost.Cost) {
	var inside, outside []cost.Cost
	for _, r := range t.Robots {
		margin := nav2d.GuideMargin(r.Radius)
		inside = append(inside, nav2d.ObstacleCost{Map: t.Map, Margin: margin, Squared: squared})
		outside = append(outside, nav2d.BoundaryCost{Map: t.Map, Margin: margin, Squared: squared})
	}
	return cost.Each(inside...), cost.Each(outside...)
}

// obstacleWeight returns the weight of the obstacle costs beside a coupling: 2 when
// they are squared, so that a step of guidance ends as far outside the margin as it
// began inside, for other robots may push the other way; otherwise that of the
// reference configuration, or of the paper.
func (t Team) obstacleWeight(c Coupling, s Settings) float64 {
	if s.SquaredObstacles {
		return 2
	}
	if s.BarrierObstacles && c == LogBarrier {
		return paperObstacleWeight
	}
	return known(t.Map.Facts.ObstacleWeight, otherObstacleWeight)
}

// paperObstacleWeight is the weight that the paper states for all maps.
const paperObstacleWeight = 0.1

// guidance returns a cost in map units as a coupling with the conventions of the
// reference: taken at the posterior mean, clipped per waypoint, not applied to the
// waypoints at both ends.
func (t Team) guidance(name string, c cost.Cost, weight float64, s Settings) pcd.Coupling {
	if s.Between > 0 {
		c = cost.NewSwept(c, s.Between)
	}
	return pcd.Coupling{
		Name: name, Cost: newInMapUnits(c, t, s), Strength: weight, At: pcd.AtMean,
		Transforms: []pcd.Transform{pcd.ClipPoints{Max: 1}, pcd.ZeroPoints{0, -1}},
	}
}
