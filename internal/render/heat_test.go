package render

import (
	"bytes"
	"image/color"
	"strings"
	"testing"
)

// Colours are white at zero and full at the limit, which leaves a few numbers out; rows
// go upwards.
func TestHeat(t *testing.T) {
	if got := heatColour(0); got != white {
		t.Errorf("nothing is %v", got)
	}
	for v, want := range map[float64]color.RGBA{1: blue, 3: blue, -1: orange} {
		if got := heatColour(v); got != want {
			t.Errorf("%v is %v, want %v", v, got, want)
		}
	}
	img := heatImage([][]float64{{1, 0}, {0, -1}}, 1)
	if w, h := img.Bounds().Dx(), img.Bounds().Dy(); w != 8 || h != 8 {
		t.Fatalf("%d × %d pixels of four numbers", w, h)
	}
	if img.At(0, 7) != blue || img.At(7, 0) != orange || img.At(0, 0) != white {
		t.Errorf("corners %v, %v, %v", img.At(0, 7), img.At(7, 0), img.At(0, 0))
	}
	row := make([]float64, 100)
	for i := range row {
		row[i] = 1
	}
	row[50] = -1000
	if top := heatLimit([]Heat{{Rows: [][]float64{row}}}); top != 1 {
		t.Errorf("one large number makes the limit %v, want 1", top)
	}
	if top := heatLimit(nil); top != 1 {
		t.Errorf("the limit of nothing is %v", top)
	}
}

func TestHeatMaps(t *testing.T) {
	panel := Heat{Title: "a title", X: "share", Y: "timestep", XRange: [2]float64{0, 1}, YRange: [2]float64{0, 1000}, Rows: [][]float64{{1, -2}, {3, 4}}}
	f := HeatMaps(2, panel, panel, panel)
	if two := HeatMaps(2, panel, panel); f.Height != 2*two.Height || f.Width != two.Width {
		t.Errorf("three panels in two columns are %v × %v, two %v × %v", f.Width, f.Height, two.Width, two.Height)
	}
	var svg, png bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil || strings.Count(svg.String(), "a title") != 3 {
		t.Errorf("%v, %d titles", err, strings.Count(svg.String(), "a title"))
	}
	// Two rows of two numbers fill a panel that is wider than high.
	if stretched := strings.Count(svg.String(), `<image preserveAspectRatio="none"`); stretched != 6 || strings.Count(svg.String(), "<image") != 6 {
		t.Errorf("%d images fill their rectangles, want those of three panels and three scales", stretched)
	}
	if err := f.WritePNG(&png); err != nil || png.Len() == 0 {
		t.Error(err)
	}
}
