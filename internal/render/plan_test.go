package render

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/go-pcd/pcd/geom"
)

// svgOf parses the figure as XML and returns its source and its texts.
func svgOf(t *testing.T, f *Figure) (source string, texts []string) {
	t.Helper()
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	source = b.String()
	inText := false
	for d := xml.NewDecoder(&b); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return source, texts
		}
		if err != nil {
			t.Fatalf("the SVG is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inText = token.Name.Local == "text"
		case xml.CharData:
			if inText {
				texts = append(texts, string(token))
			}
		case xml.EndElement:
			inText = false
		}
	}
}

func plan(t *testing.T, v PlanView) *Figure {
	t.Helper()
	f, err := Plan(v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func pixels(t *testing.T, f *Figure) image.Image {
	t.Helper()
	var b bytes.Buffer
	if err := f.WritePNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func TestPlanSaysWhatItShows(t *testing.T) {
	v := busyView()
	v.Note = "limit 0.4 m/s"
	_, texts := svgOf(t, plan(t, v))
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"pcd-shd on highways", "limit 0.4 m/s", "robot 0", "robot 2", "start", "goal",
		Overlap.String(), Hit.String(), Speeding.String(), tallyLine(v.Samples[0].Marks),
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no text %q in\n%s", want, all)
		}
	}
	_, texts = svgOf(t, plan(t, calmView()))
	all = strings.Join(texts, "\n")
	if !strings.Contains(all, "no rule broken") || strings.Contains(all, Overlap.String()) {
		t.Errorf("a plan without marks says\n%s", all)
	}
}

func TestPlanEscapesNames(t *testing.T) {
	v := calmView()
	v.Robots[0].Name = "</text><script>alert('\"&\x00\u2028')\n]]>"
	v.Title, v.Note = "<b>&amp;", strings.Repeat("<i> ", 300)
	source, texts := svgOf(t, plan(t, v))
	if strings.Contains(source, "<script") || strings.Contains(source, "<b>") {
		t.Error("a name became markup")
	}
	if texts[0] != "<b>&amp;" {
		t.Errorf("title %q, want %q", texts[0], v.Title)
	}
}

// planPixel returns the pixel of a point of the map in a figure of one plan,
// whose map spans the width between the margins and ends above the foot.
func planPixel(img image.Image, v PlanView, p geom.Vec2) (x, y int) {
	scale := float64(img.Bounds().Dx()) / 340
	left, width := float64(planMargin), 340-2*float64(planMargin)
	top := float64(planHead(v, vg.Length(340)))
	b := v.Map.Bounds
	x = int(scale * (left + (p.X-b.Min.X)/(b.Max.X-b.Min.X)*width))
	y = int(scale * (top + (b.Max.Y-p.Y)/(b.Max.Y-b.Min.Y)*width*mapAspect(v.Map)))
	return x, y
}

// coloured returns the smallest rectangle with all pixels of about a colour in a
// part of a picture.
func coloured(img image.Image, part image.Rectangle, want color.RGBA) (out image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if near(img, x, y, 0, want) {
				out = out.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return out
}

func abs(v int) int { return max(v, -v) }

// near reports whether a pixel of about a colour lies within some pixels of a point.
func near(img image.Image, x, y, reach int, want color.RGBA) bool {
	for dy := -reach; dy <= reach; dy++ {
		for dx := -reach; dx <= reach; dx++ {
			r, g, b, _ := img.At(x+dx, y+dy).RGBA()
			off := func(got uint32, want uint8) float64 { return math.Abs(float64(got>>8) - float64(want)) }
			if off(r, want.R)+off(g, want.G)+off(b, want.B) < 30 {
				return true
			}
		}
	}
	return false
}

func TestPlanPutsMarksWhereTheyAre(t *testing.T) {
	v := calmView()
	img := pixels(t, plan(t, v))
	places := map[MarkKind]geom.Vec2{Overlap: {X: -0.2, Y: 0.1}, Hit: {X: 0.3, Y: -0.8}, Speeding: {X: 0.9, Y: 0.9}}
	colours := map[MarkKind]color.RGBA{Overlap: overlapColour, Hit: hitColour, Speeding: speedingColour}
	for kind, at := range places {
		x, y := planPixel(img, v, at)
		if near(img, x, y, 2, colours[kind]) {
			t.Fatalf("%v: the colour of the mark is at (%d, %d) without it", kind, x, y)
		}
		marked := calmView()
		robots := []int{0}
		if kind == Overlap {
			robots = []int{0, 1}
		}
		marked.Samples[0].Marks = []Mark{{kind, 5, robots, at}}
		got := coloured(pixels(t, plan(t, marked)), image.Rect(x-20, y-20, x+21, y+21), colours[kind])
		if middle := got.Min.Add(got.Max).Div(2); got.Dx() < 3 || got.Dy() < 3 || max(abs(middle.X-x), abs(middle.Y-y)) > 2 {
			t.Errorf("%v: marked %v, want a mark around (%d, %d)", kind, got, x, y)
		}
	}
}

func TestPlanDrawsMapAndRobots(t *testing.T) {
	v := busyView()
	img := pixels(t, plan(t, v))
	f := plan(t, v)
	if got, want := img.Bounds().Size(), image.Pt(int(f.Width*pngDPI/72), int(f.Height*pngDPI/72)); got != want {
		t.Errorf("size %v, want %v", got, want)
	}
	for name, c := range map[string]struct {
		at     geom.Vec2
		colour color.RGBA
	}{
		"centre of an obstacle": {geom.Vec2{X: 0, Y: 0.875}, obstacleColour},
		"free space":            {geom.Vec2{X: 0.5, Y: -0.5}, white},
		"goal of robot 2":       {v.Robots[2].Goal.Add(geom.Vec2{Y: v.Robots[2].Radius}), robotColour(2)},
		"start of robot 2":      {v.Robots[2].Start.Add(geom.Vec2{X: -v.Robots[2].Radius}), robotColour(2)},
	} {
		if x, y := planPixel(img, v, c.at); !near(img, x, y, 1, c.colour) {
			t.Errorf("%s at (%d, %d): %v, want about %v", name, x, y, img.At(x, y), c.colour)
		}
	}
}

func TestPlanKeepsWildPathsInside(t *testing.T) {
	v := calmView()
	for h := range v.Samples[0].Paths[0] {
		v.Samples[0].Paths[0][h].Y += 40 * math.Sin(float64(h))
	}
	v.Robots[1].Start, v.Robots[1].Goal = geom.Vec2{X: 0.5, Y: 1.15}, geom.Vec2{X: -0.5, Y: 1.15}
	img := pixels(t, plan(t, v))
	for x := range img.Bounds().Dx() {
		if r, g, b, _ := img.At(x, 2).RGBA(); r&g&b != 0xffff {
			t.Fatalf("pixel (%d, 2) above the title is not white", x)
		}
	}
}

func TestPlansSetsPanelsInRows(t *testing.T) {
	v := busyView()
	one, err := Plans(3, v)
	if err != nil {
		t.Fatal(err)
	}
	four, err := Plans(3, v, calmView(), v, v)
	if err != nil {
		t.Fatal(err)
	}
	if four.Width != 3*one.Width || four.Height <= 1.5*one.Height || four.Height >= 2*one.Height {
		t.Errorf("four panels are %v by %v, one is %v by %v", four.Width, four.Height, one.Width, one.Height)
	}
	_, texts := svgOf(t, four)
	if n := strings.Count(strings.Join(texts, "\n"), "pcd-shd on"); n != 4 {
		t.Errorf("%d titles, want 4", n)
	}
	if _, err := Plans(2); err == nil {
		t.Error("Plans of nothing: no error")
	}
}

func TestWithinKeepsTheInsidePartsOfAPath(t *testing.T) {
	unit := geom.Box{Max: geom.Vec2{X: 1, Y: 1}}
	p := []geom.Vec2{{X: -1, Y: 0.5}, {X: 0.5, Y: 0.5}, {X: 0.5, Y: 3}, {X: 0.75, Y: 3}, {X: 0.75, Y: -1}}
	got := within(unit, p)
	want := [][]geom.Vec2{{{X: 0, Y: 0.5}, {X: 0.5, Y: 0.5}, {X: 0.5, Y: 1}}, {{X: 0.75, Y: 1}, {X: 0.75, Y: 0}}}
	if len(got) != len(want) {
		t.Fatalf("within = %v, want %v", got, want)
	}
	for i := range want {
		if len(got[i]) != len(want[i]) {
			t.Fatalf("part %d = %v, want %v", i, got[i], want[i])
		}
		for h := range want[i] {
			if got[i][h].Dist(want[i][h]) > 1e-12 {
				t.Errorf("part %d, point %d = %v, want %v", i, h, got[i][h], want[i][h])
			}
		}
	}
}
