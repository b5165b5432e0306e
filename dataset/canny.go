package dataset

// Canny returns the edges of a picture, white on black: pixels where the colour changes
// most along the direction of the change, by more than low, and joined to one where it
// changes by more than high. Changes are sums of the absolute 3×3 Sobel derivatives of
// the colour channel where they are largest, 0 to 2040.
//
// Source: Canny, "A computational approach to edge detection" (1986), with the integer
// arithmetic of cv2.Canny(image, low, high) of the library OpenCV.
func (p *Picture) Canny(low, high int) *Picture {
	s := p.slopes()
	kind := make([]uint8, p.Width*p.Height)
	var strong []int
	for at := range kind {
		if m := int(s.size[at]); m > low && s.crest(at) {
			kind[at] = candidate
			if m > high {
				kind[at] = edge
				strong = append(strong, at)
			}
		}
	}
	s.follow(kind, strong)
	out := NewPicture(p.Width, p.Height)
	for at, k := range kind {
		if k == edge {
			out.Pix[3*at], out.Pix[3*at+1], out.Pix[3*at+2] = 255, 255, 255
		}
	}
	return out
}

// What a pixel can be: no edge, one if it is joined to one, or one.
const (
	candidate = iota + 1
	edge
)

// slopes are the derivatives of a picture, and their sums.
type slopes struct {
	width, height int
	x, y          []int16
	size          []int16
}

// slopes returns the Sobel derivatives of the channel with the largest sum, the first of
// equal ones. Beyond the border the picture goes on as it ends.
func (p *Picture) slopes() slopes {
	n := p.Width * p.Height
	s := slopes{p.Width, p.Height, make([]int16, n), make([]int16, n), make([]int16, n)}
	for y := range p.Height {
		up, down := max(y-1, 0), min(y+1, p.Height-1)
		for x := range p.Width {
			left, right := max(x-1, 0), min(x+1, p.Width-1)
			at := y*p.Width + x
			s.size[at] = -1
			for c := range 3 {
				v := func(x, y int) int16 { return int16(p.Pix[(y*p.Width+x)*3+c]) }
				dx := v(right, up) + 2*v(right, y) + v(right, down) - v(left, up) - 2*v(left, y) - v(left, down)
				dy := v(left, down) + 2*v(x, down) + v(right, down) - v(left, up) - 2*v(x, up) - v(right, up)
				if sum := magnitude(dx) + magnitude(dy); sum > s.size[at] {
					s.x[at], s.y[at], s.size[at] = dx, dy, sum
				}
			}
		}
	}
	return s
}

func magnitude(v int16) int16 { return max(v, -v) }

// at returns the size of the slope of a neighbour, 0 beyond the border.
func (s *slopes) at(x, y int) int16 {
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return 0
	}
	return s.size[y*s.width+x]
}

// tan225 is the tangent of 22.5 degrees in parts of 2^15.
const tan225 = 13573

// crest reports whether the slope of a pixel is the largest along its direction, which
// counts as horizontal, vertical or diagonal. Of two equal neighbours one wins.
func (s *slopes) crest(i int) bool {
	x, y, m := i%s.width, i/s.width, s.size[i]
	across, along := int64(magnitude(s.x[i])), int64(magnitude(s.y[i]))<<15
	switch flat := across * tan225; {
	case along < flat:
		return m > s.at(x-1, y) && m >= s.at(x+1, y)
	case along > flat+across<<16: // tan 67.5° = tan 22.5° + 2
		return m > s.at(x, y-1) && m >= s.at(x, y+1)
	}
	d := 1
	if (s.x[i] < 0) != (s.y[i] < 0) {
		d = -1
	}
	return m > s.at(x-d, y-1) && m > s.at(x+d, y+1)
}

// follow makes edges of the candidates that touch one, beginning with those that are.
func (s *slopes) follow(kind []uint8, open []int) {
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		x, y := at%s.width, at/s.width
		for v := max(y-1, 0); v <= min(y+1, s.height-1); v++ {
			for u := max(x-1, 0); u <= min(x+1, s.width-1); u++ {
				if near := v*s.width + u; kind[near] == candidate {
					kind[near] = edge
					open = append(open, near)
				}
			}
		}
	}
}
