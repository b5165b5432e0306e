package dataset

import "math"

// Resize returns the picture in another size, by the triangle filter, widened where
// the picture becomes smaller, rows first, rounded to 8 bits after each of the two
// passes: what the published preprocessing of exemplars does. A picture of the size
// asked for is returned as it is.
func (p *Picture) Resize(width, height int) *Picture {
	if width == p.Width && height == p.Height {
		return p
	}
	wide := NewPicture(width, p.Height)
	for x, f := range triangles(p.Width, width) {
		for y := range p.Height {
			f.mean(wide.Pix[(y*width+x)*3:], p.Pix[y*p.Width*3:], 3)
		}
	}
	out := NewPicture(width, height)
	for y, f := range triangles(p.Height, height) {
		for x := range width {
			f.mean(out.Pix[(y*width+x)*3:], wide.Pix[x*3:], width*3)
		}
	}
	return out
}

// window is a weighted mean of neighbours from the first on.
type window struct {
	first   int
	weights []float64
}

// mean writes the mean of three colours of pixels that are stride apart.
func (f window) mean(dst, src []uint8, stride int) {
	for c := range 3 {
		sum := 0.0
		for k, w := range f.weights {
			sum += w * float64(src[(f.first+k)*stride+c])
		}
		dst[c] = uint8(min(max(math.Floor(sum+0.5), 0), 255))
	}
}

// triangles returns the windows of every pixel of a line that is brought from one
// length to another.
func triangles(from, to int) []window {
	ratio := float64(from) / float64(to)
	reach := max(ratio, 1)
	out := make([]window, to)
	for i := range out {
		centre := (float64(i) + 0.5) * ratio
		first := max(int(centre-reach+0.5), 0)
		last := min(int(centre+reach+0.5), from)
		f := window{first: first}
		sum := 0.0
		for k := first; k < last; k++ {
			w := max(1-math.Abs((float64(k)+0.5-centre)/reach), 0)
			f.weights = append(f.weights, w)
			sum += w
		}
		for k := range f.weights {
			f.weights[k] /= sum
		}
		out[i] = f
	}
	return out
}
