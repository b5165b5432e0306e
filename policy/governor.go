package policy

import (
	"fmt"
	"math"
)

// Governor turns what a robot is asked to do into commands that keep [Limits], one after the
// other: each is the projection of what is asked onto the speeds and accelerations that are
// allowed, as far on the way there as the robot can still stop within the box. There always
// is such a command, for one is to brake: a command is only given if the robot can brake
// after it without leaving the box.
//
// Commands are multiples of a power of two that float32 holds exactly, so that nothing is
// rounded after it has been checked: see [Limits.Certify] for a judge that reads only the
// commands.
type Governor struct {
	limits Limits
	groups []axis
	at     []float64 // the last command
	step   []float64 // and how far it was from the one before
	knows  bool      // where the robot is
}

// axis are the numbers of a group with its limits. Speed and brake are less than the limits
// by what rounding to the grid may add.
type axis struct {
	members []int
	grid    float64
	speed   float64   // infinite without a limit
	brake   float64   // how much a step may differ from the one before; infinite without one
	lo, hi  []float64 // of every member, on the grid
}

// gridBits is how many multiples of the grid fit between 0 and the largest bound, as a power
// of two: those of float32.
const gridBits = 23

// leastSteps is how many steps of the grid limits must allow at least.
const leastSteps = 16

// NewGovernor returns a governor that has not been started.
func NewGovernor(l Limits) (*Governor, error) {
	groups, err := l.check()
	if err != nil {
		return nil, err
	}
	g := &Governor{limits: l, at: make([]float64, l.size()), step: make([]float64, l.size())}
	for i, members := range groups {
		a, err := l.axis(i, members)
		if err != nil {
			return nil, err
		}
		g.groups = append(g.groups, a)
	}
	return g, nil
}

// axis returns a group on its grid.
func (l *Limits) axis(i int, members []int) (axis, error) {
	largest := 0.0
	for _, k := range members {
		largest = max(largest, math.Abs(l.Min[k]), math.Abs(l.Max[k]))
	}
	_, e := math.Frexp(largest)
	a := axis{members: members, grid: math.Ldexp(1, e-gridBits), speed: math.Inf(1), brake: math.Inf(1)}
	for _, k := range members {
		lo, hi := math.Ceil(l.Min[k]/a.grid)*a.grid, math.Floor(l.Max[k]/a.grid)*a.grid
		if lo > hi {
			return a, &LimitError{fmt.Sprintf("bound %d", k), fmt.Sprintf("%g to %g", l.Min[k], l.Max[k]), "room for a float32 number"}
		}
		a.lo, a.hi = append(a.lo, lo), append(a.hi, hi)
	}
	corner := a.grid * math.Sqrt(float64(len(members))) // by how much rounding may move a command
	for _, limit := range []struct {
		name   string
		values []float64
		less   float64
		to     *float64
	}{{"speed", l.Speed, 2, &a.speed}, {"acceleration", l.Acceleration, 3, &a.brake}} {
		if limit.values == nil || limit.values[i] == 0 {
			continue
		}
		v := limit.values[i]
		if v < leastSteps*corner {
			return a, &LimitError{fmt.Sprintf("%s %d", limit.name, i), fmt.Sprint(v), fmt.Sprintf("%.2g or more, which float32 tells apart from rest in this box", leastSteps*corner)}
		}
		*limit.to = v - limit.less*corner
	}
	return a, nil
}

// Start says where the robot is, at rest. It returns a [StartError] outside the box, after which
// the governor has not been started.
func (g *Governor) Start(at []float32) error {
	g.knows = false
	if len(at) != len(g.at) {
		return &LimitError{"length of the start", fmt.Sprint(len(at)), fmt.Sprint(len(g.at))}
	}
	for i, v := range at {
		if !(float64(v) >= g.limits.Min[i] && float64(v) <= g.limits.Max[i]) {
			return &StartError{i, float64(v), g.limits.Min[i], g.limits.Max[i]}
		}
	}
	g.knows = true
	clear(g.step)
	for _, a := range g.groups {
		for j, k := range a.members {
			g.at[k] = min(max(math.Round(float64(at[k])/a.grid)*a.grid, a.lo[j]), a.hi[j])
		}
	}
	return nil
}

// started returns an error before [Governor.Start] has said where the robot is: no command would be
// near it.
func (g *Governor) started() error {
	if !g.knows {
		return &LimitError{"start", "unknown", "where the commands of the robot are, said by Start before the first of them"}
	}
	return nil
}

// Next writes the command for what is asked to dst, which may be asked. What is not a finite
// number asks to stop. It returns a [LimitError] before [Governor.Start].
func (g *Governor) Next(dst, asked []float32) error {
	if err := g.started(); err != nil {
		return err
	}
	if len(dst) != len(g.at) || len(asked) != len(g.at) {
		return &LimitError{"length of a command", fmt.Sprint(len(asked)), fmt.Sprint(len(g.at))}
	}
	for _, a := range g.groups {
		x, v, want := make([]float64, len(a.members)), make([]float64, len(a.members)), make([]float64, len(a.members))
		for j, k := range a.members {
			x[j], v[j] = g.at[k], g.step[k]
			to := float64(asked[k])
			if math.IsNaN(to) || math.IsInf(to, 0) {
				to = x[j]
			}
			want[j] = min(max(to, a.lo[j]), a.hi[j]) - x[j]
		}
		w := a.choose(x, v, want)
		for j, k := range a.members {
			g.step[k] = w[j]
			g.at[k] += w[j]
			dst[k] = float32(g.at[k])
		}
	}
	return nil
}

// choose returns the step of a group that is at x after a step v and is asked for the step want.
func (a *axis) choose(x, v, want []float64) []float64 {
	limit(want, nil, a.speed)
	limit(want, v, a.brake)
	if a.round(want); a.stops(x, want) {
		return want
	}
	brake := make([]float64, len(v))
	limit(brake, v, a.brake)
	a.round(brake)
	// The farthest step between braking and what is asked after which the robot can stop.
	lo, hi, w := 0.0, 1.0, make([]float64, len(v))
	at := func(s float64) []float64 {
		for j := range w {
			w[j] = brake[j] + s*(want[j]-brake[j])
		}
		a.round(w)
		return w
	}
	for range gridBits {
		if mid := (lo + hi) / 2; a.stops(x, at(mid)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo == 0 {
		return brake
	}
	return at(lo)
}

// limit moves w to the nearest place that is no farther than r from c, or from 0.
func limit(w, c []float64, r float64) {
	from := func(j int) float64 {
		if c == nil {
			return 0
		}
		return c[j]
	}
	d := 0.0
	for j := range w {
		d = math.Hypot(d, w[j]-from(j))
	}
	if d <= r {
		return
	}
	for j := range w {
		w[j] = from(j) + (w[j]-from(j))*(r/d)
	}
}

// round moves a step to the grid, towards 0: a shorter step is no faster, and leaves more way
// to brake.
func (a *axis) round(w []float64) {
	for j, v := range w {
		w[j] = math.Trunc(v/a.grid) * a.grid
	}
}

// stops reports whether the robot stays in the box when it does the step w and then brakes,
// straight on.
func (a *axis) stops(x, w []float64) bool {
	s := 0.0
	for _, v := range w {
		s = math.Hypot(s, v)
	}
	more := 1.0 // how many times the step the whole way is
	if s > 0 && !math.IsInf(a.brake, 1) {
		n := math.Ceil(s/a.brake) - 1
		more += (n*s - a.brake*n*(n+1)/2) / s
	}
	for j, v := range w {
		if end := x[j] + v*more; end < a.lo[j] || end > a.hi[j] {
			return false
		}
	}
	return true
}
