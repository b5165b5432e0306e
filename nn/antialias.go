package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
)

// resampling is the map of a line of pixels to one of another length by triangles that are
// as wide as the pixels that they replace: bilinear with antialiasing, as in the library
// torchvision since its version 0.17.
type resampling struct {
	first   []int       // the first pixel that a pixel of the result sees
	weights [][]float32 // of the pixels from there on; their sum is 1
}

func newResampling(from, to int) resampling {
	scale := float64(from) / float64(to)
	reach := math.Max(scale, 1)
	s := resampling{make([]int, to), make([][]float32, to)}
	for i := range to {
		center := scale * (float64(i) + 0.5)
		lo := max(int(math.Floor(center-reach+0.5)), 0)
		hi := min(int(math.Floor(center+reach+0.5)), from)
		w, sum := make([]float64, hi-lo), 0.0
		for j := range w {
			w[j] = math.Max(0, 1-math.Abs(float64(lo+j)-center+0.5)/reach)
			sum += w[j]
		}
		s.first[i], s.weights[i] = lo, make([]float32, len(w))
		for j := range w {
			s.weights[i][j] = float32(w[j] / sum)
		}
	}
	return s
}

// antialias lays out images of another size: first along the lines, then across them.
func (g *graph) antialias(in *signal, height, width int) *signal {
	across, down := newResampling(in.width(), width), newResampling(in.height, height)
	x := g.resampleLines(in, in.height, width, func(r *run, dst, src *signal, back bool) {
		r.along(across, dst, src, src.height, back)
	})
	return g.resampleLines(x, height, width, func(r *run, dst, src *signal, back bool) { r.across(down, dst, src, back) })
}

// resampleLines lays out a linear map of images and its transpose.
func (g *graph) resampleLines(in *signal, height, width int, do func(r *run, dst, src *signal, back bool)) *signal {
	out := g.image(height, width, in.channels)
	g.from(out, nil, in)
	g.does(func(r *run) { do(r, out, in, false) }, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(r *run, part *signal) { do(r, part, d, true) }, d)
	})
	return out
}

// along resamples the pixels of every line; back does the transpose.
func (r *run) along(s resampling, dst, src *signal, lines int, back bool) {
	c := src.channels
	x, y := r.all(src), r.all(dst)
	r.crew.Do(r.n*lines, func(line int, _ *kernel.Hand) {
		from, to := x[line*src.width()*c:][:src.width()*c], y[line*dst.width()*c:][:dst.width()*c]
		clear(to)
		for i, first := range s.first {
			for j, w := range s.weights[i] {
				if back {
					addScaled(to[(first+j)*c:][:c], w, from[i*c:])
				} else {
					addScaled(to[i*c:][:c], w, from[(first+j)*c:])
				}
			}
		}
	})
}

// across resamples the lines of every image; back does the transpose.
func (r *run) across(s resampling, dst, src *signal, back bool) {
	line := src.width() * src.channels
	x, y := r.all(src), r.all(dst)
	r.crew.Do(r.n, func(n int, _ *kernel.Hand) {
		from, to := x[n*src.size():][:src.size()], y[n*dst.size():][:dst.size()]
		clear(to)
		for i, first := range s.first {
			for j, w := range s.weights[i] {
				if back {
					addScaled(to[(first+j)*line:][:line], w, from[i*line:])
				} else {
					addScaled(to[i*line:][:line], w, from[(first+j)*line:])
				}
			}
		}
	})
}

// addScaled adds w times the first elements of x to dst.
func addScaled(dst []float32, w float32, x []float32) {
	for i, v := range x[:len(dst)] {
		dst[i] += w * v
	}
}

// crop lays out the centre of images. Where as many lines are not left above as below, the
// number above is the even one of the two. Source: center_crop of the library torchvision.
func (g *graph) crop(in *signal, height, width int) *signal {
	top, left := int(math.RoundToEven(float64(in.height-height)/2)), int(math.RoundToEven(float64(in.width()-width)/2))
	out, c := g.image(height, width, in.channels), in.channels
	g.from(out, nil, in)
	move := func(do func(inner, outer []float32), inner, outer []float32, samples int) {
		for i := range samples {
			for y := range height {
				do(inner[i*out.size()+y*width*c:][:width*c], outer[i*in.size()+((top+y)*in.width()+left)*c:][:width*c])
			}
		}
	}
	g.does(func(r *run) {
		move(func(inner, outer []float32) { copy(inner, outer) }, r.all(out), r.all(in), r.n)
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(r *run, part *signal) {
			clear(r.all(part))
			move(func(inner, outer []float32) { copy(outer, inner) }, r.all(d), r.all(part), r.n)
		}, d)
	})
	return out
}
