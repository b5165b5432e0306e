package nav2d

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

// Demonstrations of a hall are for a model whose samples are not exact: ways that graze corners
// teach it to cut them. They take the shortest way, so that a start and a goal have one and not
// several, and keep away from obstacles where there is room, as somebody does who drives.
const (
	mostComfort  = 0.05 // map units beyond the planning margin, where there is room
	leastComfort = 0.5  // of that, for a trajectory
	comfortSlope = 0.5  // by how much the margin grows with the way from an end near an obstacle
	comforts     = 4    // tries of a trajectory, with less and less
	hurriedSteps = 2.5  // by how much a step may be longer than those of the shortest way
)

// hallDraft makes a trajectory in a hall.
func (m *Map) hallDraft(rng *rand.Rand, free freeSpace, start, goal geom.Vec2) (trajectory []float32, ok bool) {
	way := m.Route(free.margin, free.bounds, start, goal)
	if way == nil { // between two nodes of the lattice
		if way, ok = planWay(rng, free, start, goal); !ok {
			return nil, false
		}
	}
	reference := resample(way, Waypoints-1)
	longest := hurriedSteps * geom.Length(way) / (Waypoints - 1)
	most := mostComfort * (leastComfort + (1-leastComfort)*rng.Float64())
	for range comforts {
		states := smooth(free, reference, m.comfort(free, reference, most))
		if even(states, longest) {
			trajectory = make([]float32, Waypoints*Channels)
			write(trajectory, states)
			return trajectory, true
		}
		most /= 2
	}
	return nil, false
}

// comfort returns the margins of a reference that keeps so much more than it has to.
func (m *Map) comfort(free freeSpace, reference []geom.Vec2, most float64) []float64 {
	out := make([]float64, len(reference))
	start, goal := reference[0], reference[len(reference)-1]
	for h, p := range reference {
		near := min(m.roomAt(start)+comfortSlope*p.Dist(start), m.roomAt(goal)+comfortSlope*p.Dist(goal))
		out[h] = max(free.margin, min(m.PlanningMargin+most, near))
	}
	return out
}

// even reports whether no step of a trajectory is longer than so much: where walls push to and
// fro, smoothing leaves leaps, which would be the range of all velocities.
func even(states []state, longest float64) bool {
	for h := 1; h < len(states); h++ {
		step := math.Hypot(states[h][2], states[h][3]) * Step
		if max(step, position(states[h]).Dist(position(states[h-1]))) > longest+1e-9 {
			return false
		}
	}
	return true
}
