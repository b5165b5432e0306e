package render

import (
	"math"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/go-pcd/pcd/geom"
)

// The layout of figures of manipulation, in points.
const (
	pushPanel  = 230 * vg.Length(1)
	pushMargin = 9 * vg.Length(1)
	pushHead   = 52 * vg.Length(1)
	pushFoot   = 14 * vg.Length(1)
)

// Push draws the first pair: both agents' ways over one another, then each run by
// itself with the block at a few instants that darken with time. The goal is
// shaded.
func Push(v PushView) (*Figure, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	paint := func(c draw.Canvas) {
		title, note := label(10, text.XLeft, text.YTop), label(7.5, text.XLeft, text.YTop)
		top := vg.Point{X: c.Min.X + pushMargin, Y: c.Max.Y - 5}
		write(c, top, fit(printable(v.Title), title, 3*pushPanel-2*pushMargin), title)
		write(c, vg.Point{X: top.X, Y: top.Y - 15}, fit(printable(v.Note), note, 3*pushPanel-2*pushMargin), note)
		for i, name := range []string{"both", memberNames[0], memberNames[1]} {
			corner := vg.Point{X: c.Min.X + pushPanel*vg.Length(i) + pushMargin, Y: c.Max.Y - pushHead}
			f := mapFrame(c, mapRect(corner, pushPanel-2*pushMargin, v.ground().Bounds.Size()), v.ground())
			write(c, vg.Point{X: corner.X, Y: corner.Y + 4}, name, label(8, text.XLeft, text.YBottom))
			if i == 0 {
				f.pushBoth(v)
			} else {
				f.pushMember(v, i-1)
			}
			f.border()
		}
	}
	return &Figure{Width: 3 * pushPanel, Height: pushHead + pushPanel - 2*pushMargin + pushFoot, draw: paint}, nil
}

// pushBoth draws the ways of both agents and where the block starts and ends.
func (f frame) pushBoth(v PushView) {
	f.pushGoal(v)
	first := v.Pairs[0]
	f.block(v, first.Members[0].Block[0], 0, 190)
	for m, r := range first.Members {
		f.block(v, r.Block[len(r.Block)-1], m+1, 150)
	}
	for m, r := range first.Members {
		f.agentWay(v, r, m)
	}
}

// pushMember draws one run.
func (f frame) pushMember(v PushView, member int) {
	f.pushGoal(v)
	r := v.Pairs[0].Members[member]
	const instants = 6
	for k := range instants {
		f.block(v, r.Block[(len(r.Block)-1)*k/(instants-1)], member+1, uint8(40+35*k))
	}
	f.agentWay(v, r, member)
	last := r.Agent[len(r.Agent)-1]
	f.disk(translucent(robotColour(member), 120), v.flip(last), v.Radius)
}

func (f frame) pushGoal(v PushView) {
	for _, corners := range v.placed(v.Goal) {
		f.polygon(translucent(robotColour(2), 70), corners...)
	}
}

// block strokes the outline of the block: colour 0 is grey, others are those of the
// members.
func (f frame) block(v PushView, at PushPose, colour int, opacity uint8) {
	c := faint
	if colour > 0 {
		c = robotColour(colour - 1)
	}
	box := v.ground().Bounds
	for _, corners := range v.placed(at) {
		var way []geom.Vec2
		for _, p := range append(corners, corners[0]) {
			way = append(way, geom.Vec2{X: p[0], Y: p[1]})
		}
		f.ways(stroke(translucent(c, opacity), 0.9), box, way)
	}
}

// agentWay draws the way of the agent with its start.
func (f frame) agentWay(v PushView, r PushRunView, member int) {
	way := make([]geom.Vec2, len(r.Agent))
	for h, p := range r.Agent {
		way[h] = v.flip(p)
	}
	box, colour := v.ground().Bounds, robotColour(member)
	f.ways(stroke(translucent(white, 190), 2), box, way)
	f.ways(stroke(colour, 0.9), box, way)
	for _, share := range []float64{0.2, 0.5, 0.8} {
		if from, to, ok := along(way, share); ok && box.Contains(to) {
			arrowhead(f.canvas, colour, f.at(from.X, from.Y), f.at(to.X, to.Y), 4.5)
		}
	}
	f.ring(stroke(ink, 0.8), way[0], v.Radius)
}

// placed returns the parts of the block in the window, y up.
func (v PushView) placed(at PushPose) [][][2]float64 {
	p := v.flipPose(at)
	sin, cos := math.Sincos(p.angle)
	var out [][][2]float64
	for _, part := range v.parts() {
		var corners [][2]float64
		for _, q := range part {
			corners = append(corners, [2]float64{p.at.X + cos*q.X - sin*q.Y, p.at.Y + sin*q.X + cos*q.Y})
		}
		out = append(out, corners)
	}
	return out
}
