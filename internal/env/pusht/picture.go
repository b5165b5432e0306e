package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// PictureSize is the width and the height of the picture that policies with a camera see.
const PictureSize = 96

// ObservePicture draws what the camera of the published task sees: rows of pixels of red, green
// and blue, [PictureSize]² of them. It writes to dst when that has room.
//
// Source: the drawing of the published environment in its library for windows, edge by edge, and
// its reduction to the size of a policy. Human demonstrations went through a video codec
// before policies learned from them, and differ by the noise of its compression.
func (w *World) ObservePicture(dst []uint8) []uint8 {
	s := w.scene()
	return s.draw(newCanvas()).reduce(dst)
}

// scene is what a picture shows.
type scene struct {
	agent    geom.Vec2
	block    [parts][4]geom.Vec2
	contacts [][2]geom.Vec2 // segments across the contacts of the last substep
}

// contactMark is by how much the mark of a contact is longer than its overlap, at each end.
const contactMark = 2

func (w *World) scene() scene {
	s := scene{agent: w.agent.position}
	for i := range s.block {
		s.block[i] = w.block.parts[i].corner
	}
	for _, k := range w.active[:w.n] {
		t, other := &w.touch[k], geom.Vec2{}
		if k < parts {
			other = w.agent.position
		}
		for _, c := range t.contact[:t.n] {
			reach := t.normal.Scale(contactMark)
			s.contacts = append(s.contacts, [2]geom.Vec2{
				other.Add(c.armOther).Sub(reach), w.block.centre.Add(c.armBlock).Add(reach)})
		}
	}
	return s
}

// The colours of the published window.
var (
	goalColour    = colour{144, 238, 144}
	blockColour   = colour{143, 163, 184}
	edgeColour    = colour{119, 136, 153}
	agentColour   = colour{65, 105, 225}
	centreColour  = colour{78, 126, 255}
	wallColour    = colour{211, 211, 211}
	contactColour = colour{231, 76, 60}
)

// agentCentre is the radius of the inner disc of the agent, in pixels.
const agentCentre = 11

// draw draws a scene at the size of the window.
func (s *scene) draw(c *canvas) *canvas {
	turn := rotationBy(Goal.Angle)
	for _, corners := range outline {
		var at [4]geom.Vec2
		for i, q := range corners {
			at[i] = turn.apply(q).Add(Goal.Position)
		}
		c.polygon(corners4(at), goalColour)
	}
	for _, corners := range s.block {
		at := corners4(corners)
		c.polygon(at, blockColour)
		for i := range at {
			c.fatSegment(at[i], at[(i+1)%len(at)], edgeColour)
		}
	}
	centre := rounded(s.agent)
	c.disc(centre, agentRadius, agentColour)
	c.disc(centre, agentCentre, centreColour)
	for _, w := range wall {
		c.fatSegment(rounded(w.A), rounded(w.B), wallColour)
	}
	for _, m := range s.contacts {
		c.fineSegment(rounded(m[0]), rounded(m[1]), contactColour)
	}
	return c
}

// pixel is a place on the canvas.
type pixel struct{ x, y int }

// rounded returns the pixel of a point, halves to the even one.
func rounded(p geom.Vec2) pixel {
	return pixel{int(math.RoundToEven(p.X)), int(math.RoundToEven(p.Y))}
}

func corners4(at [4]geom.Vec2) []pixel {
	out := make([]pixel, len(at))
	for i, p := range at {
		out[i] = rounded(p)
	}
	return out
}

// reduce returns the picture that a policy sees: bilinear, without antialiasing, in the fixed
// point arithmetic of the library that the environment uses.
func (c *canvas) reduce(dst []uint8) []uint8 {
	const bytes = 3 * PictureSize * PictureSize
	if cap(dst) < bytes {
		dst = make([]uint8, bytes)
	}
	dst = dst[:bytes]
	var first [PictureSize]int
	var low, high [PictureSize]int
	for i := range first {
		at := (float64(i)+0.5)*Size/PictureSize - 0.5
		first[i] = int(math.Floor(at))
		f := at - math.Floor(at)
		low[i], high[i] = int(math.RoundToEven(2048*(1-f))), int(math.RoundToEven(2048*f))
	}
	line := func(y, x, k int) int {
		p := c.pix[3*(y*Size+first[x])+k:]
		return low[x]*int(p[0]) + high[x]*int(p[3])
	}
	for y := range PictureSize {
		for x := range PictureSize {
			for k := range 3 {
				above, below := line(first[y], x, k), line(first[y]+1, x, k)
				v := (low[y]*(above>>4))>>16 + (high[y]*(below>>4))>>16
				dst[3*(y*PictureSize+x)+k] = uint8((v + 2) >> 2)
			}
		}
	}
	return dst
}
