package images_test

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric/images"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

const lpips = "../../../nn/testdata/images/lpips_vgg_tiny/"

// newLPIPS reads the network of the reference case.
func newLPIPS(t *testing.T) *nn.LPIPS {
	t.Helper()
	n, err := nn.NewLPIPS(nn.LPIPSConfig{Widths: []int{4, 6, 8, 10, 12}, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	values := golden.Safetensors(t, lpips+"vgg16_tiny.safetensors")
	for name, v := range golden.Safetensors(t, lpips+"lin.safetensors") {
		values[name] = v
	}
	for _, p := range n.Params() {
		if !slices.Equal(p.Shape, values[p.Name].Shape) {
			t.Fatalf("tensor %s has shape %v, want %v", p.Name, values[p.Name].Shape, p.Shape)
		}
		p.Data = values[p.Name].Data
	}
	n.Refresh()
	return n
}

// distance returns the perceptual distance of two images in [0, 1].
func distance(t *testing.T, n *nn.LPIPS, a, b []float32, shape []int) (sum float64) {
	t.Helper()
	pair, parts := tensor.New(1, append([]int{2}, shape...)...), tensor.New(1, 5)
	for i, v := range slices.Concat(a, b) {
		pair.Data[i] = 2*v - 1
	}
	if err := n.Apply(t.Context(), parts, pair); err != nil {
		t.Fatal(err)
	}
	for _, v := range parts.Data {
		sum += float64(v)
	}
	return sum
}

type published struct {
	Stats     struct{ Mean, Std, Min, Max float64 }
	PerPair   []float64 `json:"per_pair"`
	PerSample []struct {
		All     []float64
		Reduced float64
	} `json:"per_sample"`
}

// TestPerceptualMeasuresAgainstPublished measures a set by its pairs and against exemplars.
func TestPerceptualMeasuresAgainstPublished(t *testing.T) {
	raw, err := os.ReadFile(lpips + "metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Intra published
		Least published `json:"to_exemplars_min"`
		Mean  published `json:"to_exemplars_mean"`
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	n, io := newLPIPS(t), golden.Safetensors(t, lpips+"io.safetensors")
	samples, exemplars := io["in.metric_samples01"], io["in.metric_exemplars01"]
	image := func(a golden.Array, i int) []float32 {
		size := len(a.Data) / a.Shape[0]
		return a.Data[i*size : (i+1)*size]
	}
	var intra []float64
	for _, p := range images.Pairs(samples.Shape[0]) {
		intra = append(intra, distance(t, n, image(samples, p[0]), image(samples, p[1]), samples.Shape[1:]))
	}
	golden.Close(t, "pairs", intra, want.Intra.PerPair, 2e-6, 1e-5)
	checkStats(t, "pairs", intra, want.Intra)
	var least, mean []float64
	for i := range samples.Shape[0] {
		var all []float64
		for j := range exemplars.Shape[0] {
			all = append(all, distance(t, n, image(samples, i), image(exemplars, j), samples.Shape[1:]))
		}
		golden.Close(t, "to exemplars", all, want.Least.PerSample[i].All, 2e-6, 1e-5)
		least, mean = append(least, reduced(t, images.Least, all)), append(mean, reduced(t, images.Mean, all))
		golden.Close(t, "least and mean", []float64{least[i], mean[i]},
			[]float64{want.Least.PerSample[i].Reduced, want.Mean.PerSample[i].Reduced}, 2e-6, 1e-5)
	}
	checkStats(t, "least", least, want.Least)
	checkStats(t, "mean", mean, want.Mean)
}

func reduced(t *testing.T, r images.Reduction, x []float64) float64 {
	t.Helper()
	v, err := r.Of(x, 2)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func checkStats(t *testing.T, what string, x []float64, want published) {
	t.Helper()
	s, w := images.StatsOf(x), want.Stats
	golden.Close(t, "statistics of "+what, []float64{s.Mean, s.Std, s.Min, s.Max}, []float64{w.Mean, w.Std, w.Min, w.Max}, 2e-6, 1e-5)
}

func TestReductions(t *testing.T) {
	x := []float64{4, 1, 7, 2}
	for r, want := range map[images.Reduction]float64{images.Least: 1, images.Mean: 3.5, images.Most: 7, images.LeastMean: 1.5} {
		if got := reduced(t, r, x); got != want {
			t.Errorf("reduction %d of %v = %v, want %v", r, x, got, want)
		}
		if _, err := r.Of(nil, 1); err == nil {
			t.Errorf("reduction %d of nothing gives no error", r)
		}
	}
	if _, err := images.LeastMean.Of(x, 5); err == nil {
		t.Error("the mean of the 5 least of 4 gives no error")
	}
	if got := images.Pairs(25); len(got) != 300 {
		t.Errorf("%d pairs of 25 images, want 300", len(got))
	}
	if s := images.StatsOf(nil); !math.IsNaN(s.Mean) {
		t.Errorf("statistics of nothing are %+v", s)
	}
}
