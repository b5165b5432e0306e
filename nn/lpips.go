package nn

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// LPIPSConfig describes an [LPIPS]. The zero value is the published network.
type LPIPSConfig struct {
	Widths  []int // channels of the five stages of the trunk; nil is 64, 128, 256, 512, 512
	Workers int   // goroutines; 0 is GOMAXPROCS
}

// LPIPS is the learned perceptual distance of two images: a VGG-16 compares what it sees
// in both. A sample is the pair [2, 3, height, width] with values in [-1, 1]; what comes
// out are the [5] parts of the distance, one for each stage of the trunk. The distance is
// their sum. Source: Zhang et al., "The unreasonable effectiveness of deep features as a
// perceptual metric" (CVPR 2018), version 0.1; names of the trunk are those of the library
// torchvision, those of the heads those of the authors' files.
type LPIPS struct {
	Map
	convs [][]*conv // of the stages
	heads []*Param
}

// vggConvolutions is how many convolutions the stages of a VGG-16 have.
var vggConvolutions = []int{2, 2, 3, 3, 3}

// The colours that the trunk was trained on: (x - shift)/scale, channel by channel.
var (
	lpipsShift = []float64{-0.030, -0.088, -0.188}
	lpipsScale = []float64{0.458, 0.448, 0.450}
)

// NewLPIPS returns a network whose parameters have no values yet: give them some, or call
// Init.
func NewLPIPS(c LPIPSConfig) (*LPIPS, error) {
	if c.Widths == nil {
		c.Widths = []int{64, 128, 256, 512, 512}
	}
	if len(c.Widths) != len(vggConvolutions) {
		return nil, &ConfigError{"LPIPS", "Widths", fmt.Sprint(c.Widths), "a number for each of 5 stages"}
	}
	n := &LPIPS{}
	n.name = "LPIPS"
	n.shape = func(in tensor.Shape) (tensor.Shape, extent, error) {
		if len(in) != 4 || in[0] != 2 || in[1] != 3 || min(in[2], in[3]) < 16 {
			return nil, extent{}, &ShapeError{"LPIPS", in, "[2 3 height width] of at least 16 pixels each way"}
		}
		return tensor.Shape{5}, extent{height: in[2], width: in[3]}, nil
	}
	n.params.lazy = true
	p := &n.params
	in, number := 3, 0
	for stage, out := range c.Widths {
		if out < 1 || out > maxSize {
			return nil, &ConfigError{"LPIPS", "Widths", fmt.Sprint(out), fmt.Sprintf("between 1 and %d", maxSize)}
		}
		var convs []*conv
		for range vggConvolutions[stage] {
			convs = append(convs, newConv2d(p, fmt.Sprintf("features.%d", number), in, out, same(3, 1)))
			in, number = out, number+2 // an activation follows
		}
		number++ // a maximum follows
		n.convs = append(n.convs, convs)
	}
	for stage, out := range c.Widths {
		n.heads = append(n.heads, p.add(fmt.Sprintf("lin%d.model.1.weight", stage), 0, bound(out), 1, out, 1, 1))
	}
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out: for pairs, or for single images.
func (n *LPIPS) wire(k key) *plan {
	if k.size.single {
		return n.wireTrunk(k)
	}
	g := newGraph(k)
	first, second := g.enterPair(k.size.height, k.size.width, 3)
	a, b := g.recolour(first), g.recolour(second)
	var out *signal
	for stage := range n.convs {
		a, b = n.stage(g, stage, a), n.stage(g, stage, b)
		g.watch(fmt.Sprintf("stage%d", stage), a)
		part := g.apart(n.heads[stage], a, b)
		if out == nil {
			out = part
		} else {
			out = g.concat(out, part)
		}
	}
	g.leaveRows(0, out)
	return g.finish()
}

// wireTrunk lays the trunk out, whose stages leave one after the other.
func (n *LPIPS) wireTrunk(k key) *plan {
	g := newGraph(k)
	x := g.recolour(g.enterImage(0, k.size.height, k.size.width, 3, false))
	for stage := range n.convs {
		x = n.stage(g, stage, x)
		g.leaveRows(stage, x)
	}
	return g.finish()
}

// stage lays out a stage of the trunk.
func (n *LPIPS) stage(g *graph, stage int, x *signal) *signal {
	if stage > 0 {
		x = g.maxPool(pool{2, 2, 0}, x)
	}
	for _, c := range n.convs[stage] {
		x = g.activate(relu, g.conv(c, x))
	}
	return x
}

// enterPair lays out the copy of a caller's pairs of images.
func (g *graph) enterPair(height, width, channels int) (first, second *signal) {
	both := g.enterImage(0, height, width, 2*channels, true)
	return g.channels(both, 0, channels), g.channels(both, channels, channels)
}

// channels lays out a copy of some channels.
func (g *graph) channels(in *signal, from, n int) *signal {
	out := g.like(in, n)
	g.from(out, nil, in)
	g.rows(out, func(r *run, m kernel.Matrix, first int) {
		x := r.block(in, first, m.Rows)
		for i := range m.Rows {
			copy(m.Data[i*n:(i+1)*n], x.Data[i*x.Cols+from:])
		}
	}, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.rows(part, func(r *run, m kernel.Matrix, first int) {
				clear(m.Data[:m.Rows*m.Cols])
				y := r.elements(d, first, m.Rows)
				for i := range m.Rows {
					copy(m.Data[i*m.Cols+from:], y[i*n:(i+1)*n])
				}
			}, d)
		})
	})
	return out
}

// recolour lays out the map of colours to those that the trunk was trained on.
func (g *graph) recolour(in *signal) *signal {
	a, b := make([]float64, 3), make([]float64, 3)
	for c := range a {
		a[c], b[c] = 1/lpipsScale[c], -lpipsShift[c]/lpipsScale[c]
	}
	return g.affine(a, b, in)
}

// affine lays out x a + b, with a and b per channel.
func (g *graph) affine(a, b []float64, in *signal) *signal {
	out := g.like(in, in.channels)
	g.from(out, nil, in)
	g.perChannel(out, in, a, b)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) { g.perChannel(part, d, a, make([]float64, len(a))) })
	})
	return out
}

// perChannel lays out dst = src a + b.
func (g *graph) perChannel(dst, src *signal, a, b []float64) {
	g.rows(dst, func(r *run, m kernel.Matrix, first int) {
		x := r.elements(src, first, m.Rows)
		for i, v := range x {
			c := i % m.Cols
			m.Data[i] = float32(float64(v)*a[c] + b[c])
		}
	}, src)
}

// lpipsEpsilon is added to the length of a pixel's features.
const lpipsEpsilon = 1e-10

// apart lays out the mean over the pixels of Σ_c w_c (u_c - v_c)², u and v the features of
// a pixel in both images, scaled to length 1.
func (g *graph) apart(w *Param, a, b *signal) *signal {
	out := g.signal(1, 1)
	g.from(out, w, a, b)
	g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
		r.vector(out, i)[0] = apart(w.Data, r.elements(a, i*a.length, a.length), r.elements(b, i*b.length, b.length))
	}, out, a, b)
	g.onBackward(out, func(d *signal) {
		if g.trains(w) {
			g.does(func(r *run) { apartLearn(r, w, a, b, d) }, a, b, d)
		}
		for _, s := range [][2]*signal{{a, b}, {b, a}} {
			if s[0].needs {
				g.gives(s[0], func(part *signal) {
					g.tasks(1, func(r *run, i int, h *kernel.Hand) { apartBack(r, h, i, w.Data, part, s[0], s[1], d) }, part, a, b, d)
				})
			}
		}
	})
	return out
}

// apart returns the mean over the pixels of Σ_c w_c (u_c - v_c)², see [graph.apart].
func apart(w, x, y []float32) float32 {
	sum, channels := 0.0, len(w)
	for p := 0; p < len(x); p += channels {
		u, v := x[p:p+channels], y[p:p+channels]
		s, t := 1/length(u), 1/length(v)
		for c := range u {
			e := float64(u[c])*s - float64(v[c])*t
			sum += float64(w[c]) * e * e
		}
	}
	return float32(sum / float64(len(x)/channels))
}

// length returns the length of a vector and lpipsEpsilon.
func length(x []float32) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum) + lpipsEpsilon
}

// apartLearn adds to the gradient of the weights of the channels.
func apartLearn(r *run, w *Param, a, b, d *signal) {
	x, y := r.pixels(a), r.pixels(b)
	sums := r.doubles(x.Cols)
	for p := range x.Rows {
		u, v := x.Data[p*x.Cols:][:x.Cols], y.Data[p*y.Cols:][:y.Cols]
		s, t := 1/length(u), 1/length(v)
		dy := float64(r.vector(d, p/a.length)[0]) / float64(a.length)
		for c := range sums {
			e := float64(u[c])*s - float64(v[c])*t
			sums[c] += dy * e * e
		}
	}
	for c, v := range sums {
		w.Grad[c] += float32(v)
	}
}

// apartBack writes the cotangent of one of two images of sample i.
func apartBack(r *run, h *kernel.Hand, i int, w []float32, dst, this, other, d *signal) {
	x, y, out := r.pixels(this), r.pixels(other), r.pixels(dst)
	dy := 2 * float64(r.vector(d, i)[0]) / float64(this.length)
	grad := h.Doubles(x.Cols)
	for p := i * this.length; p < (i+1)*this.length; p++ {
		u, v, to := x.Data[p*x.Cols:][:x.Cols], y.Data[p*y.Cols:][:y.Cols], out.Data[p*x.Cols:][:x.Cols]
		n := length(u)
		s, t, along := 1/n, 1/length(v), 0.0
		for c := range u {
			grad[c] = dy * float64(w[c]) * (float64(u[c])*s - float64(v[c])*t)
			along += grad[c] * float64(u[c])
		}
		if r := n - lpipsEpsilon; r > 0 {
			along /= r * n * n
		}
		for c := range u {
			to[c] = float32(grad[c]*s - along*float64(u[c]))
		}
	}
}
