package paths

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// Far from zero the digits of positions say less than those of velocities and accelerations: of rows a fiftieth of a
// second apart, five thousand kilometres north, they add 10⁻⁵ m/s² to what a cubic through two of them seems to
// accelerate. The motion is then read from the other columns, as pieces from knot to knot, and rows between these are
// left out where the pieces have them to the last digits. So is a motion whose knots are not found at equal times, since
// at some of them it hardly bends.

// piece is a run of rows on one cubic: from one row to another, along which acceleration is linear.
type piece struct {
	from, to int
	jerk     geom.Vec2
}

// blurred reports whether the digits of positions matter to the accelerations of robots between rows.
func blurred(rows map[string][]row) bool {
	size, push, gap := 0.0, 0.0, math.Inf(1)
	for _, all := range rows {
		for k, r := range all {
			size, push = max(size, math.Abs(r.x.X), math.Abs(r.x.Y)), max(push, r.a.Norm())
			if k > 0 {
				gap = min(gap, r.t-all[k-1].t)
			}
		}
	}
	return gap > 0 && push > 0 && 12*0x1p-53*size/(gap*gap) > 1e-7*push
}

// inSteps returns what [inPieces] does with the first of some steps with which that is the motion of all rows.
func inSteps(rows []row, begin float64, steps []float64) (out []row, ok bool) {
	for k, step := range steps {
		if slices.Contains(steps[:k], step) {
			continue
		}
		if out, ok = inPieces(rows, begin, step); ok {
			return out, true
		}
	}
	return nil, false
}

// spansOf returns the rows between knots at multiples of a step after a time as pieces; none where too few rows tell of one,
// or one has another acceleration.
func spansOf(rows []row, begin, step, push float64) (out []piece) {
	span := func(k int) int { return int(math.Floor((rows[k].t-begin)/step + 1e-9)) }
	for from := 0; from < len(rows); {
		to := from
		for to+1 < len(rows) && span(to+1) == span(from) {
			to++
		}
		if to == len(rows)-2 && span(to+1) == span(from)+1 && (rows[to+1].t-begin)/step-float64(span(to+1)) < 1e-9 {
			to++ // the end
		}
		if from == to {
			return nil
		}
		p := piece{from, to, rows[to].a.Sub(rows[from].a).Scale(1 / (rows[to].t - rows[from].t))}
		if slices.ContainsFunc(rows[from:to], func(r row) bool { return !p.pushes(rows[from], r, push) }) {
			return nil
		}
		out, from = append(out, p), to+1
	}
	return out
}

// inPieces returns the rows of a robot at the knots of its motion and where it stands, and whether these are the motion
// of all rows. The knots are at multiples of a step after a time, if it is not 0.
func inPieces(rows []row, begin, step float64) (out []row, ok bool) {
	found, push := piecesOf(rows)
	if step > 0 {
		found = spansOf(rows, begin, step, push)
	}
	if len(found) == 0 || found[0].from > 0 || found[len(found)-1].to < len(rows)-1 {
		return nil, false
	}
	from := rows[0]
	for k, p := range found {
		to := rows[p.to]
		if k+1 < len(found) && found[k+1].from > p.to {
			if to, ok = between(rows, p, found[k+1], begin, step); !ok {
				return nil, false
			}
		}
		out = append(out, from)
		if p.stands(rows) {
			out = append(out, rows[p.from+1:p.to]...)
		} else {
			looks, ok := p.holds(rows, from, to, push)
			if !ok {
				return nil, false
			}
			out = append(out, looks...)
		}
		from = to
	}
	return append(out, from), true
}

// stepOfBends returns the largest step of which a multiple after a time is wherever acceleration bends between three rows of a
// robot, 0 if there is none that many rows tell of. Accelerations have all their digits wherever on Earth the robots are.
func stepOfBends(rows map[string][]row, begin, end float64) float64 {
	const rowsOfSpan = 4 // of fewer any step would do
	var bends [][2]float64
	most := 0
	for _, all := range rows {
		most = max(most, len(all))
		_, push := piecesOf(all)
		for k := 1; k+1 < len(all) && len(bends) < 1024; k++ {
			before, after := all[k-1], all[k+1]
			p := piece{jerk: after.a.Sub(before.a).Scale(1 / (after.t - before.t))}
			if !p.pushes(before, all[k], push) {
				bends = append(bends, [2]float64{before.t, after.t})
			}
		}
	}
	for n := 2; n <= min(mostKnots, most/rowsOfSpan) && len(bends) > 1; n++ {
		step := (end - begin) / float64(n)
		if !slices.ContainsFunc(bends, func(b [2]float64) bool {
			return math.Floor((b[1]-begin)/step+1e-9)*step < b[0]-begin-1e-9*step
		}) {
			return step
		}
	}
	return 0
}

// piecesOf returns the runs of rows along which acceleration is linear, and the largest acceleration.
func piecesOf(rows []row) (out []piece, push float64) {
	for _, r := range rows {
		push = max(push, r.a.Norm())
	}
	for k := 1; k < len(rows); k++ {
		p, q := rows[k-1], rows[k]
		h := q.t - p.t
		rounding := 0x1p-49 * (p.v.Norm() + q.v.Norm())
		if q.v.Sub(p.v).Dist(p.a.Add(q.a).Scale(h/2)) > 1e-9*push*h+rounding {
			continue // there is a knot between
		}
		if n := len(out); n > 0 && out[n-1].to == k-1 {
			last := &out[n-1]
			first := rows[last.from]
			if q.a.Dist(first.a.Add(last.jerk.Scale(q.t-first.t))) <= 1e-9*push {
				last.to, last.jerk = k, q.a.Sub(first.a).Scale(1/(q.t-first.t))
				continue
			}
		}
		out = append(out, piece{k - 1, k, q.a.Sub(p.a).Scale(1 / h)})
	}
	return out, push
}

// between returns the knot between two pieces, in the one gap between their rows: at a multiple of the step or, without
// one, where their accelerations meet.
func between(rows []row, before, after piece, begin, step float64) (row, bool) {
	if after.from != before.to+1 {
		return row{}, false
	}
	p, q := rows[before.to], rows[after.from]
	h, bend := q.t-p.t, before.jerk.Sub(after.jerk)
	tau := q.a.Sub(after.jerk.Scale(h)).Sub(p.a).Dot(bend) / bend.Dot(bend)
	if step > 0 {
		tau = begin + math.Floor((q.t-begin)/step+1e-9)*step - p.t
	}
	if math.Abs(tau-h) <= 1e-6*h {
		return q, true // a row at the knot has the acceleration of the span that begins there
	}
	if !(tau > 0 && tau < h) {
		return row{}, false
	}
	a := p.a.Add(before.jerk.Scale(tau))
	v := p.v.Add(p.a.Add(a).Scale(tau / 2))
	x := p.x.Add(p.v.Scale(tau).Add(p.a.Scale(tau * tau / 3)).Add(a.Scale(tau * tau / 6)))
	return row{p.t + tau, math.NaN(), x, v, a}, true
}

// pushes reports whether a row has the acceleration of a piece that begins at another one.
func (p piece) pushes(first, r row, push float64) bool {
	return r.a.Dist(first.a.Add(p.jerk.Scale(r.t-first.t))) <= 1e-9*push
}

// stands reports whether the robot stays where it is on a piece.
func (p piece) stands(rows []row) bool {
	for _, r := range rows[p.from : p.to+1] {
		if r.x != rows[p.from].x || r.v != (geom.Vec2{}) {
			return false
		}
	}
	return true
}

// holds reports whether the rows of a piece are on the cubic from one row to another, and returns those between that look
// elsewhere than along it, as robots do that have hardly left a place of rest.
func (p piece) holds(rows []row, begin, end row, push float64) (looks []row, ok bool) {
	for _, r := range rows[p.from : p.to+1] {
		if !r.on(begin, end, push) {
			return nil, false
		}
		if r.elsewhere() && r.t > begin.t && r.t < end.t {
			looks = append(looks, r)
		}
	}
	return looks, true
}

// on reports whether a row is on the cubic from one row to another, to the digits of positions and a billionth of a speed
// and of the largest acceleration.
func (r row) on(begin, end row, push float64) bool {
	h := end.t - begin.t
	c := geom.Curve{X: []geom.Vec2{{}, end.x.Sub(begin.x)}, V: []geom.Vec2{begin.v, end.v}, Step: h}.Span(0)
	digits := 0x1p-50 * max(math.Abs(begin.x.X), math.Abs(begin.x.Y), math.Abs(end.x.X), math.Abs(end.x.Y))
	top := max(begin.v.Norm(), end.v.Norm(), push*h)
	u := (r.t - begin.t) / h
	return r.x.Sub(begin.x).Dist(c.At(u)) <= 2*digits && r.v.Dist(c.Velocity(u).Scale(1/h)) <= 1e-9*top+4*digits/h &&
		r.a.Dist(c.Acceleration(u).Scale(1/(h*h))) <= 1e-9*push+24*digits/(h*h)
}

// elsewhere reports whether a robot looks elsewhere than along its way.
func (r row) elsewhere() bool {
	const along = 0.01 // radians, to which headings are judged
	return math.Abs(math.Remainder(r.heading-math.Atan2(r.v.Y, r.v.X), 2*math.Pi)) > along
}
