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
	x := g.resampleImages(in, in.height, width, newResampling(in.width(), width).along)
	return g.resampleImages(x, height, width, newResampling(in.height, height).across)
}

// resampleImages lays out a linear map of images and its transpose. It has one task or some for
// every sample.
func (g *graph) resampleImages(in *signal, height, width int, lay func(g *graph, dst, src *signal, back bool)) *signal {
	out := g.image(height, width, in.channels)
	g.from(out, nil, in)
	lay(g, out, in, false)
	g.onBackward(out, func(d *signal) { g.gives(in, func(part *signal) { lay(g, part, d, true) }) })
	return out
}

// along lays out the resampling of the pixels of every line; back does the transpose.
func (s resampling) along(g *graph, dst, src *signal, back bool) {
	c := src.channels
	g.tasks(src.height, func(r *run, line int, _ *kernel.Hand) {
		from, to := r.all(src)[line*src.width()*c:][:src.width()*c], r.all(dst)[line*dst.width()*c:][:dst.width()*c]
		s.add(to, from, c, back)
	}, dst, src)
}

// across lays out the resampling of the lines of every image; back does the transpose.
func (s resampling) across(g *graph, dst, src *signal, back bool) {
	g.tasks(1, func(r *run, n int, _ *kernel.Hand) {
		s.add(r.all(dst)[n*dst.size():][:dst.size()], r.all(src)[n*src.size():][:src.size()], src.width()*src.channels, back)
	}, dst, src)
}

// add writes the resampling of items of some elements; back does the transpose.
func (s resampling) add(to, from []float32, size int, back bool) {
	clear(to)
	for i, first := range s.first {
		for j, w := range s.weights[i] {
			if back {
				addScaled(to[(first+j)*size:][:size], w, from[i*size:])
			} else {
				addScaled(to[i*size:][:size], w, from[(first+j)*size:])
			}
		}
	}
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
	lines := func(r *run, small, large *signal, i, y int) (inner, outer []float32) {
		return r.all(small)[i*out.size()+y*width*c:][:width*c], r.all(large)[i*in.size()+((top+y)*in.width()+left)*c:][:width*c]
	}
	g.does(func(r *run) {
		for line := range r.n * height {
			inner, outer := lines(r, out, in, line/height, line%height)
			copy(inner, outer)
		}
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.does(func(r *run) {
				clear(r.all(part))
				for line := range r.n * height {
					inner, outer := lines(r, d, part, line/height, line%height)
					copy(outer, inner)
				}
			}, part, d)
		})
	})
	return out
}
