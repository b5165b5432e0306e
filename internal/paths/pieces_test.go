package paths

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Of a table far from zero the digits of positions hide how a robot accelerates between two rows: it is read as the motion
// from knot to knot. Rows that are not on it, and such that look elsewhere, stay.
func TestTablesFarFromZero(t *testing.T) {
	north := geom.Vec2{X: 432017.35, Y: 5411020.2}
	points := []geom.Vec2{{}, {X: 0.1, Y: 0.2}, {X: 0.5, Y: 0.1}, {X: 0.9, Y: 0.8}, {X: 1, Y: 1.4}, {X: 2, Y: 1.5}}
	c := geom.NaturalSpline(points, 0.47, geom.Vec2{}, geom.Vec2{})
	table := func(change func(k int, numbers []float64)) *Path {
		var text strings.Builder
		text.WriteString("t,robot,x,y,heading,vx,vy,ax,ay\n")
		for k := range 119 {
			time := min(0.02*float64(k), c.Duration())
			x, v, a := c.At(time)
			x = x.Add(north)
			numbers := []float64{x.X, x.Y, math.Atan2(v.Y, v.X), v.X, v.Y, a.X, a.Y}
			change(k, numbers)
			fmt.Fprintf(&text, "%v,a,%s\n", time, strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", ","), "[]"))
		}
		f, err := Read("motion.csv", []byte(text.String()), Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &f.Paths[0]
	}
	p := table(func(int, []float64) {})
	if len(p.Times) != len(points) {
		t.Fatalf("%d points at %v, want the %d knots", len(p.Times), p.Times, len(points))
	}
	for k := 1; k < len(p.Times); k++ {
		span := geom.Curve{X: p.X[k-1 : k+1], V: p.V[k-1 : k+1], Step: p.Times[k] - p.Times[k-1]}
		for _, u := range []float64{0.25, 0.5, 0.75} {
			x, v, a := span.At(u * span.Step)
			y, w, b := c.At(p.Times[k-1] + u*span.Step)
			if x.Dist(y.Add(north)) > 1e-8 || v.Dist(w) > 1e-8 || a.Dist(b) > 1e-7 {
				t.Errorf("at %v: %v %v %v, want %v %v %v", p.Times[k-1]+u*span.Step, x, v, a, y, w, b)
			}
		}
	}
	for what, column := range map[string]int{"position": 0, "velocity": 3, "acceleration": 6} {
		if p := table(func(k int, numbers []float64) {
			if k == 40 {
				numbers[column] += 1e-6
			}
		}); len(p.Times) < 119 {
			t.Errorf("with another %s in a row %d points are left of 119 rows", what, len(p.Times))
		}
	}
	looks := table(func(k int, numbers []float64) {
		if k == 40 {
			numbers[2] += 0.02
		}
	})
	if at := looks.Times; len(at) != len(points)+1 || math.IsNaN(looks.Headings[2]) {
		t.Errorf("points at %v, want the knots and the row that looks elsewhere", at)
	}
}

// A motion that is written has decimals, with which its acceleration jumps a little at knots. It is read back wherever
// its knots are: on rows, between them, and where it hardly bends.
func TestTablesOfDecimals(t *testing.T) {
	for _, c := range []struct {
		name                 string
		step, size, d, every float64
		at                   geom.Vec2
	}{
		{"far from zero, every fourth knot on a row", 0.625, 1, 1e-7, 0.02, geom.Vec2{X: 431243.6, Y: 5532112.5}},
		{"in millimetres beside seventeen metres", 0.21547432507895845, 5e-3, 1e-9, 0.02, geom.Vec2{X: -17.25, Y: 4.25}},
		{"two millionths of a second after a row", 0.19227783162, 0.1, 1e-6, 0.002, geom.Vec2{X: 5.8, Y: 2.9}},
		{"far from zero, many rows a second", 0.3125, 1, 1e-7, 0.002, geom.Vec2{X: 432000, Y: 5410000}},
		{"far from zero, slow", 0.3125, 1e-2, 1e-9, 0.01, geom.Vec2{X: 432000, Y: 5410000}},
		{"two millionths of a second before a row", 0.19227772051120376, 0.1, 1e-6, 0.002, geom.Vec2{X: 5.8, Y: 2.9}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(7, 0))
			rounded := func(p geom.Vec2) geom.Vec2 {
				return geom.Vec2{X: math.Round(p.X/c.d) * c.d, Y: math.Round(p.Y/c.d) * c.d}
			}
			points := []geom.Vec2{{}}
			for on := (geom.Vec2{}); len(points) < 65; {
				push := geom.Vec2{X: rng.NormFloat64(), Y: rng.NormFloat64()}.Scale(c.size / 100)
				for range 8 { // of which the middle hardly bends
					on = on.Add(push)
					points = append(points, points[len(points)-1].Add(on))
				}
			}
			curve := geom.NaturalSpline(points, c.step, geom.Vec2{}, geom.Vec2{})
			for k := range curve.X {
				curve.X[k], curve.V[k] = rounded(curve.X[k].Add(c.at)), rounded(curve.V[k])
			}
			most := 0.0
			for time := 0.0; time < curve.Duration(); time += c.every {
				_, _, a := curve.At(time)
				most = max(most, a.Norm())
			}
			p := readCurve(t, curve, c.every)
			for k := 1; k < len(p.Times); k++ {
				span := geom.Curve{X: p.X[k-1 : k+1], V: p.V[k-1 : k+1], Step: p.Times[k] - p.Times[k-1]}
				for _, u := range []float64{0.01, 0.5, 0.99} {
					_, _, a := span.At(u * span.Step)
					if _, _, b := curve.At(p.Times[k-1] + u*span.Step); a.Dist(b) > 1e-5*most {
						t.Fatalf("at %v it accelerates by %v, want %v", p.Times[k-1]+u*span.Step, a, b)
					}
				}
			}
		})
	}
}
