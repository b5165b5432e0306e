package render

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"math"
	"testing"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

// gifOf decodes the GIF of an animation.
func gifOf(t *testing.T, a *Animation) *gif.GIF {
	t.Helper()
	var b bytes.Buffer
	if err := a.WriteGIF(&b); err != nil {
		t.Fatal(err)
	}
	g, err := gif.DecodeAll(&b)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// screens plays a GIF and returns what is on the screen at some pictures.
func screens(g *gif.GIF, at ...int) map[int]*image.RGBA {
	screen := image.NewRGBA(image.Rect(0, 0, g.Config.Width, g.Config.Height))
	out := map[int]*image.RGBA{}
	for i, p := range g.Image {
		draw.Draw(screen, p.Rect, p, p.Rect.Min, draw.Over)
		for _, want := range at {
			if want == i {
				kept := image.NewRGBA(screen.Rect)
				copy(kept.Pix, screen.Pix)
				out[i] = kept
			}
		}
	}
	return out
}

// gifPixel returns the pixel of a point of the map of a stage.
func gifPixel(img image.Image, a *Animation, i int, p geom.Vec2) (x, y int) {
	size := img.Bounds().Size()
	c := vgdraw.New(vgimg.NewWith(vgimg.UseWH(gifPanel*vg.Length(len(a.stages)), vg.Length(size.Y)*72/gifDPI), vgimg.UseDPI(gifDPI)))
	at := gifFrame(c, i, a.stages[i]).at(p.X, p.Y)
	return int(float64(at.X) * gifDPI / 72), size.Y - int(float64(at.Y)*gifDPI/72)
}

func TestGIFPlaysInRealTime(t *testing.T) {
	thorough.Test(t)
	still := calmView()
	for i, p := range still.Samples[0].Paths {
		still.Samples[0].Paths[i] = p[:1]
	}
	long := calmView()
	long.Step = 60
	for _, c := range []struct {
		name    string
		view    PlanView
		seconds float64
	}{{"published duration", calmView(), 63.0 * 5 / 64}, {"short", swapView(), gifShortest}, {"long", long, gifLongest}, {"still", still, gifShortest}} {
		g := gifOf(t, animate(t, c.view))
		hundredths := 0
		for _, d := range g.Delay[:len(g.Delay)-1] {
			hundredths += d
		}
		if got := float64(hundredths) / 100; math.Abs(got-c.seconds) > 0.03 || g.Delay[len(g.Delay)-1] != gifRest {
			t.Errorf("%s: plays %v s and rests %v, want %v and %v", c.name, got, g.Delay[len(g.Delay)-1], c.seconds, gifRest)
		}
		if g.LoopCount != 0 {
			t.Errorf("%s: does not repeat for ever", c.name)
		}
	}
}

func TestGIFMovesRobots(t *testing.T) {
	a := animate(t, busyView(), calmView())
	g := gifOf(t, a)
	last := len(g.Image) - 1
	shown := screens(g, 0, last)
	for i, s := range a.stages {
		for k, r := range s.actors {
			for n, want := range map[int]geom.Vec2{0: r.start.at, last: r.goal.at} {
				// Beside the label, which is at the centre.
				x, y := gifPixel(shown[n], a, i, want.Add(geom.Vec2{Y: 0.7 * r.radius}))
				if i == 0 && k == 1 && n == last {
					continue // robot 0 has come to lie on it
				}
				if !near(shown[n], x, y, 1, robotColour(k)) {
					t.Errorf("picture %d: stage %d, robot %d is not at %v, there is %v", n, i, k, want, shown[n].At(x, y))
				}
			}
			x, y := gifPixel(shown[last], a, i, r.start.at.Add(geom.Vec2{Y: 0.7 * r.radius}))
			if i == 1 && !near(shown[last], x, y, 0, white) {
				t.Errorf("robot %d has not left its start", k)
			}
		}
	}
}

func TestGIFStoresOnlyChanges(t *testing.T) {
	g := gifOf(t, animate(t, calmView()))
	whole := g.Config.Width * g.Config.Height
	for i, p := range g.Image[1:] {
		if opaque := len(p.Pix) - bytes.Count(p.Pix, []byte{0}); opaque > whole/50 {
			t.Errorf("picture %d stores %d pixels of %d", i+1, opaque, whole)
		}
	}
}

func TestGIFShowsMarksFromTheirTimeOn(t *testing.T) {
	v := calmView()
	at := geom.Vec2{X: 0.1, Y: 0.05}
	v.Samples[0].Marks = []Mark{{Overlap, 40, []int{0, 1}, at}}
	a := animate(t, v)
	g := gifOf(t, a)
	last := len(g.Image) - 1
	shown := screens(g, last/2, last)
	x, y := gifPixel(shown[last], a, 0, at)
	if near(shown[last/2], x, y, 1, overlapColour) || !near(shown[last], x, y, 1, overlapColour) {
		t.Errorf("at the mark: %v before and %v after, want %v after only", shown[last/2].At(x, y), shown[last].At(x, y), overlapColour)
	}
}

func TestGIFTurnsPolygons(t *testing.T) {
	a := pushing()
	g := gifOf(t, a)
	last := len(g.Image) - 1
	shown := screens(g, 0, last)
	for n, free := range map[int]geom.Vec2{0: {X: 240, Y: 150}, last: {X: 300, Y: 210}} {
		// The bar lies above its origin in the first picture, left of it in the last.
		bar := map[int]geom.Vec2{0: {X: 300, Y: 210}, last: {X: 240, Y: 150}}[n]
		x, y := gifPixel(shown[n], a, 0, bar)
		if !near(shown[n], x, y, 0, robotColour(0)) {
			t.Errorf("picture %d: no block at %v but %v", n, bar, shown[n].At(x, y))
		}
		if x, y := gifPixel(shown[n], a, 0, free); !near(shown[n], x, y, 0, white) {
			t.Errorf("picture %d: %v at %v, want nothing", n, shown[n].At(x, y), free)
		}
	}
}

func TestGIFPaletteHoldsTheColoursOfFigures(t *testing.T) {
	p := gifPalette()
	if len(p) > 256 {
		t.Fatalf("%d colours", len(p))
	}
	for _, c := range append([]color.RGBA{white, ink, obstacleColour, overlapColour, hitColour, speedingColour}, robotColours...) {
		got := color.RGBAModel.Convert(p[1:].Convert(c)).(color.RGBA)
		if d := math.Abs(float64(got.R)-float64(c.R)) + math.Abs(float64(got.G)-float64(c.G)) + math.Abs(float64(got.B)-float64(c.B)); d > 20 {
			t.Errorf("%v becomes %v", c, got)
		}
	}
}
