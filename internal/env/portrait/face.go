package portrait

import (
	"fmt"
	"math"
)

// face is a photo worked out: lengths, colours and the canvas that it is drawn on.
type face struct {
	Photo
	Ageing
	c *canvas

	skin, shade, line rgb // of the skin, in its shadow, and of its folds
	hair              rgb

	// Half widths and heights of the head, from the middle between the eyes.
	temple, cheek, jaw, chinWidth float64
	crown, hairline, chin         float64
	eye                           point // of the right side of the picture
	eyeWidth, nose, mouth         float64
}

// Render draws the photo into size × size × 3 numbers from 0 to 1: rows of pixels of
// red, green and blue, as displays take them. It panics when dst has another length.
func (p Photo) Render(dst []float32, size int) {
	if size < 1 || len(dst) != size*size*3 {
		panic(fmt.Sprintf("portrait: %d numbers for %d x %d pixels", len(dst), size, size))
	}
	f := p.workOut(newCanvas(dst, size))
	f.drawBackdrop()
	s := p.Setting
	head := placed(point{0.06 * s.Right, 0.05 + 0.04*s.Low}, 0, 1.04+0.14*s.Size)
	f.c.with(head, func() {
		turned := placed(point{0.03 * s.Yaw, 0}, 0.09*s.Roll, 1)
		f.c.with(turned, f.drawHairBehind)
		f.drawBust()
		f.c.with(turned, f.drawHead)
	})
	f.drawLight()
}

// workOut computes what the parts of the face share.
func (p Photo) workOut(c *canvas) *face {
	f := &face{Photo: p, Ageing: p.Person.Ageing(p.Age), c: c}
	tone := p.Person.skin()
	grey := (tone[0] + tone[1] + tone[2]) / 3
	f.skin = tone.mix(rgb{grey + 0.06, grey + 0.03, grey}, 0.35*f.Pallor)
	f.shade = f.skin.scale(0.74).mix(rgb{0.45, 0.2, 0.15}, 0.12)
	f.line = f.skin.scale(0.58).mix(rgb{0.35, 0.15, 0.1}, 0.15)
	silver := rgb{0.80, 0.80, 0.81}
	f.hair = p.Person.hair().mix(silver.mix(rgb{0.93, 0.93, 0.93}, rise(p.Age, 70, 90)), f.Grey)

	wide := 0.92 + 0.16*p.Width
	f.temple = 0.375 * wide
	f.cheek = (0.385 + 0.03*p.Cheeks) * wide
	f.jaw = (0.27+0.08*p.Jaw)*wide + 0.025*f.Sag
	f.chinWidth = (0.10 + 0.06*p.Jaw) * wide
	f.crown = -0.60 - 0.04*p.Forehead
	f.hairline = -0.36 - 0.06*p.Forehead
	f.chin = 0.50 + 0.07*p.Chin
	f.eye = point{0.155 + 0.03*p.EyeDistance, -0.03}
	f.eyeWidth = 0.075 + 0.018*p.EyeSize
	f.nose = 0.17 + 0.04*p.NoseLength + 0.01*f.Sag
	f.mouth = 0.31 + 0.02*p.NoseLength + 0.01*f.Sag
	return f
}

// head returns the outline of the head without hair and ears.
func (f *face) head() outline {
	return symmetric(
		point{0, f.crown},
		point{0.6 * f.temple, f.crown + 0.055},
		point{0.97 * f.temple, -0.33},
		point{1.01 * f.temple, -0.1},
		point{f.cheek, 0.08},
		point{0.5*f.cheek + 0.5*f.jaw, 0.27},
		point{f.jaw * 0.93, 0.36 + 0.02*f.Sag},
		point{f.chinWidth * 1.25, f.chin - 0.05},
		point{f.chinWidth * 0.5, f.chin},
	)
}

// turn moves a place on the face as the head turns.
func (f *face) turn(p point) point {
	depth := 0.42 * math.Sqrt(max(0, 1-p.x*p.x/0.25))
	s, c := math.Sincos(0.28 * f.Setting.Yaw)
	return point{p.x*c + depth*s, p.y}
}

func (f *face) turned(o outline) outline {
	m := make(outline, len(o))
	for i, p := range o {
		m[i] = f.turn(p)
	}
	return m
}

// fill paints an outline on the face.
func (f *face) fill(o outline, with paint) { f.c.fill(f.turned(o), with) }

// draws paints a line on the face.
func (f *face) draws(c rgb, opacity, width float64, through ...point) {
	f.fill(stroke(width, through...), faint(c, opacity))
}

// both does something on both sides: side is 1 on the right and -1 on the left.
func both(do func(side float64)) {
	do(-1)
	do(1)
}

// drawHead draws the head, back to front.
func (f *face) drawHead() {
	f.drawEars()
	f.c.fill(f.head(), flat(f.skin))
	f.c.inside(f.head(), func() {
		f.drawRelief()
		f.drawFolds()
		f.drawBeard()
	})
	f.drawNose()
	f.drawMouth()
	f.drawMoustache()
	both(f.drawEye)
	both(f.drawBrow)
	f.drawHair()
	f.drawGlasses()
}

// drawEars draws both ears; long hair covers them later.
func (f *face) drawEars() {
	both(func(side float64) {
		x := side*(1.0*f.temple+0.02) - 0.04*f.Setting.Yaw
		size := point{0.05, 0.095 + 0.025*f.Ears + 0.015*f.Sag}
		at := point{x, 0.03 + 0.01*f.Sag}
		f.c.fill(ellipse(at, size), flat(f.skin.mix(f.shade, 0.25)))
		f.c.fill(ellipse(at.add(point{0.006 * side, 0}), size.scale(0.6)), faint(f.shade, 0.7))
	})
}

// drawRelief draws light and shadow of the forms of the face, and its colour.
func (f *face) drawRelief() {
	all := symmetric(point{0, -0.8}, point{0.7, -0.8}, point{0.7, 0.8}, point{0, 0.8})
	shadow := f.skin.scale(0.66).mix(rgb{0.3, 0.12, 0.1}, 0.1)
	f.c.fill(all, func(p point) (rgb, float64) { // edges turn away from the light
		edge := math.Abs(p.x) / (f.cheek + 0.03)
		return shadow, 0.42 * math.Pow(edge, 4)
	})
	f.c.fill(all, glow(shadow, 0.5, point{0, f.chin + 0.05}, point{0.34, 0.16}))
	blush := f.skin.mix(rgb{0.86, 0.32, 0.28}, 0.4*(1-0.5*f.Pallor))
	both(func(side float64) {
		f.fill(all, glow(blush, 0.4, point{side * 0.21, 0.15}, point{0.16, 0.13}))
		f.fill(all, glow(f.shade, 0.55*f.Sag+0.1, point{side * 0.26, 0.26 + 0.02*f.Sag}, point{0.1, 0.16}))
		f.fill(all, glow(shadow, 0.35+0.25*f.Droop, f.socket(side), point{0.13, 0.08}))
	})
	f.fill(all, glow(f.skin.scale(1.12), 0.5, point{0.02, -0.24}, point{0.24, 0.14}))
}

// socket returns the middle of the hollow of an eye.
func (f *face) socket(side float64) point { return point{side * f.eye.x, f.eye.y - 0.02} }
