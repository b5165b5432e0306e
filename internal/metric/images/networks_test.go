package images

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/clipimage"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

const cases = "../../../nn/testdata/images/"

func batch(a golden.Array) tensor.Batch {
	return tensor.Batch{N: a.Shape[0], Shape: a.Shape[1:], Data: a.Data}
}

// reference are measures as the published code writes them.
type reference struct {
	PerPair   []float64 `json:"per_pair"`
	PerSample []struct {
		Reduced float64
	} `json:"per_sample"`
}

// TestDistancesAgainstPublished measures the samples of a reference case with the
// perceptual distance: diversity over pairs, and the least distance to an exemplar.
func TestDistancesAgainstPublished(t *testing.T) {
	const dir = cases + "lpips_vgg_tiny/"
	l, err := openLPIPS(dir+"vgg16_tiny.safetensors", dir+"lin.safetensors", nn.LPIPSConfig{Widths: []int{4, 6, 8, 10, 12}})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(dir + "metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Intra reference
		Least reference `json:"to_exemplars_min"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	io := golden.Safetensors(t, dir+"io.safetensors")
	inception, err := OpenInception(cases + "fid_block0/weights.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	m, err := Set{Similarity: inception, Distance: l, Frechet: inception}.Measure(t.Context(), batch(io["in.metric_samples01"]), batch(io["in.metric_exemplars01"]))
	if err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "diversity", m.Diversity, want.Intra.PerPair, 2e-6, 1e-5)
	checkRoom(t, l, batch(io["in.metric_samples01"]), m.Diversity)
	var least []float64
	for _, s := range want.Least.PerSample {
		least = append(least, s.Reduced)
	}
	golden.Close(t, "distance", m.Distance, least, 2e-6, 1e-5)
	for _, s := range m.Similarity {
		if !(s > 0 && s <= 1+1e-12) {
			t.Errorf("similarities %v of features that are not negative", m.Similarity)
		}
	}
}

func TestFrechetAgainstPublished(t *testing.T) {
	const dir = cases + "fid_block0/"
	n, err := OpenInception(dir + "weights.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(dir + "frechet.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Values map[string]struct {
			Value float64 `json:"symmetric_eigen_form"`
		}
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	io := golden.Safetensors(t, dir+"io.safetensors")
	a, b := batch(io["in.images01_a"]), batch(io["in.images01_b"])
	for name, exemplars := range map[string]tensor.Batch{"a_vs_b": a, "two_vs_b": a.Rows(0, 2)} {
		got, err := Set{Frechet: n}.frechet(t.Context(), b, exemplars)
		if err != nil {
			t.Fatal(err)
		}
		golden.Close(t, name, []float64{got}, []float64{want.Values[name].Value}, 1e-6, 1e-4)
	}
}

// checkRoom compares the distances of all pairs when the features of one or two images are
// kept at a time.
func checkRoom(t *testing.T, l *LPIPS, x tensor.Batch, want []float64) {
	t.Helper()
	for _, kept := range []int{0, 2, 4} {
		small := LPIPS{Net: l.Net, Room: max(kept*l.Net.Bytes(x.Shape[1], x.Shape[2]), 1)}
		got, err := small.Distances(t.Context(), x, x, Pairs(x.N))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("room for %d images: %v, %v, want %v", kept, got, err, want)
		}
	}
}

// TestCLIPAgainstPublished sees the images of the reference case through both files. The
// case is given in the colours of CLIP, and at its size, so that nothing is resized.
func TestCLIPAgainstPublished(t *testing.T) {
	const dir = cases + "clip_vision/"
	raw, err := os.ReadFile(dir + "config.json")
	if err != nil {
		t.Fatal(err)
	}
	c, err := nn.ParseConfig[nn.CLIPVisionConfig](raw)
	if err != nil {
		t.Fatal(err)
	}
	io := golden.Safetensors(t, dir+"io.safetensors")
	x, want := batch(io["in.pixel_values"]).Clone(), batch(io["out.image_embeds"])
	zero, one := tensor.New(1, 3, 1, 1), tensor.New(1, 3, 1, 1)
	for i := range one.Data {
		one.Data[i] = 1
	}
	clipimage.Normalise(zero)
	clipimage.Normalise(one)
	for i, v := range x.Data {
		ch := i / (x.Shape[1] * x.Shape[2]) % 3
		x.Data[i] = (v - zero.Data[ch]) / (one.Data[ch] - zero.Data[ch])
	}
	for _, file := range []string{"weights.safetensors", "weights_openai_names.safetensors"} {
		clip, err := openCLIP(dir+file, c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := clip.Embed(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			golden.Close(t, file, got[i], want.Sample(i), 2e-5, 1e-4)
		}
	}
	var misfit *weights.LoadError
	for _, file := range []string{"weights.safetensors", "weights_openai_names.safetensors"} {
		if _, err := OpenCLIP(dir + file); !errors.As(err, &misfit) {
			t.Errorf("%s of another size: %v, want a *weights.LoadError", file, err)
		}
	}
}

// newJudge reads the classifier of a reference case.
func newJudge(t *testing.T) *Judge {
	t.Helper()
	const file = cases + "latent_classifier/weights.safetensors"
	tensors := golden.Safetensors(t, file)
	first := tensors["backbone.conv1.weight"].Shape
	c := nn.ClassifierConfig{InChannels: first[1], Width: first[0]}
	for _, name := range []string{"age_group", "gender"} {
		c.Heads = append(c.Heads, nn.ClassifierHead{
			Name: name, Hidden: tensors["heads."+name+".lin1.bias"].Shape[0], Classes: make([]string, tensors["heads."+name+".lin2.bias"].Shape[0]),
		})
	}
	net, err := nn.NewClassifier(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := loadFile(net, file, append(net.Params()[:len(net.Params()):len(net.Params())], net.Buffers()...)); err != nil {
		t.Fatal(err)
	}
	return NewJudge(net, 0, 1)
}

// TestJudge compares the features of the judge with the reference, and its distance
// with what it has to be.
func TestJudge(t *testing.T) {
	j := newJudge(t)
	io := golden.Safetensors(t, cases+"latent_classifier/io.safetensors")
	x, want := batch(io["in.first"]), batch(io["out.features"])
	got, err := j.Embed(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		golden.Close(t, "features", got[i], want.Sample(i), 1e-5, 1e-4)
	}
	d, err := j.Distances(t.Context(), x, x, product(x.N, x.N))
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.N {
		for k := range x.N {
			at := d[i*x.N+k]
			// Four layers of unit vectors: at most 4 each.
			if (i == k) != (at == 0) || at != d[k*x.N+i] || at > 16 {
				t.Errorf("distance of %d and %d: %v", i, k, at)
			}
		}
	}
}

// TestDirections compares the distance of two pictures of two pixels and two channels
// with the sum by hand: one pixel the same up to its length, one at right angles.
func TestDirections(t *testing.T) {
	a := appendDirections(nil, []float32{3, 1, 4, 0}, 2)
	b := appendDirections(nil, []float32{6, 0, 8, 2}, 2)
	sum := 0.0
	for i := range a {
		sum += math.Pow(float64(a[i]-b[i]), 2)
	}
	if math.Abs(sum-1) > 1e-6 { // (0 + 2)/2
		t.Errorf("distance %v, want 1", sum)
	}
	for _, v := range appendDirections(nil, make([]float32, 4), 2) {
		if v != 0 {
			t.Errorf("the direction of nothing is %v", v)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	j := newJudge(t)
	x := tensor.New(3, 4, 32, 32)
	noise.New(1).Normal(x.Data, x.Size(), noise.Address{})
	set := Set{j, j, j}
	var size *SizeError
	var count *CountError
	if _, err := set.Measure(t.Context(), x, x.Rows(0, 1)); !errors.As(err, &size) {
		t.Errorf("one exemplar: %v", err)
	}
	if _, err := set.Measure(t.Context(), x, x.Rows(0, 0)); !errors.As(err, &count) {
		t.Errorf("no exemplars: %v", err)
	}
	if _, err := OpenLPIPS(filepath.Join(t.TempDir(), "vgg16.pth"), "lin.pth"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if m, err := set.Measure(t.Context(), x, x); err != nil || len(m.Diversity) != 3 || m.Distance[2] != 0 || math.Abs(m.Frechet) > 1e-6 {
		t.Errorf("a set against itself: %+v, %v", m, err)
	}
}
