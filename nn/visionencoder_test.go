package nn

import (
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// thinned is which parts of a stage the vectors hold: every n-th channel of the first ones,
// and every n-th line and column.
type thinned struct{ channels, everyChannel, every int }

var visionStages = map[string]thinned{
	"encoder_input": {0, 1, 5}, "stem": {4, 1, 3}, "pooled": {4, 1, 3}, "layer1": {4, 1, 3}, "layer2": {4, 1, 3},
	"layer3": {4, 1, 3}, "layer4": {0, 8, 1}, "keypoint_maps": {0, 1, 1}, "keypoints": {0, 1, 1}, "feature": {0, 1, 1},
}

func (k thinned) of(r *run, s *signal) (out []float32) {
	x, height := r.all(s), max(1, s.height)
	width := s.length / height
	channels := s.channels
	if k.channels > 0 {
		channels = k.channels
	}
	for i := range r.n {
		for c := 0; c < channels; c += k.everyChannel {
			for y := 0; y < height; y += k.every {
				for at := 0; at < width; at += k.every {
					out = append(out, x[i*s.size()+(y*width+at)*s.channels+c])
				}
			}
		}
	}
	return out
}

// TestVisionEncoderAgainstPublished compares every stage of every camera, and the product of
// key points with the Jacobian.
func TestVisionEncoderAgainstPublished(t *testing.T) {
	golden.Policies(t, lerobot, func(t *testing.T, p *golden.Policy) {
		keys, prefixes := camerasOf(p)
		for i, key := range keys {
			n, x := encoderOf(t, p, key, prefixes[i]), normalised(t, p, key)
			s := newSession(n.prepare(key0(n)), 2)
			if err := s.run(t.Context(), 0, mapBindings(&n.Map, x)); err != nil {
				t.Fatal(err)
			}
			w := s.workers[0]
			w.first, w.n = 0, x.N
			for _, st := range s.plan.stages {
				p.Check(t, "out."+key+"."+st.name, visionStages[st.name].of(&w.run, st.signal), 0, 0)
			}
			checkKeypointGradient(t, p, n, key, x)
		}
	})
}

// key0 names the plan that keeps all stages.
func key0(n *VisionEncoder) key {
	_, size, _ := n.shape(tensor.Shape{n.config.Channels, n.config.Height, n.config.Width})
	return key{observing, size}
}

func checkKeypointGradient(t *testing.T, p *golden.Policy, n *VisionEncoder, key string, x tensor.Batch) {
	t.Helper()
	d, points := tensor.New(x.N, x.Shape...), n.points()
	c := batchOf(t, p.Archive.Float32("in."+key+".keypoints_cotangent"), n.config.Features())
	if err := points.VJP(t.Context(), d, x, c); err != nil {
		t.Fatal(err)
	}
	p.Check(t, "out."+key+".vjp_keypoints_step0", d.Sample(0), 0, 0)
	var norms []float32
	for i := range x.N {
		norms = append(norms, float32(norm2(d.Sample(i))))
	}
	p.Check(t, "out."+key+".vjp_keypoints_norm", norms, 0, 0)
}

// slope is the derivative of f(x)·c in one direction by central differences.
func slope(t *testing.T, apply func(dst, x tensor.Batch) error, x, direction, c, dst tensor.Batch, h float64) float64 {
	t.Helper()
	value := func(sign float64) (sum float64) {
		moved := x.Clone()
		for i, v := range direction.Data {
			moved.Data[i] += float32(sign * h * float64(v))
		}
		if err := apply(dst, moved); err != nil {
			t.Fatal(err)
		}
		for i, v := range dst.Data {
			sum += float64(v) * float64(c.Data[i])
		}
		return sum
	}
	return (value(1) - value(-1)) / (2 * h)
}

// Published networks have as many parameters as torchvision says, less those of the classifier of
// a thousand classes.
func TestVisionEncodersHaveThePublishedSizes(t *testing.T) {
	for backbone, want := range map[string]int{"resnet18": 11_689_512 - 513_000, "resnet34": 21_797_672 - 513_000, "resnet50": 25_557_032 - 2_049_000} {
		n, err := NewVisionEncoder(VisionEncoderConfig{Backbone: backbone, Height: 96, Width: 96, Keypoints: 32})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, p := range n.Params() {
			if strings.HasPrefix(p.Name, "backbone.") && !strings.Contains(p.Name, ".running_") {
				got += p.Shape.Size()
			}
		}
		if got != want {
			t.Errorf("%s has %d parameters, want %d", backbone, got, want)
		}
	}
}

// TestVisionEncoderGradients compares products with the Jacobian with central differences,
// for both normalisations and both kinds of blocks, with a resize and a crop, and for every depth.
func TestVisionEncoderGradients(t *testing.T) {
	thorough.Test(t)
	encoders := []VisionEncoderConfig{
		{Backbone: "resnet18", Height: 41, Width: 50, Resize: [2]int{70, 37}, Crop: [2]int{64, 33}, GroupNorm: true, Keypoints: 5},
		{Backbone: "resnet34", Height: 36, Width: 33, GroupNorm: true, Keypoints: 3},
		{Backbone: "resnet50", Height: 40, Width: 40, Resize: [2]int{33, 65}, Keypoints: 4},
	}
	if testing.Short() { // they share their work alike
		encoders = encoders[:1]
	}
	for _, c := range encoders {
		n, err := NewVisionEncoder(c)
		if err != nil {
			t.Fatal(err)
		}
		n.Init(noise.New(5))
		x, cotangent := gaussians(2, 3, c.Height, c.Width), gaussians(2, 2*c.Keypoints)
		dst, d := tensor.New(2, 2*c.Keypoints), x.Clone()
		if err := n.VJP(t.Context(), d, x, cotangent); err != nil {
			t.Fatal(err)
		}
		apply := func(dst, x tensor.Batch) error { return n.Apply(t.Context(), dst, x) }
		direction := d.Clone() // the steepest, of length 1
		rescale(direction.Data, 1/norm2(d.Data))
		want, got := slope(t, apply, x, direction, cotangent, dst, 1e-2), norm2(d.Data)
		// Rectifiers that switch within the difference, and rounding of sums.
		if math.Abs(got-want) > 0.02*got || got == 0 {
			t.Errorf("%s: the product is %g, central differences %g", c.Backbone, got, want)
		}
	}
}
