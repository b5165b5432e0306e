package portrait

// drawBackdrop draws the wall behind the person.
func (f *face) drawBackdrop() {
	wall := hsv(f.Setting.Backdrop)
	all := symmetric(point{0, -2}, point{2.6, -2}, point{2.6, 2}, point{0, 2})
	for i := range f.c.size * f.c.size {
		copy(f.c.data[i*3:], wall[:])
	}
	side := sign(f.Setting.Light)
	f.c.fill(all, ramp(wall.scale(1.07), wall.scale(0.82), point{side * 0.9, -0.9}, point{-side * 0.9, 0.9}))
	f.c.fill(all, glow(wall.scale(1.12), 0.6, point{0, -0.15}, point{0.95, 0.95}))
}

// drawBust draws neck, shoulders and clothes.
func (f *face) drawBust() {
	neck := 0.17 + 0.05*f.Jaw
	if f.Gender == Female {
		neck -= 0.03
	}
	throat := symmetric(point{0, 0.2}, point{neck, 0.25}, point{neck * 0.98, 0.55}, point{neck * 1.15, 0.75}, point{0, 0.95})
	f.c.fill(throat, flat(f.skin.mix(f.shade, 0.35)))
	f.c.inside(throat, func() {
		under := point{0.03 * f.Setting.Yaw, f.chin + 0.02}
		f.c.fill(ellipse(under, point{f.jaw * 1.05, 0.15}), glow(f.shade.scale(0.8), 0.95, under, point{f.jaw * 1.1, 0.15}))
	})
	if f.Sag > 0.05 {
		both(func(side float64) {
			f.c.fill(stroke(0.014, point{side * 0.05, f.chin + 0.05}, point{side * 0.045, f.chin + 0.13}, point{side * 0.03, f.chin + 0.2}), faint(f.line, 0.6*f.Sag))
		})
	}
	f.drawShirt()
}

// drawShirt draws the clothes: crew neck, open neck or a collar.
func (f *face) drawShirt() {
	wide := 0.72
	if f.Gender == Male {
		wide = 0.84
	}
	shirt := hsv(f.Setting.Shirt)
	dip := [...]float64{0.1, 0.28, 0.2}[f.Setting.Collar]
	body := outline{
		{-wide - 0.05, 1.3}, {-wide, 0.98}, {-0.8 * wide, 0.82}, {-0.36, 0.68}, {-0.2, 0.6},
		{-0.12, 0.6 + 0.75*dip}, {0, 0.6 + dip}, {0.12, 0.6 + 0.75*dip},
		{0.2, 0.6}, {0.36, 0.68}, {0.8 * wide, 0.82}, {wide, 0.98}, {wide + 0.05, 1.3}, {0, 1.5},
	}
	side := sign(f.Setting.Light)
	f.c.fill(body, ramp(shirt.scale(1.08), shirt.scale(0.74), point{side * 0.5, 0.6}, point{-side * 0.6, 1}))
	edge := shirt.scale(0.62)
	switch f.Setting.Collar {
	case 2:
		both(func(s float64) {
			f.c.fill(outline{{s * 0.19, 0.57}, {s * 0.26, 0.63}, {s * 0.2, 0.83}, {s * 0.03, 0.82}, {s * 0.1, 0.72}}, flat(shirt.scale(1.16)))
			f.c.fill(stroke(0.014, point{s * 0.26, 0.64}, point{s * 0.2, 0.82}, point{s * 0.04, 0.82}), faint(edge, 0.6))
		})
	default:
		f.c.fill(stroke(0.035, point{-0.2, 0.6}, point{-0.12, 0.6 + 0.75*dip}, point{0, 0.6 + dip}, point{0.12, 0.6 + 0.75*dip}, point{0.2, 0.6}), faint(edge, 0.55))
	}
}

// drawGlasses draws rims, bridge and temples.
func (f *face) drawGlasses() {
	if f.Glasses == NoGlasses {
		return
	}
	rim := rgb{0.16, 0.14, 0.15}
	both(func(side float64) {
		at := point{side * f.eye.x, f.eye.y + 0.008}
		outer := ellipse(at, point{0.118, 0.098})
		inner := ellipse(at, point{0.104, 0.084})
		if f.Glasses == SquareGlasses {
			outer, inner = squared(at, point{0.125, 0.08}), squared(at, point{0.111, 0.066})
		}
		ring := append(outline{}, f.turned(outer)...)
		f.c.fillBetween(ring, f.turned(inner), flat(rim))
		f.fill(inner, faint(rgb{1, 1, 1}, 0.1))
		f.draws(rim, 1, 0.02, at.add(point{side * 0.11, -0.02}), point{side * (f.temple + 0.02), -0.04})
	})
	f.draws(rim, 1, 0.02, point{-(f.eye.x - 0.11), f.eye.y - 0.01}, point{0, f.eye.y - 0.03}, point{f.eye.x - 0.11, f.eye.y - 0.01})
}

// squared returns a rectangle with round corners.
func squared(at, half point) outline {
	var o outline
	for _, p := range [...]point{{1, 0}, {0.97, 0.7}, {0.75, 0.97}, {0, 1}, {-0.75, 0.97}, {-0.97, 0.7}, {-1, 0}, {-0.97, -0.7}, {-0.75, -0.97}, {0, -1}, {0.75, -0.97}, {0.97, -0.7}} {
		o = append(o, at.add(point{p.x * half.x, p.y * half.y}))
	}
	return o
}

// drawLight lays the light of the room over the whole picture.
func (f *face) drawLight() {
	level := 0.9 + 0.16*f.Setting.Brightness
	half := float64(f.c.size) / 2
	for y := range f.c.size {
		for x := range f.c.size {
			across := (float64(x) + 0.5 - half) / half
			gain := float32(level * (1 + 0.1*across*f.Setting.Light))
			pixel := f.c.data[(y*f.c.size+x)*3:][:3]
			for i := range pixel {
				pixel[i] = min(max(pixel[i]*gain, 0), 1)
			}
		}
	}
}
