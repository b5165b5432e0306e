package nn

import (
	"math"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// InceptionStage is the first stage of the Inception network that Fréchet distances are
// measured with: it maps an image in [0, 1] to 64 features, the means of its channels.
// Source: Szegedy et al., "Rethinking the Inception architecture for computer vision"
// (CVPR 2016); Heusel et al. (NeurIPS 2017); names are those of pytorch-fid's file.
type InceptionStage struct {
	Map
	convs []*conv
	norms []*batchNorm
}

// inceptionSide is the size that images are brought to.
const inceptionSide = 299

// NewInceptionStage returns a network whose parameters have no values yet: give them some,
// or call Init. It shares the work among a number of goroutines, 0 is GOMAXPROCS.
func NewInceptionStage(workers int) (*InceptionStage, error) {
	n := &InceptionStage{}
	n.name = "InceptionStage"
	out := tensor.Shape{64}
	n.shape = imagesOf("InceptionStage", 3, 1, func(int, int) tensor.Shape { return out })
	n.params.lazy = true
	p := &n.params
	for _, l := range []struct {
		name    string
		in, out int
		k       taps
	}{
		{"Conv2d_1a_3x3", 3, 32, taps{size: 3, stride: 2}},
		{"Conv2d_2a_3x3", 32, 32, taps{size: 3, stride: 1}},
		{"Conv2d_2b_3x3", 32, 64, same(3, 1)},
	} {
		n.convs = append(n.convs, newUnbiased(p, l.name+".conv", l.in, l.out, l.k))
		n.norms = append(n.norms, newBatchNorm(p, l.name+".bn", l.out, 1e-3))
	}
	return n, n.start(n.wire, workers)
}

// Buffers returns the running statistics of the batch normalisations: they belong to the
// state dict, and have no gradients.
func (n *InceptionStage) Buffers() []*Param { return n.params.buffers }

// wire lays the network out.
func (n *InceptionStage) wire(k key) *plan {
	g := newGraph(k)
	x := g.resize(inceptionSide, inceptionSide, g.enterImage(0, k.size.height, k.size.width, 3, true))
	x = g.affine([]float64{2, 2, 2}, []float64{-1, -1, -1}, x)
	for i, c := range n.convs {
		x = g.batchNorm(n.norms[i], g.conv(c, x), true)
	}
	x = g.maxPool(pool{3, 2, 0}, x)
	g.watch("maxpool", x)
	g.leaveRows(0, g.average(x))
	return g.finish()
}

// lerp is where a pixel of a resized axis lies between two of the old ones.
type lerp struct {
	lo, hi int
	weight float32 // of hi
}

// lerps returns the positions of n pixels between old ones, with pixels as areas: the
// corners of both images are the same.
func lerps(n, old int) []lerp {
	out := make([]lerp, n)
	scale := float64(old) / float64(n)
	for i := range out {
		at := max((float64(i)+0.5)*scale-0.5, 0)
		lo := min(int(math.Floor(at)), old-1)
		out[i] = lerp{lo, min(lo+1, old-1), float32(at - float64(lo))}
	}
	return out
}

// resize lays out bilinear interpolation to another size, without antialiasing.
func (g *graph) resize(height, width int, in *signal) *signal {
	out := g.image(height, width, in.channels)
	g.from(out, nil, in)
	ys, xs := lerps(height, in.height), lerps(width, in.width())
	c := in.channels
	// corners returns the four old pixels of a new one, as offsets, and their weights.
	corners := func(i, y, x int) (at [4]int, weights [4]float32) {
		v, h := ys[y], xs[x]
		lo, hi := (i*in.height+v.lo)*in.width(), (i*in.height+v.hi)*in.width()
		return [4]int{(lo + h.lo) * c, (lo + h.hi) * c, (hi + h.lo) * c, (hi + h.hi) * c},
			[4]float32{(1 - v.weight) * (1 - h.weight), (1 - v.weight) * h.weight, v.weight * (1 - h.weight), v.weight * h.weight}
	}
	g.tasks(height, func(r *run, task int, _ *kernel.Hand) {
		from, to := r.all(in), r.all(out)
		for x := range width {
			dst := to[(task*width+x)*c:][:c]
			clear(dst)
			at, weights := corners(task/height, task%height, x)
			for k, w := range weights {
				addScaled(dst, w, from[at[k]:])
			}
		}
	}, out, in)
	g.onBackward(out, func(d *signal) {
		g.gives(in, func(part *signal) {
			g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
				from, to := r.all(d), r.all(part)
				clear(to[i*in.size() : (i+1)*in.size()])
				for p := range height * width {
					src := from[(i*height*width+p)*c:][:c]
					at, weights := corners(i, p/width, p%width)
					for k, w := range weights {
						addScaled(to[at[k]:][:c], w, src)
					}
				}
			}, part, d)
		})
	})
	return out
}
