package nn

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func TestControlNetXSAgainstPublished(t *testing.T) {
	imageCases(t, "controlnet_xs", func(t *testing.T, c golden.Case) {
		base := newUNet2D(t, c.Dir+"/../unet_sd21")
		config, err := parseControlNetXS(readFile(t, c.Dir+"/config.json"))
		if err != nil {
			t.Fatal(err)
		}
		config.Workers = 2
		n, err := NewControlNetXS(base, config)
		if err != nil {
			t.Fatal(err)
		}
		fillParams(t, n, golden.Safetensors(t, c.Dir+"/weights.safetensors"))
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		x, context, times := asBatch(t, io["in.sample"]), asBatch(t, io["in.encoder_hidden_states"]), io["in.timesteps"].Ints()
		hint := threefold(io["in.controlnet_cond_u8"])
		scales := map[string]float64{"out.sample_scale1": 1, "out.sample_scale0.95": 0.95}
		if !config.LearnTimeEmbedding { // otherwise see TestControlAtScaleZero
			scales["out.sample_no_control"] = 0
		}
		for name, scale := range scales {
			b, err := n.Bind(x.Shape[1], x.Shape[2], context, hint, scale)
			if err != nil {
				t.Fatal(err)
			}
			c.Check(t, name, eachAt(t, b, x, times), io[name])
		}
		b, err := base.Bind(x.Shape[1], x.Shape[2], context)
		if err != nil {
			t.Fatal(err)
		}
		c.Check(t, "out.base_unet", eachAt(t, b, x, times), io["out.base_unet"])
	})
}

// TestControlAtScaleZero wants a scale of 0 to add nothing of the hint to the base and still
// to run it as the adapter does: at a time that is mixed with the adapter's own, and, in the
// form of the library, with its normalisations.
func TestControlAtScaleZero(t *testing.T) {
	condition, x, times := gaussians(7, 5, 12), gaussians(2, 3, 8, 12), []int{3, 400}
	steered := func(n *ControlNetXS, hint tensor.Batch, scale float64) []float32 {
		b, err := n.Bind(8, 12, condition, hint, scale)
		if err != nil {
			t.Fatal(err)
		}
		return eachAt(t, b, x, times)
	}
	bound, err := smallControl(t).base.Bind(8, 12, condition)
	if err != nil {
		t.Fatal(err)
	}
	base, hint, none := eachAt(t, bound, x, times), gaussians(7, 1, 16, 24), tensor.New(1, 1, 16, 24)
	for name, c := range map[string]struct {
		change      func(*ControlNetXS)
		least, most float64 // distance from the base
	}{
		"a time of its own":              {func(*ControlNetXS) {}, 1e-2, 10},
		"a time of which nothing counts": {func(n *ControlNetXS) { n.config.TimeEmbeddingMix = 0 }, 0, 0},
		"the time of the base":           {func(n *ControlNetXS) { n.time = nil }, 0, 0},
		"normalisations of the library":  {func(n *ControlNetXS) { n.time, n.config.Library = nil, true }, 1e-7, 1e-3},
	} {
		n := smallControl(t)
		c.change(n)
		got := steered(n, hint, 0)
		if !slices.Equal(got, steered(n, none, 0)) || slices.Equal(steered(n, hint, 1), steered(n, none, 1)) {
			t.Errorf("%s: a hint counts at scale 0, or not at scale 1", name)
		}
		if d := distance(got, base); d < c.least || d > c.most {
			t.Errorf("%s: scale 0 is %g from the base, want %g to %g", name, d, c.least, c.most)
		}
	}
}

// distance is the largest difference of two arrays.
func distance(a, b []float32) (d float64) {
	for i, v := range a {
		d = max(d, math.Abs(float64(v)-float64(b[i])))
	}
	return d
}

// threefold returns bytes of one channel as images in [0, 1] of three.
func threefold(a golden.Array) tensor.Batch {
	side := a.Shape[2] * a.Shape[3]
	out := tensor.New(a.Shape[0], 3, a.Shape[2], a.Shape[3])
	for i := range out.Data {
		out.Data[i] = a.Data[i/(3*side)*side+i%side] / 255
	}
	return out
}

// eachAt predicts every sample at its own timestep.
func eachAt(t *testing.T, b *Bound, x tensor.Batch, times []int) []float32 {
	t.Helper()
	out := x.Clone()
	for i, step := range times {
		if err := b.Predict(t.Context(), out.Rows(i, i+1), x.Rows(i, i+1), step); err != nil {
			t.Fatal(err)
		}
	}
	return out.Data
}

// smallControl is an adapter of a small network, with a time embedding of its own.
func smallControl(t *testing.T) *ControlNetXS {
	t.Helper()
	n, err := NewControlNetXS(smallUNet2D(t, 2, schedule.Epsilon), ControlNetXSConfig{BlockOutChannels: []int{4, 8},
		HintChannels: []int{4, 6}, ConditioningChannels: 1, Heads: []int{2, 2}, MaxNormNumGroups: 4, TransformerLayers: []int{1, 1},
		UseLinearProjection: true, LearnTimeEmbedding: true, TimeEmbeddingMix: 0.95, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	n.engine.Init(noise.New(6)) // zeros would hide what is behind them
	return n
}

// TestControlNetXSBeginsAsItsBase wants a new adapter to change nothing, whatever the hint,
// and every parameter to learn something within three steps.
func TestControlNetXSBeginsAsItsBase(t *testing.T) {
	n := smallControl(t)
	n.config.LearnTimeEmbedding, n.time = false, nil
	n.Init(noise.New(6))
	condition, x := gaussians(7, 5, 12), gaussians(2, 3, 8, 12)
	steered, err := n.Bind(8, 12, condition, gaussians(7, 1, 16, 24), 1)
	if err != nil {
		t.Fatal(err)
	}
	base, err := n.base.Bind(8, 12, condition)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := eachAt(t, steered, x, []int{3, 400}), eachAt(t, base, x, []int{3, 400}); !slices.Equal(got, want) {
		t.Error("a new adapter changes the predictions of its base")
	}
	tr, err := n.NewTraining(2, 8, 12, 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	ex := Examples{X: x, T: []int{3, 400}, Condition: gaussians(2, 5, 12), Hint: gaussians(2, 1, 16, 24)}
	moved := map[string]bool{}
	for range 3 {
		if err := tr.Forward(t.Context(), tensor.New(2, 3, 8, 12), ex); err != nil {
			t.Fatal(err)
		}
		tr.ZeroGrad()
		if err := tr.Backward(t.Context(), gaussians(2, 3, 8, 12)); err != nil {
			t.Fatal(err)
		}
		for _, p := range n.Params() {
			for j, g := range p.Grad {
				p.Data[j] -= 0.01 * g
				moved[p.Name] = moved[p.Name] || g != 0
			}
		}
		n.Refresh()
	}
	for _, p := range n.Params() {
		if !moved[p.Name] && !strings.HasPrefix(p.Name, "time_embedding") {
			t.Errorf("%s learns nothing", p.Name)
		}
	}
}

// TestHintsArrive wants lines of a hint to leave as much at the end of six convolutions as
// they are, within a factor of five: what is lost there, no training finds.
func TestHintsArrive(t *testing.T) {
	n, err := NewControlNetXS(smallUNet2D(t, 2, schedule.Epsilon), ControlNetXSConfig{BlockOutChannels: []int{4, 8},
		HintChannels: []int{8, 16, 24, 32}, ConditioningChannels: 3, Heads: []int{2, 2}, MaxNormNumGroups: 4, TransformerLayers: []int{1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(6))
	const side = 32
	lines := tensor.New(1, 3, side, side)
	for i := range lines.Data {
		lines.Data[i] = float32(1 - min(i%side%8, 1)) // a line in eight columns
	}
	seen := func(hint tensor.Batch) []float32 {
		for _, c := range n.hint[:len(n.hint)-1] {
			hint = convolved(c, hint)
			for i, v := range hint.Data {
				hint.Data[i] = v / (1 + float32(math.Exp(-float64(v))))
			}
		}
		return hint.Data
	}
	with, without := seen(lines), seen(tensor.New(1, 3, side, side))
	var change float64
	for i := range with {
		change += math.Pow(float64(with[i]-without[i]), 2) / float64(len(with))
	}
	if change, size := math.Sqrt(change), math.Sqrt(1./8); change < size/5 || change > 5*size {
		t.Errorf("lines of size %.3f change the end by %.3g", size, change)
	}
}

// convolved applies a convolution of three taps to one image.
func convolved(c *conv, x tensor.Batch) tensor.Batch {
	in, h, w := x.Shape[0], x.Shape[1], x.Shape[2]
	y := tensor.New(1, c.out, h/c.taps.stride, w/c.taps.stride)
	for at := range y.Data {
		o, row, column := at/(y.Shape[1]*y.Shape[2]), at/y.Shape[2]%y.Shape[1], at%y.Shape[2]
		sum := c.bias.Data[o]
		for tap := range in * 9 {
			i, v, u := tap/9, row*c.taps.stride+tap/3%3-1, column*c.taps.stride+tap%3-1
			if v >= 0 && v < h && u >= 0 && u < w {
				sum += c.weight.Data[o*in*9+tap] * x.Data[(i*h+v)*w+u]
			}
		}
		y.Data[at] = sum
	}
	return y
}

func TestControlNetXSLaws(t *testing.T) {
	for _, size := range [][2]int{{8, 12}, {7, 9}} {
		b, err := smallControl(t).Bind(size[0], size[1], gaussians(7, 5, 12), gaussians(7, 1, 2*size[0], 2*size[1]), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, b, lawtest.DenoiserOptions{Timesteps: []int{11}, Step: 1e-2})
	}
}

// TestControlNetXSTraining compares the gradients of the adapter, which come through the
// base, with central differences. The base learns nothing.
func TestControlNetXSTraining(t *testing.T) {
	n := smallControl(t)
	tr, err := n.NewTraining(2, 8, 12, 5, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	x, out, cotangent := gaussians(2, 3, 8, 12), tensor.New(2, 3, 8, 12), tensor.New(2, 3, 8, 12)
	copy(cotangent.Data, random(len(cotangent.Data), 5))
	ex := Examples{X: x, T: []int{3, 400}, Condition: gaussians(2, 5, 12), Hint: gaussians(2, 1, 16, 24)}
	forward := func() float64 {
		n.Refresh()
		if err := tr.Forward(t.Context(), out, ex); err != nil {
			t.Fatal(err)
		}
		return dot(out.Data, cotangent.Data)
	}
	forward()
	if err := tr.Backward(t.Context(), cotangent); err != nil {
		t.Fatal(err)
	}
	for i, p := range n.Params() {
		if i%9 == 0 {
			d := slices.Clone(p.Grad) // along the gradient: rounding hides smaller derivatives
			rescale(d, 4/norm2(d))
			differences(t, p.Name, p.Data, d, p.Grad, forward)
		}
	}
	for _, p := range n.base.Params() {
		if p.Grad != nil {
			t.Fatalf("%s of the base has a gradient", p.Name)
		}
	}
}
