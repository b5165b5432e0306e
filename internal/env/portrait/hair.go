package portrait

// long reports whether the hair falls behind the shoulders' height.
func (f *face) long() bool { return f.HairLength > 0.4 }

// volume is how far the hair stands off the head.
func (f *face) volume() float64 {
	return (0.035 + 0.06*f.HairVolume) * (1 - 0.45*f.Loss)
}

// drawHairBehind draws the hair that falls behind neck and shoulders.
func (f *face) drawHairBehind() {
	if !f.long() {
		return
	}
	out := f.temple + 0.06 + 0.9*f.volume()
	low := 0.1 + 0.62*(f.HairLength-0.4)/0.6*(1-0.25*f.Loss)
	f.c.fill(symmetric(
		point{0, f.crown - f.volume()},
		point{0.7 * out, f.crown + 0.03},
		point{out, -0.25},
		point{out + 0.02, 0.1},
		point{out + 0.01*f.HairVolume, low},
		point{0.75 * out, low + 0.09},
		point{0.3 * out, low + 0.05},
	), flat(f.hair.scale(0.72)))
}

// drawHair draws the hair above the face.
func (f *face) drawHair() {
	if f.Gender == Male && f.Recession > 0.55 {
		f.drawWreath()
		if f.Recession > 0.8 {
			return
		}
	}
	cap, shine := f.hairCap(), f.hair.scale(1.25).mix(rgb{1, 1, 1}, 0.1)
	f.c.fill(cap, ramp(f.hair.scale(1.06), f.hair.scale(0.8), point{0, f.crown}, point{0, -0.05}))
	f.c.inside(cap, func() {
		f.c.fill(ellipse(point{0.12 * sign(f.Setting.Light), f.crown + 0.08}, point{0.3, 0.12}), glow(shine, 0.45, point{0.12 * sign(f.Setting.Light), f.crown + 0.08}, point{0.3, 0.12}))
		f.drawStrands()
	})
	if f.long() {
		both(f.drawSideHair)
	}
}

func sign(x float64) float64 {
	if x < 0 {
		return -1
	}
	return 1
}

// hairCap returns the outline of the hair on the skull: over the top and back along
// the hairline.
func (f *face) hairCap() outline {
	v := f.volume()
	side := f.temple + 0.35*v
	part := 0.5 * (f.Parting - 0.5)
	line := f.hairline + 0.10*f.Fringe*(1-f.Recession) - 0.22*f.Recession
	down := -0.02
	if f.long() {
		down = 0.05
	}
	corner := line - 0.07*f.Recession
	return outline{
		{-side - 0.012, down}, {-side - 0.02, -0.2}, {-0.84 * side, f.crown + 0.15 - v}, {-0.45 * side, f.crown - 0.7*v + 0.02},
		{0, f.crown - v}, {0.45 * side, f.crown - 0.7*v + 0.02}, {0.84 * side, f.crown + 0.15 - v}, {side + 0.02, -0.2}, {side + 0.012, down},
		{0.93 * f.temple, -0.08}, {0.9 * f.temple, -0.22}, {0.72 * f.temple, corner + 0.02},
		{0.35*f.temple + 0.3*part, line + 0.01}, {part, line - 0.035}, {-0.35*f.temple + 0.3*part, line + 0.015},
		{-0.72 * f.temple, corner + 0.02}, {-0.9 * f.temple, -0.22}, {-0.93 * f.temple, -0.08},
	}
}

// drawStrands draws lines in the hair, from the parting outwards.
func (f *face) drawStrands() {
	part := 0.5 * (f.Parting - 0.5)
	dark, light := f.hair.scale(0.62), f.hair.scale(1.3).mix(rgb{0.9, 0.9, 0.9}, 0.1)
	for i := range 7 {
		t := float64(i)/3 - 1
		c, opacity := dark, 0.35
		if i%2 == 1 {
			c, opacity = light, 0.22+0.2*f.Grey
		}
		top := point{part + 0.25*t*f.temple, f.crown - 0.3*f.volume()}
		f.c.fill(stroke(0.018, top, point{part*0.5 + 0.8*t*f.temple, -0.42}, point{1.06 * t * f.temple, -0.18}), faint(c, opacity))
	}
}

// drawSideHair draws the hair that falls beside the face, in front of ears.
func (f *face) drawSideHair(side float64) {
	v := f.volume()
	out := f.temple + 0.05 + 0.9*v
	low := 0.1 + 0.62*(f.HairLength-0.4)/0.6*(1-0.25*f.Loss)
	in := 0.93 * f.temple
	o := outline{
		{side * 0.9 * f.temple, -0.3}, {side * (out - 0.03), -0.26}, {side * (out + 0.01), 0.05}, {side * (out + 0.01*f.HairVolume), low},
		{side * (in + 0.03), low + 0.06}, {side * (in - 0.01), 0.5 * low}, {side * in, 0.02}, {side * (in - 0.015), -0.15},
	}
	f.c.fill(o, ramp(f.hair, f.hair.scale(0.78), point{0, -0.3}, point{0, low}))
	f.c.fill(stroke(0.016, point{side * (in + 0.03), -0.2}, point{side * (in + 0.045), 0.05}, point{side * (in + 0.04), low}), faint(f.hair.scale(0.6), 0.4))
	f.c.fill(stroke(0.016, point{side * (out - 0.03), -0.2}, point{side * (out - 0.02), 0.05}, point{side * (out - 0.025), low}), faint(f.hair.scale(1.3), 0.25))
}

// drawWreath draws the hair that a bald head keeps: above the ears.
func (f *face) drawWreath() {
	both(func(side float64) {
		t := f.temple
		f.c.fill(outline{
			{side * (t + 0.035), 0.0}, {side * (t + 0.045), -0.16}, {side * (t - 0.005), -0.3}, {side * (t - 0.045), -0.31},
			{side * (t - 0.035), -0.18}, {side * (t - 0.022), -0.06},
		}, flat(f.hair.scale(0.95)))
	})
	f.c.fill(ellipse(point{0.08 * sign(f.Setting.Light), f.crown + 0.13}, point{0.16, 0.08}), glow(rgb{1, 1, 1}, 0.3, point{0.08 * sign(f.Setting.Light), f.crown + 0.13}, point{0.16, 0.08}))
}

// drawBeard draws the part of the beard on cheeks and chin.
func (f *face) drawBeard() {
	c := f.hair.mix(f.Person.hair(), 0.15).scale(0.92)
	switch f.Beard {
	case FullBeard:
		f.c.fill(outline{
			{-f.temple - 0.05, 0.02}, {-0.8 * f.cheek, 0.18}, {-0.5 * f.cheek, 0.23}, {-0.12, f.nose + 0.05}, {0, f.nose + 0.055}, {0.12, f.nose + 0.05},
			{0.5 * f.cheek, 0.23}, {0.8 * f.cheek, 0.18}, {f.temple + 0.05, 0.02}, {f.temple + 0.08, 0.5}, {0, 0.75}, {-f.temple - 0.08, 0.5},
		}, faint(c, 0.92))
	case Goatee:
		f.fill(symmetric(point{0, f.mouth + 0.06}, point{0.09, f.mouth + 0.045}, point{0.12, f.mouth + 0.1}, point{0.1, f.chin + 0.02}, point{0, f.chin + 0.03}), faint(c, 0.9))
	case Shaven:
		if f.Gender == Male {
			f.c.fill(symmetric(point{0, f.nose + 0.07}, point{0.3, 0.2}, point{0.4, 0.6}, point{0, 0.7}), glow(c.mix(f.skin, 0.5), 0.3*(1-0.4*f.Grey), point{0, 0.4}, point{0.34, 0.24}))
		}
	}
}

// drawMoustache draws the part of the beard above the lip.
func (f *face) drawMoustache() {
	if f.Beard == Shaven {
		return
	}
	c := f.hair.mix(f.Person.hair(), 0.15).scale(0.88)
	w, y := 0.125, f.mouth-0.03
	f.fill(outline{
		{-w, y + 0.035}, {-0.8 * w, y - 0.012}, {-0.3 * w, y - 0.036}, {0, y - 0.028}, {0.3 * w, y - 0.036}, {0.8 * w, y - 0.012}, {w, y + 0.035},
		{0.6 * w, y + 0.018}, {0, y + 0.012}, {-0.6 * w, y + 0.018},
	}, faint(c, 0.93))
}
