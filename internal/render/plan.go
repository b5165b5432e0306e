package render

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// Plan draws the first joint sample of a plan: paths with their waypoints, starts
// as circles, goals as squares, robots at a few instants that darken with time,
// and a mark wherever a rule is broken.
func Plan(v PlanView) (*Figure, error) {
	const width = 340
	return planFigure(width, 1, []PlanView{v})
}

// Plans draws several plans as panels of one figure, as many to a row as given,
// with one legend. The robots should be the same in all of them.
func Plans(columns int, views ...PlanView) (*Figure, error) {
	const width = 230
	return planFigure(width, max(columns, 1), views)
}

// The layout of plan figures, in points.
const (
	planMargin  = 10 * vg.Length(1)
	planLeading = 10 * vg.Length(1) // of the note's lines and the legend's rows
	planTitle   = 17 * vg.Length(1)
	planTally   = 14*vg.Length(1) + planMargin
)

func planFigure(cell vg.Length, columns int, views []PlanView) (*Figure, error) {
	if len(views) == 0 {
		return nil, &PlanViewError{Robot: -1, Sample: -1, Reason: "nothing to draw"}
	}
	var mapHeight, head vg.Length
	for _, v := range views {
		if err := v.check(); err != nil {
			return nil, err
		}
		mapHeight = max(mapHeight, mapRect(vg.Point{}, cell-2*planMargin, v.Map.Bounds.Size()).Size().Y)
		head = max(head, planHead(v, cell))
	}
	columns = min(columns, len(views))
	rows := (len(views) + columns - 1) / columns
	height := head + mapHeight + planTally
	width := cell * vg.Length(columns)
	legend := planLegend(views, width-2*planMargin)
	foot := planLeading*vg.Length(len(legend)) + planMargin
	draw := func(c draw.Canvas) {
		for i, v := range views {
			corner := vg.Point{X: c.Min.X + cell*vg.Length(i%columns), Y: c.Max.Y - height*vg.Length(i/columns)}
			drawPlan(c, corner, cell, head, v)
		}
		drawLegendRows(c, foot, legend)
	}
	return &Figure{Width: width, Height: height*vg.Length(rows) + foot, draw: draw}, nil
}

// planHead returns the height of the title and the note.
func planHead(v PlanView, cell vg.Length) vg.Length {
	lines := noteLines(v.Note, cell-2*planMargin)
	return planMargin/2 + planTitle + planLeading*vg.Length(len(lines)) + planMargin
}

// noteLines breaks a note at spaces into at most three lines of a width.
func noteLines(note string, width vg.Length) []string {
	const most = 3
	style := label(7.5, text.XLeft, text.YTop)
	var lines []string
	line := ""
	words := strings.Fields(printable(note))
	for i, w := range words {
		if longer := strings.TrimSpace(line + " " + w); style.Width(longer) <= width || line == "" {
			line = longer
			continue
		}
		if len(lines) == most-1 {
			line = strings.Join(append([]string{line}, words[i:]...), " ")
			break
		}
		lines, line = append(lines, line), w
	}
	if line != "" {
		lines = append(lines, line)
	}
	for i := range lines {
		lines[i] = fit(lines[i], style, width)
	}
	return lines
}

// drawPlan draws a panel whose upper left corner is given.
func drawPlan(c draw.Canvas, corner vg.Point, cell, head vg.Length, v PlanView) {
	left, right := corner.X+planMargin, corner.X+cell-planMargin
	title := label(10, text.XLeft, text.YTop)
	write(c, vg.Point{X: left, Y: corner.Y - planMargin/2}, fit(v.Title, title, right-left), title)
	for i, line := range noteLines(v.Note, right-left) {
		write(c, vg.Point{X: left, Y: corner.Y - planMargin/2 - planTitle - planLeading*vg.Length(i) + 2}, line, label(7.5, text.XLeft, text.YTop))
	}
	f := mapFrame(c, mapRect(vg.Point{X: left, Y: corner.Y - head}, right-left, v.Map.Bounds.Size()), v.Map)
	f.plan(v)
	counts := label(7.5, text.XLeft, text.YTop)
	write(c, vg.Point{X: left, Y: f.rect.Min.Y - planMargin}, fit(tallyLine(v.Samples[0].Marks), counts, right-left), counts)
}

// plan draws the map with everything on it.
func (f frame) plan(v PlanView) {
	f.obstacles(v.Map)
	f.border()
	box, s := v.Map.Bounds.Grow(f.data(planMargin)), v.Samples[0]
	opacity := uint8(min(max(1500/max(len(v.Others), 1), 12), 60)) // the more, the paler
	for _, paths := range v.Others {
		for i, p := range paths {
			f.ways(stroke(translucent(robotColour(i), opacity), 0.3), box, p)
		}
	}
	for i, p := range s.Paths {
		f.instants(robotColour(i), box, p, v.Robots[i].Radius)
	}
	pen := f.pen(v)
	for i, p := range s.Paths {
		f.robotPath(i, box, p, max(v.Parts, 1), pen)
	}
	f.allEnds(v, box)
	f.marks(box, s.Marks, f.markSize(v))
}

// mapRect returns where a map of a size goes that has its upper left corner at a
// point: as wide as given, unless that made it too tall.
func mapRect(corner vg.Point, width vg.Length, size geom.Vec2) vg.Rectangle {
	const tallest = 1.6 // times the width
	scale := width * vg.Length(min(1/size.X, tallest/size.Y))
	return vg.Rectangle{
		Min: vg.Point{X: corner.X, Y: corner.Y - scale*vg.Length(size.Y)},
		Max: vg.Point{X: corner.X + scale*vg.Length(size.X), Y: corner.Y},
	}
}

// ways strokes the parts of a path within a box.
func (f frame) ways(style draw.LineStyle, box geom.Box, p []geom.Vec2) {
	for _, part := range within(box, p) {
		f.way(style, part)
	}
}

// instants draws the robot at evenly spaced times, the later the darker.
func (f frame) instants(colour color.RGBA, box geom.Box, p []geom.Vec2, radius float64) {
	const count = 5
	for k := 1; k <= count; k++ {
		if x := p[(len(p)-1)*k/count]; box.Contains(x) {
			f.disk(translucent(colour, uint8(15+25*k)), x, radius)
		}
	}
}

// marked is how many waypoints lie between two that carry the sign of their robot.
const marked = 8

// pen returns how thick paths are drawn, 1 being usual: thinner on maps that are so large that
// paths would hide one another and the aisles they lead through.
func (f frame) pen(v PlanView) vg.Length {
	const usual, thinnest = 2, 0.4 // a robot's radius in points, and a share
	return min(max(f.length(v.Robots[0].Radius)/usual, thinnest), 1)
}

// robotPath draws the path of robot i with its waypoints, signs and two arrowheads.
// There are so many points from one to the next.
func (f frame) robotPath(i int, box geom.Box, p []geom.Vec2, parts int, pen vg.Length) {
	colour := robotColour(i)
	f.ways(stroke(translucent(white, 190), 2.2*pen), box, p)
	f.ways(robotStroke(i, 0.9*pen), box, p)
	for h, x := range p {
		if !box.Contains(x) || h%parts != 0 {
			continue
		}
		sign := draw.GlyphStyle{Color: colour, Radius: 0.8 * pen, Shape: draw.CircleGlyph{}}
		if h/parts%marked == marked/2 {
			sign = robotMarker(i, 2*pen)
		}
		f.canvas.DrawGlyph(sign, f.at(x.X, x.Y))
	}
	for _, share := range []float64{0.35, 0.7} {
		if from, to, ok := along(p, share); ok && box.Contains(to) {
			arrowhead(f.canvas, colour, f.at(from.X, from.Y), f.at(to.X, to.Y), 4.5*pen)
		}
	}
}

// along returns a point at a share of the length of a path, and one before it
// that shows the direction; ok is false for a path without length.
func along(p []geom.Vec2, share float64) (from, to geom.Vec2, ok bool) {
	total := 0.0
	for h := 1; h < len(p); h++ {
		total += p[h].Dist(p[h-1])
	}
	rest := share * total
	for h := 1; h < len(p); h++ {
		step := p[h].Dist(p[h-1])
		if step > 0 && rest <= step {
			return p[h-1], p[h-1].Lerp(p[h], max(rest/step, 1e-3)), true
		}
		rest -= step
	}
	return geom.Vec2{}, geom.Vec2{}, false
}

// markSize returns half the size of marks, which robots of a usual size exceed.
func (f frame) markSize(v PlanView) vg.Length {
	return min(max(0.3*f.length(v.Robots[0].Radius), 1.3), 2.3)
}

// marks draws stars first, so that no cross is hidden. Marks beyond the box are
// moved to its border.
func (f frame) marks(box geom.Box, marks []Mark, size vg.Length) {
	for _, kind := range []MarkKind{Speeding, Hit, Overlap} {
		for _, m := range marks {
			if m.Kind == kind {
				x := math.Min(math.Max(m.At.X, box.Min.X), box.Max.X)
				y := math.Min(math.Max(m.At.Y, box.Min.Y), box.Max.Y)
				mark(f.canvas, kind, f.at(x, y), size)
			}
		}
	}
}

// translucent returns a colour with an opacity from 0 to 255.
func translucent(c color.RGBA, opacity uint8) color.NRGBA { return color.NRGBA{c.R, c.G, c.B, opacity} }
