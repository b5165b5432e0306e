package portrait

import "math"

// drawEye draws one eye: the white, the iris, the lids.
func (f *face) drawEye(side float64) {
	open := (0.036 + 0.012*f.EyeSize) * (1 - 0.32*f.Droop) * (1 - 0.12*max(f.Setting.Smile, 0))
	tilt := 0.012 * (f.EyeTilt - 0.5)
	w := f.eyeWidth
	at := point{side * f.eye.x, f.eye.y}
	inner, outer := at.add(point{-side * w, 0.006 + tilt}), at.add(point{side * w, -tilt + 0.012*f.Droop})
	top, bottom := at.add(point{side * 0.008, -open}), at.add(point{0, open * 0.75})
	lids := outline{
		inner, inner.mix(top, 0.55).add(point{0, -open * 0.3}), top, top.mix(outer, 0.55).add(point{0, -open*0.22 + 0.008*f.Droop}),
		outer, outer.mix(bottom, 0.5).add(point{0, open * 0.2}), bottom, bottom.mix(inner, 0.5).add(point{0, open * 0.14}),
	}
	lids = f.turned(lids)
	f.c.fill(lids, flat(rgb{0.95, 0.94, 0.92}.mix(f.skin, 0.12+0.1*f.Pallor)))
	f.c.inside(lids, func() { f.drawIris(at, open) })
	lash := rgb{0.13, 0.09, 0.08}.mix(f.line, 0.25+0.45*f.Grey)
	width := 0.014
	if f.Gender == Female {
		width = 0.021
		f.draws(lash, 0.9, 0.014, outer.add(point{-side * 0.012, -0.004}), outer.add(point{side * 0.022, -0.02}))
	}
	f.draws(lash, 0.95, width, inner, f.onLid(lids, 1), f.onLid(lids, 2), f.onLid(lids, 3), outer)
	f.draws(f.line, 0.45, 0.009, inner, f.onLid(lids, 7), f.onLid(lids, 6), f.onLid(lids, 5), outer)
	fold := 0.022 - 0.012*f.Droop
	f.draws(f.line, 0.5+0.3*f.Droop, 0.011, inner.add(point{0, -open * 0.9}), top.add(point{0, -fold}), outer.add(point{side * 0.01, -fold * 0.6}))
}

// onLid returns point i of an outline that was turned, in the units before.
func (f *face) onLid(o outline, i int) point {
	p := o[i]
	q := p
	for range 4 { // turning changes x little: it is undone by iteration
		q.x += p.x - f.turn(q).x
	}
	return q
}

func (f *face) drawIris(at point, open float64) {
	r := 0.036 + 0.003*f.EyeSize
	c := f.turn(at.add(point{0.014 * f.Setting.Gaze, -0.1 * open}))
	iris := f.iris()
	iris = iris.mix(rgb{0.62, 0.64, 0.66}, 0.2*f.Loss)
	f.c.fill(ellipse(c, point{r, r}), flat(iris.scale(0.55)))
	f.c.fill(ellipse(c, point{r * 0.84, r * 0.84}), flat(iris))
	f.c.fill(ellipse(c, point{r * 0.45, r * 0.45}), flat(rgb{0.05, 0.04, 0.04}))
	f.c.fill(ellipse(c.add(point{0.012, -0.013}), point{r * 0.26, r * 0.26}), faint(rgb{1, 1, 1}, 0.9))
	f.c.fill(ellipse(c.add(point{0, -open - 0.02}), point{0.12, 0.035}), faint(rgb{0.3, 0.2, 0.2}, 0.35))
}

// drawBrow draws one eyebrow.
func (f *face) drawBrow(side float64) {
	y := f.eye.y - 0.105 - 0.008*f.EyeSize + 0.016*f.Droop
	arch := 0.014 + 0.028*f.BrowArch
	thick := (0.022 + 0.026*f.Brows) * (1 - 0.15*f.Loss)
	c := f.hair.mix(f.Person.hair(), 0.35).scale(0.85)
	in := side * (f.eye.x - f.eyeWidth - 0.012)
	out := side * (f.eye.x + f.eyeWidth + 0.03)
	f.fill(stroke(thick, point{in, y + 0.012}, point{in + 0.4*(out-in), y - arch*0.7}, point{in + 0.7*(out-in), y - arch}, point{out, y + 0.014 + 0.012*f.Droop}), faint(c, 0.9))
}

// drawNose draws the shadow beside the bridge, the tip and the nostrils.
func (f *face) drawNose() {
	w := 0.052 + 0.034*f.NoseWidth + 0.006*f.Sag
	y := f.nose
	light := f.skin.scale(1.13)
	dark := -math.Copysign(1, f.Setting.Light)
	bridge := stroke(0.05, point{dark * 0.036, f.eye.y - 0.03}, point{dark * 0.034, 0.05}, point{dark * w * 0.9, y - 0.02})
	f.fill(bridge, faint(f.shade, 0.4))
	f.fill(stroke(0.042, point{0, -0.05}, point{0, 0.05}, point{0, y - 0.01}), faint(light, 0.45))
	f.fill(ellipse(point{0, y}, point{w * 0.62, 0.036}), faint(light, 0.28))
	both(func(side float64) {
		f.draws(f.line, 0.75, 0.014, point{side * w, y - 0.03}, point{side * (w + 0.008), y + 0.002}, point{side * w * 0.72, y + 0.02})
		f.fill(ellipse(point{side * w * 0.45, y + 0.022}, point{w * 0.24, 0.0095}), faint(f.line.scale(0.55), 0.85))
	})
	f.draws(f.line, 0.5, 0.012, point{-w * 0.5, y + 0.03}, point{0, y + 0.04}, point{w * 0.5, y + 0.03})
}

// drawMouth draws both lips and the line between them.
func (f *face) drawMouth() {
	w := 0.105 + 0.035*f.MouthWidth + 0.012*max(f.Setting.Smile, 0)
	smile := 0.026 * f.Setting.Smile
	full := (0.4 + 0.6*f.Lips) * (1 - 0.45*f.Loss)
	y := f.mouth
	tint := rgb{0.72, 0.30, 0.28}
	if f.Gender == Female {
		tint = rgb{0.78, 0.22, 0.26}
	}
	lip := f.skin.mix(tint, 0.62-0.2*f.Pallor).scale(0.98 - 0.28*f.Melanin)
	left, right := point{-w, y - smile}, point{w, y - smile}
	middle := point{0, y + 0.6*smile + 0.004}
	upper := 0.034 * full
	f.fill(outline{
		left, {-0.45 * w, y - upper*0.8}, {-0.16 * w, y - upper*1.1}, {0, y - upper*0.8}, {0.16 * w, y - upper*1.1}, {0.45 * w, y - upper*0.8},
		right, {0.5 * w, middle.y}, middle, {-0.5 * w, middle.y},
	}, flat(lip.scale(0.86)))
	lower := 0.05*full + 0.006
	f.fill(outline{left.mix(middle, 0.12), {-0.4 * w, middle.y - 0.002}, middle, {0.4 * w, middle.y - 0.002}, right.mix(middle, 0.12),
		{0.5 * w, middle.y + lower*0.75}, {0, middle.y + lower}, {-0.5 * w, middle.y + lower*0.75}}, flat(lip))
	f.fill(ellipse(point{0.02, middle.y + lower*0.5}, point{w * 0.35, lower * 0.25}), faint(lip.scale(1.3), 0.35))
	f.draws(f.line.scale(0.6), 0.85, 0.012, left, point{-0.45 * w, middle.y - 0.002}, middle, point{0.45 * w, middle.y - 0.002}, right)
	f.fill(stroke(0.03, point{-w * 0.5, middle.y + lower + 0.022}, point{0, middle.y + lower + 0.03}, point{w * 0.5, middle.y + lower + 0.022}), faint(f.shade, 0.5))
}

// drawFolds draws what age folds: forehead, the corners of the eyes, bags below them,
// from nose to mouth, beside the chin.
func (f *face) drawFolds() {
	deep := f.Folds
	if deep <= 0.02 {
		return
	}
	for i, y := range [...]float64{-0.31, -0.255, -0.2} {
		on := min(max(1.6*deep-0.25*float64(2-i), 0), 1)
		f.draws(f.line, 0.6*on, 0.013, point{-0.2, y + 0.012}, point{-0.08, y - 0.006}, point{0.06, y + 0.004}, point{0.19, y + 0.008})
	}
	both(func(side float64) {
		corner := point{side * (f.eye.x + f.eyeWidth + 0.012), f.eye.y}
		for _, dy := range [...]float64{-0.03, 0.002, 0.034} {
			f.draws(f.line, 0.6*deep, 0.009, corner.add(point{0, dy * 0.3}), corner.add(point{side * 0.06, dy * 1.25}))
		}
		eye := point{side * f.eye.x, f.eye.y}
		f.draws(f.line, 0.65*deep, 0.013, eye.add(point{-side * 0.06, 0.05}), eye.add(point{0, 0.075}), eye.add(point{side * 0.065, 0.052}))
		f.draws(f.line, 0.25+0.6*deep, 0.018, point{side * 0.09, f.nose - 0.02}, point{side * 0.145, 0.5*f.nose + 0.5*f.mouth}, point{side * 0.155, f.mouth + 0.03})
		f.draws(f.line, 0.6*f.Sag, 0.015, point{side * 0.135, f.mouth + 0.045}, point{side * 0.15, f.mouth + 0.12})
		f.draws(f.line, 0.5*deep, 0.01, point{side * 0.03, -0.13}, point{side * 0.026, -0.08})
	})
}
