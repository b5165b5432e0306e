package nav2d

import (
	"strings"
	"testing"
)

// Places that just touch have no certificate: they are refused at once, with a move that is told from none.
func TestPlacesThatTouchAreRefused(t *testing.T) {
	for _, c := range []struct {
		x, margin float64
		want      string // "" is none
	}{
		{3.6, 0, "the start (3.6, 3) of ada touches an obstacle: clearance 0.4, radius 0.4"},
		{3.5, 0.1, "touches an obstacle: clearance 0.5, radius 0.4 and margin 0.1"},
		{3.5 - 5e-6, 0.1, ""},
		{3.7, 0, "is in an obstacle: clearance 0.3, radius 0.4; ada fits at (3.596, 3.021)"},
		{0.8, 0, "the starts of bob and ada touch: they are 0.8 apart, want more than the sum of their radii and the margin; radii smaller by 0.000004 leave room"},
		{0.8 + 8e-6, 0, ""},
		{0.7, 0, "the starts of bob and ada are 0.7 apart, want at least 0.8"},
	} {
		scene := &Scene{
			Bounds: &Bounds{Min: []float64{-1, 0}, Max: []float64{10, 6}}, Margin: &c.margin,
			Boxes: []Box{{Center: []float64{5, 3}, Size: []float64{2, 2}}},
			Robots: []Robot{
				{Name: "bob", Start: At(0, 3), Goal: At(8, 1), Radius: new(0.4)}, {Name: "ada", Start: At(c.x, 3), Goal: At(8, 5), Radius: new(0.4)},
			},
		}
		_, err := scene.Task()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
