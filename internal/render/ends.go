package render

import (
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/gaps"
)

// endLabel is the size of the names of starts and goals, in points.
const endLabel = 6.5

// allEnds draws the starts of robots as circles and their goals as squares, with
// their names. Starts come first: the goal of one may be the start of another.
func (f frame) allEnds(v PlanView, box geom.Box) {
	for i, r := range v.Robots {
		if box.Contains(r.Start) {
			f.disk(translucent(white, 235), r.Start, r.Radius)
			f.ring(stroke(robotColour(i), 1.1), r.Start, r.Radius)
		}
	}
	for i, r := range v.Robots {
		if box.Contains(r.Goal) {
			f.square(stroke(white, 2.2), r.Goal, r.Radius)
			f.square(stroke(robotColour(i), 1.2), r.Goal, r.Radius)
		}
	}
	names := shortNames(v.names())
	p := placer{frame: f}
	for _, path := range v.Samples[0].Paths {
		p.keepOff(path)
	}
	for i, r := range v.Robots {
		if box.Contains(r.Start) {
			p.place(names[i], r.Start, r.Radius, i)
		}
	}
	for i, r := range v.Robots {
		if box.Contains(r.Goal) {
			p.place(names[i], r.Goal, r.Radius, i)
		}
	}
}

// placer writes names at places so that none covers another, and beside the paths
// where there is room.
type placer struct {
	frame frame
	ways  []geom.Segment // in points of the canvas
	taken []vg.Rectangle
}

// keepOff adds a path that names shall not lie on.
func (p *placer) keepOff(path []geom.Vec2) {
	for h := range len(path) - 1 {
		a, b := p.frame.at(path[h].X, path[h].Y), p.frame.at(path[h+1].X, path[h+1].Y)
		p.ways = append(p.ways, geom.Segment{A: geom.Vec2{X: float64(a.X), Y: float64(a.Y)}, B: geom.Vec2{X: float64(b.X), Y: float64(b.Y)}})
	}
}

// place writes a name at a disk: inside if it fits there and the place is free, else
// at the first side or corner that is free, inside the frame and beside all paths,
// else at the first that is free, else on the right.
func (p *placer) place(name string, centre geom.Vec2, radius float64, robot int) {
	f := p.frame
	style := label(endLabel, text.XCenter, text.YCenter)
	name = fit(name, style, 70)
	at, r := f.at(centre.X, centre.Y), f.length(radius)
	half := vg.Point{X: style.Width(name) / 2, Y: endLabel / 2}
	x, y := r+half.X+2, r+half.Y+1.5
	candidates := []vg.Point{{X: x}, {X: -x}, {Y: y}, {Y: -y}, {X: x, Y: y}, {X: -x, Y: y}, {X: x, Y: -y}, {X: -x, Y: -y}}
	inside := half.X < 0.8*r && half.Y < 0.95*r
	if inside {
		candidates = append([]vg.Point{{}}, candidates...)
	}
	free := slices.DeleteFunc(candidates[:len(candidates):len(candidates)], func(c vg.Point) bool { return !p.free(around(at.Add(c), half)) })
	chosen := vg.Point{X: x}
	if i := slices.IndexFunc(free, func(c vg.Point) bool { return !p.struck(around(at.Add(c), half)) }); i >= 0 {
		chosen = free[i]
	} else if len(free) > 0 {
		chosen = free[0]
	}
	p.taken = append(p.taken, around(at.Add(chosen), half))
	style.Color = robotColour(robot)
	tag(f.canvas, at.Add(chosen), name, style)
}

// around returns the rectangle of half a size around a point.
func around(at, half vg.Point) vg.Rectangle {
	return vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
}

// free reports whether a rectangle lies in the frame and covers no name.
func (p *placer) free(r vg.Rectangle) bool {
	if r.Min.X < p.frame.rect.Min.X || r.Max.X > p.frame.rect.Max.X || r.Min.Y < p.frame.rect.Min.Y || r.Max.Y > p.frame.rect.Max.Y {
		return false
	}
	for _, t := range p.taken {
		if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
			return false
		}
	}
	return true
}

// struck reports whether a path runs through a rectangle.
func (p *placer) struck(r vg.Rectangle) bool {
	box := geom.Box{Min: geom.Vec2{X: float64(r.Min.X), Y: float64(r.Min.Y)}, Max: geom.Vec2{X: float64(r.Max.X), Y: float64(r.Max.Y)}}
	solid := box.Convex()
	return slices.ContainsFunc(p.ways, func(s geom.Segment) bool {
		b := s.Bounds()
		if b.Max.X < box.Min.X || b.Min.X > box.Max.X || b.Max.Y < box.Min.Y || b.Min.Y > box.Max.Y {
			return false
		}
		gap, _ := gaps.Segment(solid, s, 0)
		return gap <= 0
	})
}

// robotSign draws the line and the sign of robot i in a legend.
func robotSign(i int) func(c draw.Canvas, at vg.Point) {
	return func(c draw.Canvas, at vg.Point) {
		c.StrokeLine2(robotStroke(i, 1.2), at.X-8, at.Y, at.X+8, at.Y)
		c.DrawGlyph(robotMarker(i, 2.2), at)
	}
}
