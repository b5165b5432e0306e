package pair

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// untrained returns a small model with random weights: nothing that it draws means
// anything, and all of it has to keep the rules.
func untrained(t testing.TB) *Model {
	t.Helper()
	field := noise.New(3)
	net, err := nn.NewUNet2DCondition(nn.UNet2DConfig{
		SampleSize: 8, InChannels: 4, OutChannels: 4, BlockOutChannels: []int{8, 8}, DownAttention: []bool{false, true}, UpAttention: []bool{true, false},
		LayersPerBlock: 1, Heads: []int{2, 2}, TransformerLayers: []int{1, 1}, CrossAttentionDim: 8, UseLinearProjection: true,
		NormNumGroups: 4, NormEps: 1e-5, FlipSinToCos: true,
	})
	check(t, err)
	net.Init(field.Sub("unet"))
	vae, err := nn.NewAutoencoderKL(nn.AutoencoderConfig{
		InChannels: 3, OutChannels: 3, LatentChannels: 4, BlockOutChannels: []int{4, 4}, LayersPerBlock: 1, NormNumGroups: 2, SampleSize: 16, ScalingFactor: 0.8,
	})
	check(t, err)
	vae.Init(field.Sub("vae"))
	m := &Model{Model: &latent.Model{Net: net, Codec: latent.Codec{Net: vae}}}
	m.Noise, err = latent.ParseNoise([]byte(`{"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear", "steps_offset": 1}`))
	check(t, err)
	m.Classifier, m.Judge = questions(t, 4), questions(t, 3)
	return m
}

// questions returns a classifier of age and gender with random weights.
func questions(t testing.TB, channels int) *latent.Classifier {
	t.Helper()
	ages := make([]string, len(portrait.AgeGroups))
	for i, g := range portrait.AgeGroups {
		ages[i] = g.Name
	}
	c, err := nn.NewClassifier(nn.ClassifierConfig{InChannels: channels, Width: 4, Heads: []nn.ClassifierHead{
		{Name: "age_group", Hidden: 8, Classes: ages}, {Name: "gender", Hidden: 8, Classes: []string{"male", "female"}},
	}})
	check(t, err)
	c.Init(noise.New(4))
	return &latent.Classifier{Net: c}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// painted returns n exemplars of random pixels.
func painted(seed uint64, n, width int) (all []Exemplar) {
	r := rand.New(rand.NewPCG(seed, 0))
	for range n {
		p := dataset.NewPicture(width, 16)
		for i := range p.Pix {
			p.Pix[i] = uint8(r.IntN(256))
		}
		all = append(all, Exemplar{Picture: p})
	}
	return all
}

func TestBundledModel(t *testing.T) {
	_, err := openEmbedded(modelfile.Bundle{Kind: "pair"}, bundled)
	if !errors.Is(err, modelfile.ErrNoModel) || !strings.Contains(err.Error(), "pair/bundled") {
		t.Errorf("without files: %v", err)
	}
	_, err = openEmbedded(modelfile.Bundle{Files: fstest.MapFS{bundled + "/model_index.json": {Data: []byte("{}")}}}, bundled)
	var broken *modelfile.Error
	if !errors.As(err, &broken) {
		t.Errorf("a folder that is no model: %v", err)
	}
	if m, err := Bundled(); err != nil || m.Classifier == nil || m.Judge == nil {
		t.Errorf("the bundled model has no classifiers: %v", err)
	}
}

func TestClassifierOfOtherChannels(t *testing.T) {
	m := untrained(t)
	m.Classifier = questions(t, 5)
	var setting *latent.SettingError
	if err := m.check(); !errors.As(err, &setting) || setting.Where != classifierPart {
		t.Errorf("a classifier of 5 channels for latents of 4: %v", err)
	}
}

// Four people have ages of their own, by the judge, in some of a few pairs: in three of
// four of many.
func TestFourPeopleOfDifferentAges(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m, err := Bundled()
	check(t, err)
	out := do(t, Request{Model: m, Method: PCD, Pairs: 2, Steps: 25, Seed: 1, Members: DrawMembers(Age, MostTogether, 2)})
	if got := out.XOR(); got < 0.25 {
		t.Errorf("of different ages in %.0f %% of the pairs", 100*got)
	}
}

// Free steps after projected ones draw images of the lengths that there are, and keep the
// attribute: they are the model's.
func TestFreeStepsDrawImages(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	m, err := Bundled()
	check(t, err)
	out := do(t, Request{Model: m, Method: PCD, Pairs: 5, Steps: 25, Seed: 1, Timesteps: "200:", Members: DrawMembers(Age, 2, 2)})
	for _, d := range out.Members {
		longest := 0.0
		for i := range d.Exemplars.N {
			longest = max(longest, math.Sqrt(squares(d.Exemplars.Sample(i))))
		}
		for k := range d.Latents.N {
			if got := math.Sqrt(squares(d.Latents.Sample(k))); got < 0.7*longest || got > 1.3*longest {
				t.Errorf("%s of pair %d has the length %.1f, the longest exemplar %.1f", d.Name, k, got, longest)
			}
		}
	}
	if got := out.XOR(); got < 0.8 {
		t.Errorf("of different ages in %.0f %% of the pairs", 100*got)
	}
}
