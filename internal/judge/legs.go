package judge

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// indexOf returns the place of a time among times.
func indexOf(times []float64, t float64) int {
	k, _ := slices.BinarySearch(times, t)
	return min(k, len(times)-1)
}

// legs returns the pieces of a path on which a robot moves.
func legs(r *Robot) (out []leg) {
	p := r.Path
	resting := restsOf(p.X, p.V)
	last := -1 // point of rest before
	rested := true
	for k := range len(p.X) - 1 {
		if resting[k] {
			last, rested = k, true
		}
		dt := p.Times[k+1] - p.Times[k]
		l := leg{Bezier: geom.Straight(p.X[k], p.X[k+1]), at: p.Times[k], dt: dt, to: 1, rested: rested || p.V == nil}
		if p.V != nil {
			l.Bezier = geom.Curve{X: p.X[k : k+2], V: p.V[k : k+2], Step: dt}.Span(0)
			l.read = 12 * digits(p.X[k], p.X[k+1]) / (dt * dt)
		}
		if l.stands() {
			rested = true
			continue
		}
		if last >= 0 && p.V != nil {
			l.from = l.leaves(p.X[last], hardly*r.Radius)
		}
		if next := slices.Index(resting[k+1:], true); next >= 0 && p.V != nil {
			l.to = 1 - l.reversed().leaves(p.X[k+1+next], hardly*r.Radius)
		}
		if l.from < l.to {
			out, rested = append(out, l), false
		}
	}
	return out
}

// restsOf reports at which points a robot is at rest: those of straight ways from which it does not
// move, and of curves with no velocity but for what rounding leaves.
func restsOf(x, v []geom.Vec2) []bool {
	out := make([]bool, len(x))
	top := 0.0
	for _, w := range v {
		top = max(top, w.Norm())
	}
	for k := range x {
		if v != nil {
			out[k] = v[k].Norm() <= 1e-9*top
			continue
		}
		out[k] = k > 0 && x[k-1] == x[k] || k+1 < len(x) && x[k+1] == x[k]
	}
	return out
}

// stands reports whether it stays at one place.
func (l *leg) stands() bool { return l.Bezier[0] == l.Bezier[3] && l.Bounds().Size().Norm() == 0 }

func (l *leg) reversed() *leg {
	b := l.Bezier
	return &leg{Bezier: geom.Bezier{b[3], b[2], b[1], b[0]}}
}

// leaves returns the parameter from which on a piece is away from a place: 0 where it begins away, 1 where it
// ends near it.
func (l *leg) leaves(place geom.Vec2, far float64) float64 {
	const looks = 64
	inside, outside := -1.0, 1.0
	for k := range looks + 1 {
		u := float64(k) / looks
		if l.At(u).Dist(place) > far {
			outside = u
			break
		}
		inside = u
	}
	if inside < 0 {
		return 0
	}
	for range 50 {
		m := (inside + outside) / 2
		if l.At(m).Dist(place) > far {
			outside = m
		} else {
			inside = m
		}
	}
	return outside
}
