package render

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// gifFrame returns the frame of a stage, which lies right of those before it.
func gifFrame(c draw.Canvas, i int, s stage) frame {
	corner := vg.Point{X: c.Min.X + gifPanel*vg.Length(i) + gifMargin, Y: c.Max.Y - gifHead}
	box := s.shown()
	return mapFrame(c, mapRect(corner, gifPanel-2*gifMargin, box.Size()), MapView{Bounds: box})
}

// ground draws what does not move: the words, the map, the ends and the ways.
func (f frame) ground(s stage, r run) {
	title, note := label(10, text.XLeft, text.YTop), label(7.5, text.XLeft, text.YTop)
	const width = gifPanel - 2*gifMargin
	write(f.canvas, vg.Point{X: f.rect.Min.X, Y: f.rect.Max.Y + gifHead - 5}, fit(s.title, title, width), title)
	write(f.canvas, vg.Point{X: f.rect.Min.X, Y: f.rect.Max.Y + gifHead - 20}, fit(s.note, note, width), note)
	f.obstacles(s.ground)
	f.edge(s.ground.Bounds)
	for i, a := range s.actors {
		f.ways(stroke(translucent(robotColour(i), 110), 0.5), s.shown(), places(r.poses[i]))
		f.actorEnds(robotColour(i), s.shown(), a)
	}
	p := placer{frame: f}
	for _, poses := range r.poses {
		p.keepOff(places(poses))
	}
	for i, a := range s.actors {
		if a.goal != nil && a.parts == nil && s.shown().Contains(a.goal.at) {
			p.place(a.label, a.goal.at, a.radius, i)
		}
	}
}

// edge strokes the border of the workspace.
func (f frame) edge(b geom.Box) {
	corners := rounded(b, 0)
	f.line(stroke(ink, 0.6), append(corners, corners[0])...)
}

func places(p []pose) []geom.Vec2 {
	out := make([]geom.Vec2, len(p))
	for h, x := range p {
		out[h] = x.at
	}
	return out
}

// actorEnds draws the start of a disk as a circle and its goal as a square, and
// the outlines of polygons at their goal.
func (f frame) actorEnds(colour color.RGBA, box geom.Box, a actor) {
	if a.start != nil && box.Contains(a.start.at) {
		f.ring(stroke(colour, 0.8), a.start.at, a.radius)
	}
	if a.goal == nil || !box.Contains(a.goal.at) {
		return
	}
	if a.parts == nil {
		f.square(stroke(colour, 1), a.goal.at, a.radius)
	}
	for _, part := range a.parts {
		corners := placed(part, *a.goal)
		f.line(stroke(colour, 1, 3, 2), append(corners, corners[0])...)
	}
}

// placed returns a polygon of an actor at a pose.
func placed(part geom.Polygon, p pose) [][2]float64 {
	sin, cos := math.Sincos(p.angle)
	out := make([][2]float64, len(part))
	for i, v := range part {
		out[i] = [2]float64{p.at.X + cos*v.X - sin*v.Y, p.at.Y + sin*v.X + cos*v.Y}
	}
	return out
}

// moment draws the actors at a time in frames, the ways that they have gone, and
// the marks up to then.
func (f frame) moment(s stage, r run, t float64) {
	box := s.shown()
	for i := range s.actors {
		f.ways(robotStroke(i, 1.6), box, gone(r.poses[i], t))
	}
	var past []Mark
	broken := map[int]MarkKind{}
	for _, m := range r.marks {
		if float64(m.Waypoint) > t+0.5 {
			continue
		}
		past = append(past, m)
		if float64(m.Waypoint) < t-0.5 {
			continue
		}
		for _, i := range m.Robots {
			if worse, ok := broken[i]; !ok || m.Kind < worse {
				broken[i] = m.Kind
			}
		}
	}
	f.marks(box, past, 2.3)
	for i, a := range s.actors {
		p := poseAt(r.poses[i], t)
		if !box.Contains(p.at) {
			continue
		}
		f.actor(robotColour(i), a, p)
		if kind, ok := broken[i]; ok {
			f.ring(stroke([]color.RGBA{overlapColour, hitColour, speedingColour}[kind], 1.8), p.at, a.radius+f.data(2))
		}
		if !f.arrived(a, p) {
			f.nameTag(a.label, p.at, a.radius, 7, white)
		}
	}
}

// arrived reports whether the name of an actor at its goal stands beside it: there it
// would be written over that of the goal.
func (f frame) arrived(a actor, p pose) bool {
	if a.goal == nil || a.parts != nil || f.fitsInside(a.label, a.radius, 7) {
		return false
	}
	near := f.data(label(7, text.XLeft, text.YCenter).Width(a.label)) + 2*a.radius
	return p.at.Dist(a.goal.at) < near
}

func (f frame) actor(colour color.RGBA, a actor, p pose) {
	if a.parts == nil {
		f.disk(white, p.at, a.radius+f.data(0.5))
		f.disk(colour, p.at, a.radius)
	}
	for _, part := range a.parts {
		f.polygon(colour, placed(part, p)...)
	}
}

// poseAt returns the pose of an actor at a time in frames.
func poseAt(p []pose, t float64) pose {
	h := min(int(t), len(p)-1)
	next := p[min(h+1, len(p)-1)]
	share := min(t-float64(h), 1)
	turn := math.Remainder(next.angle-p[h].angle, 2*math.Pi)
	return pose{p[h].at.Lerp(next.at, share), p[h].angle + share*turn}
}

// gone returns the way of an actor up to a time in frames.
func gone(p []pose, t float64) []geom.Vec2 {
	h := min(int(t), len(p)-1)
	return append(places(p[:h+1]), poseAt(p, t).at)
}
