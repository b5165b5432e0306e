package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
)

// spatialSoftmax turns every channel of an image into a point: the mean of the places of
// the pixels, weighted by the softmax of their values. Source: Finn et al., "Deep spatial
// autoencoders for visuomotor learning" (ICRA 2016).
type spatialSoftmax struct {
	places *Param // [pixels, 2]: x and y of every pixel, line by line
}

// newSpatialSoftmax makes the layer for images of a size.
func newSpatialSoftmax(p *params, name string, height, width int) *spatialSoftmax {
	return &spatialSoftmax{p.buffer(name, 0, height*width, 2)}
}

// grid writes the places that the published layer has: from -1 to 1 each way, computed in
// float64. A side of one pixel is at -1.
func grid(dst []float32, height, width int) {
	at := func(i, n int) float32 {
		if n == 1 {
			return -1
		}
		return float32(-1 + 2*float64(i)/float64(n-1))
	}
	for y := range height {
		for x := range width {
			dst[2*(y*width+x)], dst[2*(y*width+x)+1] = at(x, width), at(y, height)
		}
	}
}

// spatialSoftmax lays out the points of an image: one row of x and y for every channel.
func (g *graph) spatialSoftmax(l *spatialSoftmax, in *signal) *signal {
	share, out := g.like(in, in.channels), g.signal(1, 2*in.channels)
	g.from(out, nil, in)
	g.tasks(in.channels, func(r *run, task int, _ *kernel.Hand) {
		l.forward(r, out, share, in, task/in.channels, task%in.channels)
	}, out, share, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.tasks(in.channels, func(r *run, task int, _ *kernel.Hand) {
				l.backward(r, part, share, out, d, task/in.channels, task%in.channels)
			}, part, share, out, d)
		})
	})
	return out
}

// forward writes the shares of the pixels of channel c of sample i, and its point.
func (l *spatialSoftmax) forward(r *run, out, share, in *signal, i, c int) {
	x, p := r.all(in)[i*in.size():][:in.size()], r.all(share)[i*in.size():][:in.size()]
	most, sum := math.Inf(-1), 0.0
	for at := c; at < len(x); at += in.channels {
		most = math.Max(most, float64(x[at]))
	}
	for at := c; at < len(x); at += in.channels {
		sum += math.Exp(float64(x[at]) - most)
	}
	var point [2]float64
	for row := range in.length {
		v := math.Exp(float64(x[row*in.channels+c])-most) / sum
		p[row*in.channels+c] = float32(v)
		point[0] += v * float64(l.places.Data[2*row])
		point[1] += v * float64(l.places.Data[2*row+1])
	}
	y := r.vector(out, i)
	y[2*c], y[2*c+1] = float32(point[0]), float32(point[1])
}

// backward writes the cotangent of channel c of sample i: the share of a pixel times how
// far along the cotangent of the point the pixel lies from it.
func (l *spatialSoftmax) backward(r *run, part, share, out, d *signal, i, c int) {
	p, dx := r.all(share)[i*share.size():][:share.size()], r.all(part)[i*share.size():][:share.size()]
	y, dy := r.vector(out, i), r.vector(d, i)
	for row := range share.length {
		along := float64(dy[2*c])*(float64(l.places.Data[2*row])-float64(y[2*c])) +
			float64(dy[2*c+1])*(float64(l.places.Data[2*row+1])-float64(y[2*c+1]))
		dx[row*share.channels+c] = float32(float64(p[row*share.channels+c]) * along)
	}
}
