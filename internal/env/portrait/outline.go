package portrait

import (
	"math"

	"golang.org/x/image/vector"
)

// point is a place in the units of what is drawn: x to the right, y down.
type point struct{ x, y float64 }

func (p point) add(q point) point            { return point{p.x + q.x, p.y + q.y} }
func (p point) sub(q point) point            { return point{p.x - q.x, p.y - q.y} }
func (p point) scale(f float64) point        { return point{p.x * f, p.y * f} }
func (p point) mirrored() point              { return point{-p.x, p.y} }
func (p point) mix(q point, t float64) point { return p.add(q.sub(p).scale(t)) }

// outline is a closed smooth curve through points.
type outline []point

// trace draws the curve of Catmull and Rom through the points: between two of them a
// cubic whose directions at the ends are those from neighbour to neighbour.
func trace(r *vector.Rasterizer, o outline, at func(point) (x, y float32)) {
	n := len(o)
	r.MoveTo(at(o[0]))
	for i := range n {
		a, b, c, d := o[(i+n-1)%n], o[i], o[(i+1)%n], o[(i+2)%n]
		bx, by := at(b.add(c.sub(a).scale(1.0 / 6)))
		cx, cy := at(c.sub(d.sub(b).scale(1.0 / 6)))
		dx, dy := at(c)
		r.CubeTo(bx, by, cx, cy, dx, dy)
	}
	r.ClosePath()
}

// ellipse returns an outline of twelve points.
func ellipse(centre, radii point) outline {
	const n = 12
	o := make(outline, n)
	for i := range o {
		s, c := math.Sincos(2 * math.Pi * float64(i) / n)
		o[i] = centre.add(point{radii.x * c, radii.y * s})
	}
	return o
}

// symmetric returns the outline of half its points, from top to bottom on the right,
// and their mirror images.
func symmetric(right ...point) outline {
	o := outline(right)
	for i := len(right) - 1; i >= 0; i-- {
		if right[i].x != 0 {
			o = append(o, right[i].mirrored())
		}
	}
	return o
}

// stroke returns the outline of a line through points, as wide as the width in its
// middle and pointed at its ends.
func stroke(width float64, through ...point) outline {
	curve := smooth(through, 6)
	n := len(curve)
	o := make(outline, 0, 2*n)
	back := make(outline, 0, n)
	for i, p := range curve {
		t := float64(i) / float64(n-1)
		along := curve[min(i+1, n-1)].sub(curve[max(i-1, 0)])
		length := math.Hypot(along.x, along.y) + 1e-12
		half := width / 2 * math.Sqrt(math.Sin(math.Pi*min(max(t, 0.03), 0.97)))
		normal := point{-along.y / length * half, along.x / length * half}
		o = append(o, p.add(normal))
		back = append(back, p.sub(normal))
	}
	for i := n - 1; i >= 0; i-- {
		o = append(o, back[i])
	}
	return o
}

// smooth returns points on an open curve of Catmull and Rom.
func smooth(p []point, pieces int) []point {
	if len(p) == 2 {
		p = []point{p[0], p[0].mix(p[1], 0.5), p[1]}
	}
	var out []point
	n := len(p)
	for i := range n - 1 {
		a, b, c, d := p[max(i-1, 0)], p[i], p[i+1], p[min(i+2, n-1)]
		for k := range pieces {
			t := float64(k) / float64(pieces)
			out = append(out, hermite(b, c, c.sub(a).scale(0.5), d.sub(b).scale(0.5), t))
		}
	}
	return append(out, p[n-1])
}

// hermite returns the point at t of the cubic from p to q with the directions u and v.
func hermite(p, q, u, v point, t float64) point {
	t2, t3 := t*t, t*t*t
	return p.scale(2*t3 - 3*t2 + 1).add(u.scale(t3 - 2*t2 + t)).add(q.scale(3*t2 - 2*t3)).add(v.scale(t3 - t2))
}

// transform is an affine map: x' = a x + b y + e, y' = c x + d y + f.
type transform struct{ a, b, c, d, e, f float64 }

var identity = transform{a: 1, d: 1}

func (t transform) apply(p point) point {
	return point{t.a*p.x + t.b*p.y + t.e, t.c*p.x + t.d*p.y + t.f}
}

// after returns the map that does u first.
func (t transform) after(u transform) transform {
	o := t.apply(point{u.e, u.f})
	return transform{
		t.a*u.a + t.b*u.c, t.a*u.b + t.b*u.d,
		t.c*u.a + t.d*u.c, t.c*u.b + t.d*u.d, o.x, o.y,
	}
}

// inverse returns the map back, and whether there is none.
func (t transform) inverse() (transform, bool) {
	det := t.a*t.d - t.b*t.c
	if det == 0 {
		return transform{}, true
	}
	u := transform{a: t.d / det, b: -t.b / det, c: -t.c / det, d: t.a / det}
	o := u.apply(point{t.e, t.f})
	u.e, u.f = -o.x, -o.y
	return u, false
}

// placed moves, turns and scales.
func placed(at point, turn, size float64) transform {
	s, c := math.Sincos(turn)
	return transform{size * c, -size * s, size * s, size * c, at.x, at.y}
}
