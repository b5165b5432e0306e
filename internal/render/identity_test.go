package render

import (
	"fmt"
	"image/color"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/go-pcd/pcd/geom"
)

// visions are the linear maps of RGB that full colour blindness of each kind amounts
// to. Source: Machado, Oliveira and Fernandes, "A physiologically-based model for
// simulation of color vision deficiency" (TVCG 15, 2009).
var visions = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protan": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
	"deutan": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
	"tritan": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
}

// lab returns the CIELAB coordinates of a colour as a reader sees it.
func lab(c color.RGBA, vision [3][3]float64) [3]float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	in := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var r [3]float64
	for i, row := range vision {
		r[i] = min(max(row[0]*in[0]+row[1]*in[1]+row[2]*in[2], 0), 1)
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*r[0] + 0.3576*r[1] + 0.1805*r[2]) / 0.9505)
	y := f(0.2126*r[0] + 0.7152*r[1] + 0.0722*r[2])
	z := f((0.0193*r[0] + 0.1192*r[1] + 0.9505*r[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// TestColoursAreToldApart: any two colours of robots are at least 20 apart in CIELAB,
// about ten times a just noticeable difference, with any kind of colour blindness.
func TestColoursAreToldApart(t *testing.T) {
	for name, vision := range visions {
		for i, a := range robotColours {
			for j, b := range robotColours[:i] {
				p, q := lab(a, vision), lab(b, vision)
				if d := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2]); d < 20 {
					t.Errorf("%s: colours %d and %d are %.1f apart", name, j, i, d)
				}
			}
			if p := lab(a, vision); name == "normal" && p[0] > 72 {
				t.Errorf("%s: colour %d is too light for thin lines: lightness %.0f", name, i, p[0])
			}
		}
	}
}

// TestRobotsAreToldApart: thirty-two robots differ in colour or dashes, and those that
// look alike without colour differ in their sign.
func TestRobotsAreToldApart(t *testing.T) {
	seen := map[string]int{}
	for i := range identities {
		key := fmt.Sprint(robotColour(i), robotDash(i))
		if j, ok := seen[key]; ok {
			t.Errorf("robots %d and %d look alike", j, i)
		}
		seen[key] = i
	}
	if identities != 32 {
		t.Errorf("%d identities, want 32", identities)
	}
	if robotMarker(0, 1).Shape == robotMarker(1, 1).Shape || robotMarker(1, 1).Shape == robotMarker(2, 1).Shape {
		t.Error("neighbours have the same sign")
	}
}

// TestSwapsKeepTheirNames: where the goal of one robot is the start of another, both
// names are placed, neither over the other, inside the frame.
func TestSwapsKeepTheirNames(t *testing.T) {
	v := calmView()
	v.Robots[0].Start, v.Robots[0].Goal = geom.Vec2{X: 0.9}, geom.Vec2{X: -0.5}
	v.Robots[1].Start, v.Robots[1].Goal = v.Robots[0].Goal, v.Robots[0].Start
	c := draw.New(vgimg.New(400, 400))
	f := mapFrame(c, mapRect(vg.Point{X: 20, Y: 380}, 360, v.Map.Bounds.Size()), v.Map)
	p := placer{frame: f}
	for i, r := range v.Robots[:2] {
		p.place(fmt.Sprint(i), r.Start, r.Radius, i)
	}
	for i, r := range v.Robots[:2] {
		p.place("a long name", r.Goal, r.Radius, i)
	}
	for i, a := range p.taken {
		q := placer{frame: f, taken: append(append([]vg.Rectangle(nil), p.taken[:i]...), p.taken[i+1:]...)}
		if !q.free(a) {
			t.Errorf("name %d of four covers another or leaves the frame: %v", i, p.taken)
		}
	}
	if len(p.taken) != 4 {
		t.Errorf("%d names, want 4", len(p.taken))
	}
}
