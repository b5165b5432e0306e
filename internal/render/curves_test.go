package render

import (
	"bytes"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every axis carries at least two numbers, however narrow.
func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		want   []string
	}{
		{0, 1, false, []string{"0.0", "0.5", "1.0"}},
		{math.Log10(0.1), math.Log10(0.4), true, []string{"0.1", "0.2", "0.3", "0.4"}},
		{math.Log10(0.25), math.Log10(0.3), true, []string{"0.26", "0.28", "0.3"}},
		{math.Log10(0.01), math.Log10(0.1), true, []string{"0.01", "0.02", "0.05", "0.1"}},
		{-3, 1, true, []string{"0.001", "0.01", "0.1", "1", "10"}},
	} {
		var labels []string
		for _, tick := range ticks(c.lo, c.hi, c.log) {
			labels = append(labels, tick.Label)
			if tick.Value < c.lo-1e-9 || tick.Value > c.hi+1e-9 {
				t.Errorf("tick %q at %v is outside of [%v, %v]", tick.Label, tick.Value, c.lo, c.hi)
			}
		}
		if !slices.Equal(labels, c.want) {
			t.Errorf("ticks of [%v, %v]: %q, want %q", c.lo, c.hi, labels, c.want)
		}
	}
}

// Points are joined by no line, neither in the figure nor in its legend.
func TestPointsAreNotJoined(t *testing.T) {
	x := []float64{1, 2, 3}
	drawn := func(points bool) (lines int) {
		var svg bytes.Buffer
		if err := Curves(Axes{}, Curve{Name: "line", X: x, Y: x}, Curve{Name: "points", X: x, Y: []float64{3, 1, 2}, Points: points}).WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		return strings.Count(svg.String(), "stroke:#") - strings.Count(svg.String(), "stroke:#282828")
	}
	if with, without := drawn(false), drawn(true); with != 4 || without != 2 {
		t.Errorf("%d strokes of two lines and their names, %d where one is points, want 4 and 2", with, without)
	}
}

// A legend shows every line as it is drawn, also a faint one, in one figure and in a grid.
func TestLegendLooksLikeItsCurves(t *testing.T) {
	x := []float64{1, 2, 3}
	curves := []Curve{{Name: "faint", Faint: true, X: x, Y: []float64{3, 2, 1}}, {Name: "strong", X: x, Y: []float64{1, 2, 3}}}
	for name, f := range map[string]*Figure{
		"one": Curves(Axes{}, curves...), "grid": CurveGrid(2, make([]Axes, 2), [][]Curve{curves, curves}),
	} {
		var svg bytes.Buffer
		if err := f.WriteSVG(&svg); err != nil {
			t.Fatal(err)
		}
		styles := map[string]int{}
		for _, style := range regexp.MustCompile(`stroke:#[^"]*`).FindAllString(svg.String(), -1) {
			if !strings.HasPrefix(style, "stroke:#282828") { // of the frame
				styles[style]++
			}
		}
		if len(styles) != len(curves) {
			t.Errorf("%s: two lines and their legends are drawn in the styles %v, want one style for each line", name, styles)
		}
		for style, n := range styles {
			if n < 2 {
				t.Errorf("%s: %s is drawn %d times, want a line and its legend", name, style, n)
			}
		}
	}
}
