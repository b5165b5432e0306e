package train_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// squares are pictures of a bright or dark square on grey, in one of four corners:
// two questions with two and four answers.
type squares struct{ n, size int }

func (d squares) Len() int { return d.n }

func (d squares) Shape() tensor.Shape { return tensor.Shape{3, d.size, d.size} }

func (d squares) ConditionShape() tensor.Shape { return tensor.Shape{2} }

func (d squares) Example(x, labels []float32, i int) {
	bright, corner := i%2, i/2%4
	for j := range x {
		x[j] = 0.1 * float32((i*31+j*17)%7-3) / 3
		y, z := j/d.size%d.size, j%d.size
		if y/(d.size/2) == corner/2 && z/(d.size/2) == corner%2 {
			x[j] += 1.2*float32(bright) - 0.6
		}
	}
	if len(labels) == 2 {
		labels[0], labels[1] = float32(bright), float32(corner)
	}
}

func autoencoder(t *testing.T, workers int) *nn.AutoencoderKL {
	t.Helper()
	a, err := nn.NewAutoencoderKL(nn.AutoencoderConfig{
		InChannels: 3, OutChannels: 3, LatentChannels: 2, BlockOutChannels: []int{8, 8}, LayersPerBlock: 1, NormNumGroups: 4, ScalingFactor: 1, Workers: workers,
	})
	if err != nil {
		t.Fatal(err)
	}
	a.Init(noise.New(2))
	return a
}

func classifier(t *testing.T, workers int) *nn.Classifier {
	t.Helper()
	c, err := nn.NewClassifier(nn.ClassifierConfig{InChannels: 3, Width: 4, Workers: workers, Heads: []nn.ClassifierHead{
		{Name: "brightness", Hidden: 8, Classes: []string{"dark", "bright"}},
		{Name: "corner", Hidden: 8, Classes: []string{"a", "b", "c", "d"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.Init(noise.New(3))
	return c
}

// objectives are those of networks of images, made anew for some goroutines.
var objectives = map[string]func(t *testing.T, workers int) train.Objective{
	"autoencoder": func(t *testing.T, workers int) train.Objective {
		return train.Autoencoder{Net: autoencoder(t, workers), Data: squares{24, 16}, Edges: 0.5, KL: 0.01}
	},
	"autoencoder of colours": func(t *testing.T, workers int) train.Objective {
		return train.Autoencoder{Net: autoencoder(t, workers), Data: squares{24, 16}, Edges: 0.5, KL: 0.01, Squares: 3, Chroma: 20, Tints: 2, Witness: classifier(t, workers), Witnessed: 3}
	},
	"decoder alone": func(t *testing.T, workers int) train.Objective {
		return train.Autoencoder{Net: autoencoder(t, workers), Data: squares{24, 16}, Edges: 0.5, Squares: 3, Witness: classifier(t, workers), Witnessed: 3, DecoderOnly: true}
	},
	"cross-entropy": func(t *testing.T, workers int) train.Objective {
		return train.CrossEntropy{Net: classifier(t, workers), Data: squares{24, 16}, Weights: []float64{2, 1}, Smoothing: 0.1}
	},
}

// TestGradientsOfImageObjectives compares the length of the gradient with the slope of
// the loss along it.
func TestGradientsOfImageObjectives(t *testing.T) {
	for name, objective := range objectives {
		c := train.Config{Steps: 1, Batch: 6}
		l, err := objective(t, 1).Begin(c)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Step(0); err != nil {
			t.Fatal(err)
		}
		norm := 0.0
		var gradient, start [][]float32
		for _, p := range l.Params() {
			gradient, start = append(gradient, slices.Clone(p.Grad)), append(start, slices.Clone(p.Data))
			for _, g := range p.Grad {
				norm += float64(g) * float64(g)
			}
		}
		norm = math.Sqrt(norm)
		at := func(distance float64) float64 {
			for i, p := range l.Params() {
				for j := range p.Data {
					p.Data[j] = start[i][j] + float32(distance/norm*float64(gradient[i][j]))
				}
			}
			l.Refresh()
			v, err := l.Step(0)
			if err != nil {
				t.Fatal(err)
			}
			return v.Loss
		}
		h := 3e-3 / norm // the loss changes by some thousandths: short of kinks, long against rounding
		if slope := (at(h) - at(-h)) / (2 * h); math.Abs(slope-norm) > 0.02*norm {
			t.Errorf("%s: the loss rises by %v along the gradient of length %v", name, slope, norm)
		}
	}
}

// TestImageObjectivesResume checks that a training that stopped and one on more
// goroutines end with the same weights and statistics, bit for bit.
func TestImageObjectivesResume(t *testing.T) {
	c := train.Config{Steps: 8, Batch: 5, Validation: 0.25, EMA: train.EMA{Decay: 0.5}}
	if testing.Short() {
		c.Steps = 4
	}
	for name, objective := range objectives {
		run := func(workers, stop int) []float32 {
			path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
			tr := begin(t, objective(t, workers), c)
			if stop > 0 {
				ctx, cancel := context.WithCancel(t.Context())
				err := tr.Run(ctx, train.Hooks{Progress: func(done, _ int) {
					if done == stop {
						cancel()
					}
				}})
				if !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if err := tr.Save(path); err != nil {
					t.Fatal(err)
				}
				tr = begin(t, objective(t, workers), c)
				if err := tr.Resume(path); err != nil {
					t.Fatal(err)
				}
			}
			if err := tr.Run(t.Context(), train.Hooks{}); err != nil {
				t.Fatal(err)
			}
			held, err := tr.ValidationLoss() // of the averages, statistics included
			if err != nil {
				t.Fatal(err)
			}
			out := []float32{float32(held)}
			for _, p := range tr.Params() {
				out = append(out, p.Data...)
			}
			return out
		}
		want := run(1, 0)
		if !slices.Equal(want, run(1, 3)) {
			t.Errorf("%s: a stopped training ends elsewhere", name)
		}
		if !slices.Equal(want, run(3, 0)) {
			t.Errorf("%s: another number of goroutines ends elsewhere", name)
		}
	}
}

// A decoder that learns alone leaves the encoder as it is, and does not go on with another one.
func TestDecoderOnly(t *testing.T) {
	c := train.Config{Steps: 3, Batch: 4, Rate: 1e-2}
	start := func(encoder float32) (*nn.AutoencoderKL, *train.Trainer) {
		net := autoencoder(t, 1)
		net.Encoder.Params()[0].Data[0] += encoder
		return net, begin(t, train.Autoencoder{Net: net, Data: squares{8, 16}, Edges: 1, KL: 0.1, Tints: 1, DecoderOnly: true}, c)
	}
	net, tr := start(0)
	before := autoencoder(t, 1)
	if err := tr.Run(t.Context(), train.Hooks{}); err != nil {
		t.Fatal(err)
	}
	for _, half := range []struct {
		name     string
		now, was *nn.Map
		learns   bool
	}{{"encoder", net.Encoder, before.Encoder, false}, {"decoder", net.Decoder, before.Decoder, true}} {
		was := half.was.Params()
		for i, p := range half.now.Params() {
			if slices.Equal(p.Data, was[i].Data) == half.learns {
				t.Errorf("%s of the %s: changed is not %v", p.Name, half.name, half.learns)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	if err := tr.Save(path); err != nil {
		t.Fatal(err)
	}
	if _, tr := start(0); tr.Resume(path) != nil {
		t.Error("the same encoder was refused")
	}
	if _, tr := start(0.5); tr.Resume(path) == nil {
		t.Error("a training went on with another encoder")
	}
}

func begin(t *testing.T, o train.Objective, c train.Config) *train.Trainer {
	t.Helper()
	tr, err := train.New(o, c)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestImageObjectivesLearn trains on the squares: pictures come back, and both
// questions are answered.
func TestImageObjectivesLearn(t *testing.T) {
	if testing.Short() {
		t.Skip("long trainings, whose goroutines are those of short ones")
	}
	t.Parallel()
	c := train.Config{Steps: 150, Batch: 12, Rate: 3e-3, EMA: train.EMA{Decay: 0.9}}
	net := classifier(t, 2)
	tr := begin(t, train.CrossEntropy{Net: net, Data: squares{48, 16}}, c)
	if err := tr.Run(t.Context(), train.Hooks{}); err != nil {
		t.Fatal(err)
	}
	restore := tr.UseAverage()
	defer restore()
	data := squares{48, 16}
	x, labels, logits := tensor.New(1, 3, 16, 16), make([]float32, 2), tensor.New(1, 6)
	for i := range data.n {
		data.Example(x.Data, labels, i)
		if err := net.Apply(t.Context(), logits, x); err != nil {
			t.Fatal(err)
		}
		for h := range labels {
			from, to := net.Logits(h)
			if got := argmax(logits.Data[from:to]); got != int(labels[h]) {
				t.Errorf("picture %d, head %d: class %d, want %v", i, h, got, labels[h])
			}
		}
	}
	var first, last train.Metrics
	a := begin(t, train.Autoencoder{Net: autoencoder(t, 2), Data: data, Edges: 0.2, KL: 1e-4}, c)
	if err := a.Run(t.Context(), train.Hooks{Log: func(m train.Metrics) error {
		if first.Step == 0 {
			first = m
		}
		last = m
		return nil
	}}); err != nil {
		t.Fatal(err)
	}
	if last.Terms["pixels"] > 0.12 || last.Terms["pixels"] > first.Terms["pixels"]/2 {
		t.Errorf("the error of pixels went from %v to %v", first.Terms["pixels"], last.Terms["pixels"])
	}
}

func argmax(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}

func TestImageObjectivesRefuse(t *testing.T) {
	bad := map[string]train.Objective{
		"another size":     train.Autoencoder{Net: autoencoder(t, 1), Data: squares{4, 15}},
		"negative weight":  train.Autoencoder{Net: autoencoder(t, 1), Data: squares{4, 16}, KL: -1},
		"NaN":              train.Autoencoder{Net: autoencoder(t, 1), Data: squares{4, 16}, Edges: math.NaN()},
		"no witness":       train.Autoencoder{Net: autoencoder(t, 1), Data: squares{4, 16}, Witnessed: 1},
		"negative chroma":  train.Autoencoder{Net: autoencoder(t, 1), Data: squares{4, 16}, Chroma: -1},
		"no data":          train.CrossEntropy{Net: classifier(t, 1), Data: squares{0, 16}},
		"too many weights": train.CrossEntropy{Net: classifier(t, 1), Data: squares{4, 16}, Weights: []float64{1, 2, 3}},
		"smoothing":        train.CrossEntropy{Net: classifier(t, 1), Data: squares{4, 16}, Smoothing: 1},
		"a fifth corner":   train.CrossEntropy{Net: classifier(t, 1), Data: relabelled{squares{4, 16}, 4}},
		"half a class":     train.CrossEntropy{Net: classifier(t, 1), Data: relabelled{squares{4, 16}, 0.5}},
	}
	for name, o := range bad {
		if _, err := train.New(o, train.Config{Steps: 1}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := train.New(train.CrossEntropy{Net: classifier(t, 1), Data: relabelled{squares{4, 16}, -1}}, train.Config{Steps: 1}); err != nil {
		t.Errorf("a class that is not known: %v", err)
	}
}

// relabelled are squares in a corner that is not theirs.
type relabelled struct {
	squares
	corner float32
}

func (d relabelled) Example(x, labels []float32, i int) {
	d.squares.Example(x, labels, i)
	labels[1] = d.corner
}

// TestNoiseOfImages trains a network of images with rows of context, some of them
// dropped.
func TestNoiseOfImages(t *testing.T) {
	if testing.Short() {
		t.Skip("a long training, whose goroutines are those of an adapter's")
	}
	net := smallImages(t)
	images, err := train.OfImages(net, 8, 8, 1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := train.OfImages(net, 8, 0, 1); err == nil {
		t.Error("images without columns: no error")
	}
	s, err := schedule.ScaledLinear(100, 0.001, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	data := rowed{squares{24, 8}}
	tr := begin(t, train.NoiseMSE{Net: images, Data: data, Schedule: s, Dropout: 0.2}, train.Config{Steps: 60, Batch: 8, Rate: 3e-3, LogEvery: 20})
	var losses []float64
	if err := tr.Run(t.Context(), train.Hooks{Log: func(m train.Metrics) error { losses = append(losses, m.Loss); return nil }}); err != nil {
		t.Fatal(err)
	}
	if losses[len(losses)-1] > 0.8*losses[0] {
		t.Errorf("losses %v do not fall", losses)
	}
}

// rowed are squares whose condition is one row of context.
type rowed struct{ squares }

func (rowed) ConditionShape() tensor.Shape { return tensor.Shape{1, 2} }

// smallImages returns a network of images of 8×8 pixels with one row of context.
func smallImages(t *testing.T) *nn.UNet2DCondition {
	t.Helper()
	config, err := nn.ParseConfig[nn.UNet2DConfig]([]byte(`{
		"_class_name": "UNet2DConditionModel", "sample_size": 8, "in_channels": 3, "out_channels": 3,
		"down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"], "up_block_types": ["CrossAttnUpBlock2D", "UpBlock2D"],
		"block_out_channels": [8, 8], "layers_per_block": 1, "norm_num_groups": 4, "cross_attention_dim": 2, "attention_head_dim": 2
	}`))
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.NewUNet2DCondition(config)
	if err != nil {
		t.Fatal(err)
	}
	net.Init(noise.New(1))
	return net
}
