package nav2d

import (
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/noise"
)

const (
	maxAttempts     = 10   // tries per trajectory
	maxContextDraws = 1000 // tries per start or goal
	plans           = 3    // the shortest of so many planned ways is taken
	startSlack      = 0.05 // starts may be this much nearer to obstacles than those of trials
)

// attempts counts how demonstrations came about.
type attempts struct {
	Made      int // trajectories tried
	Planned   int // of them, those for which a way was found
	Free      int // of these, those without collision
	Adherent  int // of these, those that follow the pattern: the kept ones
	Abandoned int // trajectories left out after the last try
}

func (a *attempts) add(b attempts) {
	a.Made += b.Made
	a.Planned += b.Planned
	a.Free += b.Free
	a.Adherent += b.Adherent
	a.Abandoned += b.Abandoned
}

// contextResult holds the kept trajectories of one context.
type contextResult struct {
	data     []float32
	attempts attempts
	err      error
}

// demonstrate makes the trajectories of one context.
func demonstrate(m *Map, opts DemonstrationOptions, number int) contextResult {
	field := noise.New(opts.Seed).Sub("demonstrations of " + m.Name)
	stream := func(trajectory int) *rand.Rand {
		return rand.New(noise.NewSource(field, uint64(number)<<32|uint64(trajectory)))
	}
	start, goal, ok := drawContext(stream(0), m)
	if !ok {
		return contextResult{err: &crowdedError{Map: m.Name, Trial: number, Kind: "demonstration"}}
	}
	var out contextResult
	for k := range opts.PerContext {
		rng := stream(1 + k)
		kept := false
		for try := 0; try < maxAttempts && !kept; try++ {
			out.attempts.Made++
			trajectory, ok := draft(rng, m, start, goal)
			if !ok {
				continue
			}
			out.attempts.Planned++
			kept = m.accepts(trajectory, &out.attempts)
			if kept {
				out.data = append(out.data, trajectory...)
			}
		}
		if !kept {
			out.attempts.Abandoned++
		}
	}
	return out
}

// drawContext draws start and goal of a demonstration uniformly from where a
// robot may be.
func drawContext(rng *rand.Rand, m *Map) (start, goal geom.Vec2, ok bool) {
	free := m.freeSpace(m.PlanningMargin)
	keep := max(m.PlanningMargin, m.Margins.Obstacles-startSlack)
	draw := func() (geom.Vec2, bool) {
		if n := len(m.stops); n > 1 && rng.Float64() < 0.5 {
			return m.stops[rng.IntN(n)], true
		}
		size := free.bounds.Size()
		for range maxContextDraws {
			p := free.bounds.Min.Add(geom.Vec2{X: size.X * rng.Float64(), Y: size.Y * rng.Float64()})
			if d, _ := m.Clearance(p); d > keep {
				return p, true
			}
		}
		return geom.Vec2{}, false
	}
	start, ok1 := draw()
	goal, ok2 := draw()
	return start, goal, ok1 && ok2
}

// Pair returns start and goal of demonstration number of a field, and whether there is room for
// them.
func (m *Map) Pair(f noise.Field, number int) (start, goal geom.Vec2, ok bool) {
	return drawContext(rand.New(noise.NewSource(f.Sub("demonstrations of "+m.Name), uint64(number)<<32)), m)
}

// Clear reports whether a disk stays clear of all obstacles, and within the bounds, straight
// from point to point, by exact distances.
func (m *Map) Clear(path []geom.Vec2, radius float64) bool {
	free := freeSpace{obstacles: m.index, margin: radius, bounds: m.Bounds.Grow(-radius)}
	for h := 1; h < len(path); h++ {
		if !free.connects(path[h-1], path[h]) {
			return false
		}
	}
	return true
}

// accepts applies the tests that a kept demonstration passes.
func (m *Map) accepts(trajectory []float32, count *attempts) bool {
	path := geom.Points(make([]geom.Vec2, 0, Waypoints), trajectory, Channels)
	if m.robot > 0 {
		free := m.Clear(path, m.robot)
		if free {
			count.Free++
			count.Adherent++
		}
		return free
	}
	if !m.PathFree(path, RobotRadius) {
		return false
	}
	for _, p := range path {
		if m.Occupied(float32(p.X), float32(p.Y), RobotRadius) {
			return false
		}
	}
	count.Free++
	if m.Pattern != nil && m.Pattern.Adherence(path) < 1 {
		return false
	}
	count.Adherent++
	return true
}

// draft makes one trajectory from start to goal: by the pattern's own rule, or
// through the points of a skill, planned, timed and smoothed.
func draft(rng *rand.Rand, m *Map, start, goal geom.Vec2) (trajectory []float32, ok bool) {
	trajectory = make([]float32, Waypoints*Channels)
	if line, ok := m.Pattern.(straightPattern); ok {
		line.Demonstrate(trajectory, start, goal)
		return trajectory, true
	}
	free := m.freeSpace(min(m.PlanningMargin, m.roomAt(start), m.roomAt(goal)))
	if m.robot > 0 {
		return m.hallDraft(rng, free, start, goal)
	}
	timed, ok := timedRoute(rng, free, m.Pattern, start, goal)
	if !ok {
		return nil, false
	}
	write(trajectory, smooth(free, resampleByIndex(timed, Waypoints), nil))
	return trajectory, true
}

// write writes states as a trajectory.
func write(trajectory []float32, states []state) {
	for h, s := range states {
		for i, v := range s {
			trajectory[h*Channels+i] = float32(v)
		}
	}
}

// timedRoute returns points that are one interval of time apart.
func timedRoute(rng *rand.Rand, free freeSpace, pattern Pattern, start, goal geom.Vec2) ([]geom.Vec2, bool) {
	var skill skillRoute
	if p, ok := pattern.(skillPattern); ok {
		skill = p.Skill(rng, start, goal)
	}
	if len(skill.Points) == 0 {
		way, ok := planWay(rng, free, start, goal)
		if !ok {
			return nil, false
		}
		return resample(way, Waypoints-1), true
	}
	first, last := skill.Points[0], skill.Points[len(skill.Points)-1]
	enter, ok := planWay(rng, free, start, first)
	if !ok {
		return nil, false
	}
	leave, ok := planWay(rng, free, last, goal)
	if !ok {
		return nil, false
	}
	timed := resample(enter, skill.Approach.draw(rng, geom.Length(enter)))
	timed = append(timed, skill.Points[1:]...)
	away := resample(leave, skill.Approach.draw(rng, geom.Length(leave)))[1:]
	if skill.Hold > 0 {
		timed = append(timed, slices.Repeat([]geom.Vec2{last}, max(skill.Hold, Waypoints-len(timed)-len(away)))...)
	}
	return append(timed, away...), true
}

// planWay returns the shortest of a few planned and shortened ways, so that most
// take the near side of an obstacle and some the far one.
func planWay(rng *rand.Rand, free freeSpace, start, goal geom.Vec2) (best []geom.Vec2, ok bool) {
	for range plans {
		way := rrtConnect(rng, free, start, goal)
		if way == nil {
			continue
		}
		way = shortcut(rng, free, way)
		if best == nil || geom.Length(way) < geom.Length(best) {
			best = way
		}
		if len(best) == 2 {
			break
		}
	}
	return best, best != nil
}

// resampleByIndex returns n points at equal intervals of the index of the given
// ones, interpolated linearly.
func resampleByIndex(points []geom.Vec2, n int) []geom.Vec2 {
	out := make([]geom.Vec2, n)
	for k := range out {
		at := float64(k*(len(points)-1)) / float64(n-1)
		i := min(int(at), len(points)-2)
		out[k] = points[i].Lerp(points[i+1], at-float64(i))
	}
	return out
}
