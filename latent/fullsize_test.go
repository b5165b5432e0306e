package latent

import (
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// TestPublishedLayout draws a pair with a folder in the layout of Stable Diffusion 2.1.
func TestPublishedLayout(t *testing.T) {
	for _, as := range []dtype.DType{dtype.F16, dtype.F32} {
		dir, classifier := miniature.write(t, t.TempDir(), as)
		drawPair(t, dir, classifier)
	}
}

// TestPublishedSize does so with the published sizes, in 16 GiB. It writes up to 5.3 GB,
// takes minutes, and runs when PCD_FULLSIZE names the type of the weights, F32 or F16.
func TestPublishedSize(t *testing.T) {
	as, ok := map[string]dtype.DType{"F32": dtype.F32, "F16": dtype.F16}[os.Getenv("PCD_FULLSIZE")]
	if !ok {
		t.Skip("PCD_FULLSIZE names no type, F32 or F16; TestPublishedLayout does the same in small")
	}
	dir, classifier := stableDiffusion.write(t, t.TempDir(), as)
	debug.FreeOSMemory()
	drawStep(t, dir, map[dtype.DType]float64{dtype.F32: 1.3, dtype.F16: 0.8}[as])
	if peak := drawPair(t, dir, classifier); peak > 16<<30 {
		t.Errorf("the pair took %.2f GiB, want at most 16", gib(peak))
	}
}

// drawStep predicts with the denoising network alone, and compares the most memory of the
// process with what the weights take as float32.
func drawStep(t *testing.T, dir string, most float64) {
	t.Helper()
	memory.ForgetPeak()
	part := must(must(modelfile.OpenFolder(dir))(t).Part("unet"))(t)
	net := must(modelfile.Network[*nn.UNet2DCondition](part))(t)
	if err := part.Keep(net); err != nil {
		t.Fatal(err)
	}
	config := net.Config()
	b := must(net.Bind(64, 64, tensor.New(1, 77, config.CrossAttentionDim)))(t)
	x := tensor.New(1, 4, 64, 64)
	now := clock()
	for range 2 {
		start := now
		if err := b.Predict(t.Context(), x, x, 501); err != nil {
			t.Fatal(err)
		}
		now = clock()
		t.Logf("a step: %v", now.since(start))
	}
	share := float64(int(memory.Peak())) / float64(4*numbers(net))
	t.Logf("a step: at most %.2f GiB, %.2f of the weights in float32", gib(int(memory.Peak())), share)
	if share > most {
		t.Errorf("a step takes %.2f of the weights in float32, want at most %v", share, most)
	}
}

// drawPair draws pairs with two members that share a network, inside the hulls of two
// exemplars each, coupled by a classifier: three steps, two pairs together. It returns
// the most memory that the process had meanwhile, where the system tells.
func drawPair(t *testing.T, dir, classifier string) (peak int) {
	t.Helper()
	memory.ForgetPeak()
	start := clock()
	logf := func(what string) {
		t.Logf("%s: %v, at most %.2f GiB so far", what, clock().since(start), gib(int(memory.Peak())))
		start = clock()
	}
	m := must(Open(dir))(t)
	c := must(OpenClassifier(classifier))(t)
	logf("opened")
	logWork(t, m, c)
	logf("two predictions")
	e := pairOf(t, m, c)
	logf("four exemplars")
	problem, hulls, err := e.Problem()
	if err != nil {
		t.Fatal(err)
	}
	r, err := pcd.Sample(t.Context(), problem, pcd.Options{Samples: 2, Seed: 42, Workers: 1, ChunkSize: m.Chunk(e.Members[0].Exemplars.Shape)})
	if err != nil {
		t.Fatal(err)
	}
	logf("three steps of two pairs")
	for i, h := range hulls {
		checkInHull(t, h, r.Samples[i])
	}
	images, err := m.Codec.Decode(t.Context(), r.Samples[0].Rows(0, 1), nil)
	if err != nil || !finite(images.Data) {
		t.Fatalf("an image of %v is not finite: %v", images.Shape, err)
	}
	logf("one image")
	return int(memory.Peak())
}

// logWork says what the published run takes.
func logWork(t *testing.T, m *Model, c *Classifier) {
	t.Helper()
	height, width := m.Size()
	run := Run{Latent: must(m.Codec.Latent(height, width))(t), Latents: 50, Steps: 100, Exemplars: 4, Coupled: c}
	w, rate := must(m.Work(run))(t), must(m.Rate(t.Context(), run.Latent))(t)
	t.Logf("25 pairs of 100 steps: %.3g operations (%+.3g), %.2g hours at %.0f GFLOP/s", w.total(), w, w.Seconds(rate)/3600, rate/1e9)
}

// moment is a time, and what the process had computed until then.
type moment struct {
	wall      time.Time
	processor float64 // seconds; 0 where the system does not tell
}

func clock() moment {
	m := moment{wall: time.Now()}
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return m
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // of the name of the program
	if f := strings.Fields(rest); len(f) > 12 {
		user, _ := strconv.ParseFloat(f[11], 64)
		system, _ := strconv.ParseFloat(f[12], 64)
		m.processor = (user + system) / 100
	}
	return m
}

func (m moment) since(start moment) string {
	return fmt.Sprintf("%.2f s, %.2f s of the processors", m.wall.Sub(start.wall).Seconds(), m.processor-start.processor)
}

// pairOf returns two members that share the network of a model, and are to differ in age.
func pairOf(t *testing.T, m *Model, c *Classifier) Ensemble {
	t.Helper()
	ages, _ := question(t, c, "age_group")
	height, width := m.Size()
	shape := must(m.Codec.Latent(height, width))(t)
	model, _, err := m.Denoiser(t.Context(), shape, Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	e := Ensemble{
		Dynamics:  must(m.Dynamics(Sampler{Steps: 3, NoiseScale: 20}))(t),
		Attribute: ages, Groups: [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}, Gamma: 450,
	}
	for _, name := range []string{"a", "b"} {
		pictures, u := tensor.New(2, 3, height, width), golden.Formula("exemplars of "+name)
		for i := range pictures.Data {
			pictures.Data[i] = float32(u(i / 64)) // strips, some pixels wide
		}
		z := must(m.Codec.Encode(t.Context(), pictures, nil, nil))(t)
		e.Members = append(e.Members, Member{Name: name, Model: model, Exemplars: z})
	}
	return e
}

func checkInHull(t *testing.T, h *project.Hull, z tensor.Batch) {
	t.Helper()
	violation := make([]float64, z.N)
	h.Violation(violation, z)
	for k, v := range violation {
		if v > 0 || !finite(z.Sample(k)) {
			t.Errorf("latent %d is %v away from its hull", k, v)
		}
	}
}

func finite(x []float32) bool {
	for _, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return false
		}
	}
	return true
}

func gib(bytes int) float64 { return float64(bytes) / (1 << 30) }
