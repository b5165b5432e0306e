package planner

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
)

// hull holds the four points of a cubic, without rounding.
type hull [4]point

func mean(p, q point, t *big.Rat) (out point) {
	for c := range out {
		d := new(big.Rat).Sub(q[c], p[c])
		out[c] = d.Add(p[c], d.Mul(d, t))
	}
	return out
}

// spanOf returns the hull of the way of a robot from waypoint h to the next.
func spanOf(states [][]float64, h int, dt *big.Rat) (out hull) {
	third := new(big.Rat).Quo(dt, rat(3))
	for k, s := range [2][]float64{states[h], states[h+1]} {
		x, sign := point{rat(s[0]), rat(s[1])}, rat(1-2*float64(k))
		for c := range 2 {
			v := new(big.Rat).Mul(rat(s[2+c]), new(big.Rat).Mul(third, sign))
			out[3*k][c], out[1+k][c] = x[c], v.Add(x[c], v)
		}
	}
	return out
}

// cut returns the hull between two parameters.
func (b hull) cut(from, to *big.Rat) (out hull) {
	for k := range out {
		p := b
		for m := range 3 {
			t := from
			if m < k {
				t = to
			}
			for q := range 3 - m {
				p[q] = mean(p[q], p[q+1], t)
			}
		}
		out[k] = p[0]
	}
	return out
}

// checkCurves is check of a plan on curves.
func (f *planFile) checkCurves() error {
	p, last := f.Plan.Proof, len(f.Times)-1
	if f.Version != PlanVersion || len(f.Robots) != len(p.Robots) || len(f.Robots) != len(f.Plan.Trajectories) {
		return fmt.Errorf("version %d, %d robots, %d in the proof, %d trajectories", f.Version, len(f.Robots), len(p.Robots), len(f.Plan.Trajectories))
	}
	dt := rat(f.Times[1])
	var ways [][]hull
	for _, r := range f.Robots {
		states := f.Plan.Trajectories[r.Name]
		if len(states) != last+1 {
			return fmt.Errorf("%s has %d waypoints", r.Name, len(states))
		}
		var way []hull
		for h := range last {
			way = append(way, spanOf(states, h, dt))
		}
		ways = append(ways, way)
	}
	part := func(way []hull, from, to *big.Rat) hull {
		h := int(mustFloor(from))
		if h >= last {
			return rest(way)
		}
		u, v := new(big.Rat).Sub(from, rat(float64(h))), new(big.Rat).Sub(to, rat(float64(h)))
		if u.Sign() == 0 && v.Cmp(rat(1)) == 0 {
			return way[h]
		}
		return way[h].cut(u, v)
	}
	for i, r := range f.Robots {
		for j := i + 1; j < len(p.Robots)+len(p.Traffic); j++ {
			size, times := rat(r.Radius), []float64(nil)
			other := func(from, to *big.Rat) hull { return part(ways[j], from, to) }
			if j < len(p.Robots) {
				size.Add(size, rat(f.Robots[j].Radius))
			} else {
				m := p.Traffic[j-len(p.Robots)]
				all, err := moments(m.Times, last)
				if err != nil || len(all) != len(m.Path) {
					return fmt.Errorf("%s has %d points: %w", m.Name, len(m.Path), err)
				}
				times = all
				size.Add(size, rat(m.Radius))
				other = func(from, to *big.Rat) hull { return straightPart(m.Path, all, from, to) }
			}
			if err := coversCurve(p.Pairs, i, j, last, times, size, func(from, to *big.Rat) (out []point) {
				b := other(from, to)
				for k, q := range part(ways[i], from, to) {
					out = append(out, q.minus(b[k]))
				}
				return out
			}, nil); err != nil {
				return fmt.Errorf("robots %d and %d: %w", i, j, err)
			}
			if p.Lateness > 0 {
				if times == nil {
					times, _ = moments(nil, last)
				}
				own := func(from, to *big.Rat) hull { return part(ways[i], from, to) }
				if err := f.checkLate(i, j, times, size, own, other); err != nil {
					return fmt.Errorf("robots %d and %d: %w", i, j, err)
				}
			}
		}
		for o, s := range p.Solids {
			if len(s.Core) == 0 || s.Radius < 0 {
				return fmt.Errorf("obstacle %d has %d vertices and the radius %v", o, len(s.Core), s.Radius)
			}
			size := new(big.Rat).Add(rat(r.Radius), rat(s.Radius))
			if err := coversCurve(p.Obstacles, i, o, last, nil, size, func(from, to *big.Rat) (out []point) {
				for _, q := range part(ways[i], from, to) {
					for _, v := range s.Core {
						out = append(out, q.minus(exactly(v)))
					}
				}
				return out
			}, func(h int) bool { return beyond(ways[i][h][:], s.Core, size) }); err != nil {
				return fmt.Errorf("robot %d and obstacle %d: %w", i, o, err)
			}
		}
		if err := f.checkCurve(i, ways[i]); err != nil {
			return err
		}
	}
	return nil
}

func mustFloor(v *big.Rat) int64 { return new(big.Int).Quo(v.Num(), v.Denom()).Int64() }

// straightPart returns a part of traffic that goes straight from point to point.
func straightPart(path [][2]float64, times []float64, from, to *big.Rat) (out hull) {
	k := 0
	for rat(times[k+1]).Cmp(from) <= 0 {
		k++
	}
	long := new(big.Rat).Sub(rat(times[k+1]), rat(times[k]))
	for m := range out {
		t := new(big.Rat).Sub(to, from)
		t.Add(from, t.Mul(t, big.NewRat(int64(m), 3)))
		t.Sub(t, rat(times[k]))
		out[m] = mean(exactly(path[k]), exactly(path[k+1]), t.Quo(t, long))
	}
	return out
}

// coversCurve checks the rows of two bodies: points returns differences on a part of a span, free whether a
// span needs no row.
func coversCurve(rows [][6]float64, i, j, last int, times []float64, size *big.Rat, points func(from, to *big.Rat) []point, free func(h int) bool) error {
	if size.Sign() <= 0 {
		return errors.New("no size")
	}
	var own [][6]float64
	for _, w := range rows {
		if w[0] == float64(i) && w[1] == float64(j) {
			own = append(own, w)
		}
	}
	slices.SortFunc(own, func(a, b [6]float64) int { return cmp.Compare(a[2], b[2]) })
	until := float64(last)
	if len(times) > 0 {
		until = times[len(times)-1]
	}
	end := untilNeeded(0, last, free)
	for _, w := range own {
		if w[2] < 0 || w[2] > end || w[3] > until || !(w[3] > w[2]) {
			return fmt.Errorf("a row from %v to %v after %v", w[2], w[3], end)
		}
		cuts := []float64{w[2], w[3]}
		for h := range last + 1 {
			cuts = append(cuts, float64(h))
		}
		cuts = append(cuts, until)
		cuts = slices.DeleteFunc(append(cuts, times...), func(t float64) bool { return t < w[2] || t > w[3] })
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		direction := separatorOf([2]float64{w[4], w[5]}, size)
		for k := 1; k < len(cuts); k++ {
			for _, d := range points(rat(cuts[k-1]), rat(cuts[k])) {
				if !direction.parts(d) {
					return fmt.Errorf("contact from %v to %v", cuts[k-1], cuts[k])
				}
			}
		}
		end = untilNeeded(max(end, w[3]), last, free)
	}
	if end != until {
		return fmt.Errorf("a gap in the proof after %v of %v", end, until)
	}
	return nil
}

// checkCurve checks border, speed and acceleration of a robot at all instants.
func (f *planFile) checkCurve(i int, way []hull) error {
	proof, robot, dt := f.Plan.Proof, f.Robots[i], rat(f.Times[1])
	states := f.Plan.Trajectories[robot.Name]
	r := proof.Robots[i]
	low, high := exactly(proof.Border[0]), exactly(proof.Border[1])
	room := func(p point) *big.Rat {
		return least(p.minus(low)[0], p.minus(low)[1], high.minus(p)[0], high.minus(p)[1])
	}
	first, last := room(way[0][0]), room(way[len(way)-1][3])
	far := 0.0
	for _, c := range proof.Border {
		far = max(far, math.Abs(c[0]), math.Abs(c[1]))
	}
	want := least(rat(robot.Radius), first, last)
	if want.Sub(want.Mul(want, rat(1-1e-9)), rat(1e-13*far)); rat(r.Inset).Cmp(want) < 0 {
		return fmt.Errorf("%s is asked to keep %v from the border, its radius is %v", robot.Name, r.Inset, robot.Radius)
	}
	within := func(limit float64, d point, times int64) bool {
		sum := new(big.Rat)
		for c := range 2 {
			x := new(big.Rat).Quo(d[c], rat(r.Unit[c]))
			x.Mul(x, big.NewRat(times, 1))
			sum.Add(sum, x.Mul(x, x))
		}
		return limit == 0 || sum.Cmp(new(big.Rat).Mul(rat(limit), rat(limit))) <= 0
	}
	for k, given := range [2][2]float64{r.Before, r.After} {
		for c := range 2 {
			v := states[k*(len(states)-1)][2+c]
			step, _ := new(big.Rat).Mul(rat(v), dt).Float64()
			if math.Abs(step-given[c]) > 1e-5*robot.Radius {
				return fmt.Errorf("%s begins or ends with %v, want %v", robot.Name, step, given[c])
			}
		}
	}
	for h, b := range way {
		for k, p := range b {
			if room(p).Cmp(rat(r.Inset)) < 0 {
				pieces := []hull{b.cut(rat(0), rat(0.125))}
				for e := 1; e < 8; e++ {
					pieces = append(pieces, b.cut(rat(float64(e)/8), rat(float64(e+1)/8)))
				}
				for _, piece := range pieces {
					for _, q := range piece {
						if room(q).Cmp(rat(r.Inset)) < 0 {
							return fmt.Errorf("%s is outside after waypoint %d", robot.Name, h)
						}
					}
				}
			}
			if k > 0 && !within(r.Step, p.minus(b[k-1]), 3) {
				return fmt.Errorf("%s is too fast after waypoint %d", robot.Name, h)
			}
			if k > 1 && !within(r.Change, p.minus(b[k-1]).minus(b[k-1].minus(b[k-2])), 6) {
				return fmt.Errorf("%s accelerates too much after waypoint %d", robot.Name, h)
			}
		}
	}
	return nil
}

// untilNeeded returns when a row is needed next, after the spans from one on that are free.
func untilNeeded(end float64, last int, free func(h int) bool) float64 {
	for h := int(end); free != nil && float64(h) == end && h < last && free(h); h++ {
		end++
	}
	return end
}

// beyond reports whether the box around some points lies so far beyond that of a core, in one coordinate.
func beyond(points []point, core [][2]float64, size *big.Rat) bool {
	for c := range 2 {
		before, after := true, true
		for _, p := range points {
			for _, v := range core {
				d := new(big.Rat).Sub(p[c], rat(v[c]))
				after = after && d.Cmp(size) >= 0
				before = before && d.Neg(d).Cmp(size) >= 0
			}
		}
		if before || after {
			return true
		}
	}
	return false
}
