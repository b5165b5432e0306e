package maps

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// cutAt returns the intervals between sorted numbers.
func cutAt(xs []float64) (out [][2]float64) {
	slices.Sort(xs)
	xs = slices.Compact(xs)
	for k := 1; k < len(xs); k++ {
		out = append(out, [2]float64{xs[k-1], xs[k]})
	}
	return out
}

// lengthOf returns the length of a union of intervals.
func lengthOf(spans [][2]float64) (sum float64) {
	slices.SortFunc(spans, func(a, b [2]float64) int { return int(math.Copysign(1, a[0]-b[0])) })
	end := math.Inf(-1)
	for _, s := range spans {
		if s[1] > end {
			sum += s[1] - max(s[0], end)
			end = s[1]
		}
	}
	return sum
}

// covered fails unless the obstacles of a map of cells cover every blocked cell, all four
// corners and the middle of it, and the middle of no free cell.
func covered(t *testing.T, m *Map, unknown bool) {
	t.Helper()
	g := m.Grid
	blocked := g.blocked(unknown)
	var solids []geom.Convex
	for _, o := range m.Obstacles {
		if !o.IsConvex() {
			t.Errorf("an obstacle is not convex: %v", o)
		}
		solids = append(solids, geom.Convex{Core: o, Radius: m.Pad})
	}
	for j := range g.Height {
		for i := range g.Width {
			is, inset := blocked[j*g.Width+i], g.Resolution*1e-6
			for _, p := range []geom.Vec2{g.Center(i, j), g.Corner(i, j), g.Corner(i+1, j), g.Corner(i, j+1), g.Corner(i+1, j+1)} {
				in := slices.ContainsFunc(solids, func(s geom.Convex) bool { d, _ := s.SignedDistance(p); return d <= 0 })
				if is && !in {
					t.Fatalf("%v of blocked cell (%d, %d) is not covered", p, i, j)
				}
				if p = g.Center(i, j).Lerp(p, 1-inset); !is {
					if slices.ContainsFunc(solids, func(s geom.Convex) bool { d, _ := s.SignedDistance(p); return d < 0 }) {
						t.Fatalf("%v of free cell (%d, %d) is covered", p, i, j)
					}
				}
			}
		}
	}
}

// Rectangles cover blocked cells and no others, and are fewer than runs of rows.
func TestRectangles(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		width, height := 1+draw.IntN(30), 1+draw.IntN(30)
		blocked := make([]bool, width*height)
		share := draw.Float64()
		for k := range blocked {
			blocked[k] = draw.Float64() < share
		}
		count := make([]bool, len(blocked))
		all := Rectangles(blocked, width)
		for _, r := range all {
			if r.Left < 0 || r.Low < 0 || r.Right > width || r.Top > height || r.area() <= 0 || !allOf(blocked, r, width) {
				t.Fatalf("trial %d: %+v covers what is not blocked", trial, r)
			}
			for j := r.Low; j < r.Top; j++ {
				for i := r.Left; i < r.Right; i++ {
					count[j*width+i] = true
				}
			}
		}
		if !slices.Equal(count, blocked) {
			t.Fatalf("trial %d: not all blocked cells are covered", trial)
		}
		if runs := joinRuns(func(i, j int) bool { return blocked[j*width+i] }, width, height); len(all) > len(runs) {
			t.Errorf("trial %d: %d rectangles, want at most the %d joined runs", trial, len(all), len(runs))
		}
	}
}

// A frame, a cross and a full grid are few rectangles.
func TestRectanglesAreFew(t *testing.T) {
	for _, c := range []struct {
		name    string
		blocked func(i, j int) bool
		want    int
	}{
		{"full", func(i, j int) bool { return true }, 1},
		{"empty", func(i, j int) bool { return false }, 0},
		{"frame", func(i, j int) bool { return i == 0 || j == 0 || i == 19 || j == 9 }, 4},
		{"cross", func(i, j int) bool { return i == 9 || j == 4 }, 2},
		{"racks", func(i, j int) bool { return i%4 < 2 && j > 1 && j < 8 }, 5},
	} {
		var blocked []bool
		for j := range 10 {
			for i := range 20 {
				blocked = append(blocked, c.blocked(i, j))
			}
		}
		if got := Rectangles(blocked, 20); len(got) != c.want {
			t.Errorf("%s: %d rectangles %v, want %d", c.name, len(got), got, c.want)
		}
	}
}

// star returns a simple polygon round a point, usually not convex.
func star(draw *rand.Rand, at geom.Vec2, size float64, n int) (out geom.Polygon) {
	for k := range n {
		angle := 2 * math.Pi * (float64(k) + 0.9*draw.Float64()) / float64(n)
		s, c := math.Sincos(angle)
		out = append(out, at.Add(geom.Vec2{X: c, Y: s}.Scale(size*(0.3+0.7*draw.Float64()))))
	}
	return out
}

// Polygons with holes are cut into convex parts that cover them: areas agree, parts do not
// overlap, and a point is in a part when it is in the outline.
func TestCut(t *testing.T) {
	draw := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		outer := star(draw, geom.Vec2{X: 100 * draw.Float64(), Y: -50}, 10, 3+draw.IntN(30))
		rings := []geom.Polygon{outer}
		if trial%2 == 0 {
			rings = append(rings, star(draw, geom.Polygon(outer)[0].Lerp(outer[len(outer)/2], 0.5), 0.2, 3+draw.IntN(9)))
		}
		o, err := newOutline("test", "a star", rings)
		if err != nil {
			continue // the hole lies outside
		}
		parts, err := o.cut("test", "a star")
		if err != nil {
			t.Fatalf("trial %d: %v", trial, err)
		}
		if n := len(outer); len(parts) > 2*n+40 {
			t.Errorf("trial %d: %d parts of %d corners", trial, len(parts), n)
		}
		for _, p := range parts {
			if !p.IsConvex() {
				t.Errorf("trial %d: %v is not convex", trial, p)
			}
		}
		m := &Map{Obstacles: parts, Pad: 1e-12}
		for range 200 {
			p := outer[0].Add(geom.Vec2{X: 20 * (draw.Float64() - 0.5), Y: 20 * (draw.Float64() - 0.5)})
			want := inner(outer, p)
			for _, h := range o.holes {
				want = want && !inner(h, p)
			}
			if got := within(m, p); got != want {
				t.Fatalf("trial %d: %v is in a part: %v, want %v", trial, p, got, want)
			}
		}
	}
}

// A convex polygon stays one part, whatever its corners.
func TestCutKeepsConvexPolygons(t *testing.T) {
	for n := 3; n < 40; n++ {
		var ring geom.Polygon
		for k := range n {
			s, c := math.Sincos(2*math.Pi*float64(k)/float64(n) + 0.1)
			ring = append(ring, geom.Vec2{X: c, Y: s})
		}
		parts := cut(edgesOf(ring, 0), 1, func(odd []bool) bool { return odd[0] })
		if len(parts) != 1 || math.Abs(parts[0].Area()-ring.Area()) > 1e-12 {
			t.Errorf("%d corners: %d parts", n, len(parts))
		}
	}
}
