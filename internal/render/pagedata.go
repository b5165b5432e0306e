package render

import (
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/go-pcd/pcd/geom"
)

// pageSide is the longer side of a map in the coordinates of a page, whose y
// points down.
const pageSide = 10000

// The data of a page. Keys are short words because runs repeat them.
type (
	pageData struct {
		Step   rounded5    `json:"step"`
		Frames int         `json:"frames"`
		Stages []pageStage `json:"stages"`
		Takes  [][]pageRun `json:"takes"` // [take][stage]
	}
	pageStage struct {
		Size      [2]int  `json:"size"`
		Bounds    [4]int  `json:"bounds"`    // left, top, width, height
		Obstacles [][]int `json:"obstacles"` // polygons: x, y, x, y, …
		// Where the upper left corner is in the units of the map, what a step of the
		// raster is in them, and 1 where the map's y points down, as the page's, or -1.
		Origin   [2]float64  `json:"origin"`
		PerPixel float64     `json:"perPixel"`
		Up       int         `json:"up"`
		Unit     string      `json:"unit"`
		Actors   []pageActor `json:"actors"`
	}
	pageActor struct {
		Label  string    `json:"label"`
		Colour [2]string `json:"colour"` // on light and on dark ground
		Dash   []float64 `json:"dash,omitempty"`
		Radius int       `json:"radius,omitempty"`
		Parts  [][]int   `json:"parts,omitempty"` // polygons around the origin
		Start  []int     `json:"start,omitempty"` // x, y, angle
		Goal   []int     `json:"goal,omitempty"`
	}
	pageRun struct {
		Poses     [][]int        `json:"poses"` // per actor: x, y, x, y, … or x, y, angle, … for polygons
		Charts    []pageChart    `json:"charts"`
		Marks     [][]int        `json:"marks"`     // kind, frame, x, y, actor, …
		Incidents []pageIncident `json:"incidents"` // null when nobody has looked
		Facts     []pageFact     `json:"facts"`
		Order     *OrderView     `json:"order,omitempty"`
	}
	pageChart struct {
		Lines  []pageLine  `json:"lines"`
		Levels []pageLevel `json:"levels"`
		Kind   MarkKind    `json:"kind"`
		Unit   string      `json:"unit,omitempty"`
	}
	pageLine struct {
		Actor  int        `json:"actor"`
		Steps  []rounded5 `json:"steps,omitempty"`  // one for every time between frames
		Values []rounded5 `json:"values,omitempty"` // frame, value, frame, value, …
	}
	pageLevel struct {
		Actor int      `json:"actor"`
		Value rounded5 `json:"value"`
		Label string   `json:"label"`
	}
	pageIncident struct {
		Kind  MarkKind `json:"kind"`
		First int      `json:"first"`
		Last  int      `json:"last"`
		Text  string   `json:"text"`
	}
	pageFact struct {
		Name  string `json:"name"`
		Value string `json:"value"`
		Tone  Tone   `json:"tone"`
	}
)

// rounded5 is a number that is written with five significant digits. Rounding
// keeps the order of numbers: what is at most a limit stays so.
type rounded5 float64

// MarshalJSON implements [json.Marshaler].
func (r rounded5) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(r), 'g', 5, 64), nil
}

func (a *Animation) page() pageData {
	p := pageData{Step: rounded5(a.step), Frames: a.frames()}
	for _, s := range a.stages {
		p.Stages = append(p.Stages, s.page())
	}
	for _, t := range a.takes {
		var runs []pageRun
		for i, r := range t.runs {
			runs = append(runs, r.page(a.stages[i]))
		}
		p.Takes = append(p.Takes, runs)
	}
	return p
}

// raster maps a part of the plane to the integers of a page.
type raster struct {
	box   geom.Box
	scale float64
}

func (s stage) raster() raster {
	box := s.shown()
	size := box.Size()
	return raster{box, pageSide / max(size.X, size.Y)}
}

// length rounds a length. Lengths beyond all sense are cut.
func (r raster) length(d float64) int {
	const most = 100 * pageSide
	return int(math.Round(min(max(d*r.scale, -most), most)))
}

func (r raster) point(p geom.Vec2) (x, y int) {
	return r.length(p.X - r.box.Min.X), r.length(r.box.Max.Y - p.Y)
}

// angle rounds to a thousandth, clockwise as the page's y points down.
func (r raster) angle(a float64) int { return int(math.Round(-1000 * a)) }

func (r raster) pose(p *pose) []int {
	if p == nil {
		return nil
	}
	x, y := r.point(p.at)
	return []int{x, y, r.angle(p.angle)}
}

func (s stage) page() pageStage {
	r := s.raster()
	size, bounds := r.box.Size(), s.ground.Bounds
	left, top := r.point(geom.Vec2{X: bounds.Min.X, Y: bounds.Max.Y})
	p := pageStage{
		Size:   [2]int{r.length(size.X), r.length(size.Y)},
		Bounds: [4]int{left, top, r.length(bounds.Size().X), r.length(bounds.Size().Y)},
		Origin: [2]float64{r.box.Min.X, r.box.Max.Y}, PerPixel: 1 / r.scale, Up: -1, Unit: s.unit,
	}
	if s.down {
		p.Origin[1], p.Up = bounds.Max.Y-r.box.Max.Y, 1
	}
	for _, solid := range s.ground.Obstacles {
		var polygon []int
		for _, v := range outline(solid) {
			x, y := r.point(geom.Vec2{X: v[0], Y: v[1]})
			polygon = append(polygon, x, y)
		}
		p.Obstacles = append(p.Obstacles, polygon)
	}
	for i, a := range s.actors {
		q := pageActor{
			Label: a.label, Colour: [2]string{hex(robotColour(i)), hex(lighter(robotColour(i)))},
			Dash: dashOf(i), Radius: r.length(a.radius), Start: r.pose(a.start), Goal: r.pose(a.goal),
		}
		for _, part := range a.parts {
			var polygon []int
			for _, v := range part {
				polygon = append(polygon, r.length(v.X), r.length(-v.Y))
			}
			q.Parts = append(q.Parts, polygon)
		}
		p.Actors = append(p.Actors, q)
	}
	return p
}

// dashOf returns the dashes of actor i in pixels.
func dashOf(i int) (out []float64) {
	for _, d := range robotDash(i) {
		out = append(out, 1.6*float64(d))
	}
	return out
}

func hex(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// lighter returns a colour that can be told from a dark ground.
func lighter(c color.RGBA) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - 0.6*(255-float64(v))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

func (r run) page(s stage) pageRun {
	p := pageRun{Poses: make([][]int, len(r.poses)), Marks: [][]int{}, Facts: []pageFact{}, Order: r.order}
	if r.marks != nil {
		p.Incidents = []pageIncident{}
	}
	grid := s.raster()
	names := make([]string, len(s.actors))
	for i, a := range s.actors {
		names[i] = a.name
		p.Poses[i] = grid.poses(r.poses[i], a.parts != nil)
	}
	for _, m := range r.marks {
		x, y := grid.point(m.At)
		p.Marks = append(p.Marks, append([]int{int(m.Kind), m.Waypoint, x, y}, m.Robots...))
	}
	for _, c := range incidents(r.marks) {
		p.Incidents = append(p.Incidents, pageIncident{c.mark.Kind, c.first, c.last, c.describe(names)})
	}
	for _, f := range r.facts {
		p.Facts = append(p.Facts, pageFact{printable(f.Name), printable(f.Value), f.Tone})
	}
	for _, c := range r.charts {
		p.Charts = append(p.Charts, c.page())
	}
	return p
}

// poses flattens the frames of an actor, with the angle of one that turns.
func (r raster) poses(frames []pose, turns bool) (out []int) {
	angle := 0.0
	for h, f := range frames {
		x, y := r.point(f.at)
		out = append(out, x, y)
		if turns {
			if h == 0 {
				angle = f.angle
			}
			angle += math.Remainder(f.angle-angle, 2*math.Pi) // the short way round
			out = append(out, r.angle(angle))
		}
	}
	return out
}

func (c chart) page() pageChart {
	p := pageChart{Kind: c.kind, Unit: c.unit, Levels: []pageLevel{}}
	for _, l := range c.lines {
		q := pageLine{Actor: l.actor}
		for _, v := range l.steps {
			q.Steps = append(q.Steps, rounded5(v))
		}
		for _, v := range l.values {
			q.Values = append(q.Values, rounded5(v[0]), rounded5(v[1]))
		}
		p.Lines = append(p.Lines, q)
	}
	for _, l := range c.levels {
		p.Levels = append(p.Levels, pageLevel{l.actor, rounded5(l.value), l.label})
	}
	return p
}
