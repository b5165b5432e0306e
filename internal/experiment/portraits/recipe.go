package portraits

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment"
	table "github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/train"
)

// The noise that the denoising network is trained on: that of Stable Diffusion.
const (
	trainingSteps      = 1000
	betaStart, betaEnd = 0.00085, 0.012
)

// noiseSchedule returns that noise. Where terminal is not 0, the share of the signal √ᾱ goes down
// to it, and the other levels follow. With the published 0.068, whoever starts from noise alone
// lacks the share of a portrait that the network has always seen there. Source: Lin, Liu, Li
// and Yang, "Common diffusion noise schedules and sample steps are flawed" (2023), algorithm 1,
// where the terminal is 0.
func noiseSchedule(terminal float64) (*schedule.Schedule, error) {
	s, err := schedule.ScaledLinear(trainingSteps, betaStart, betaEnd)
	if err != nil || terminal == 0 {
		return s, err
	}
	return schedule.FromBetas(fmt.Sprintf("scaled-linear(%d, %g, %g) to %g", trainingSteps, betaStart, betaEnd, terminal), betasTo(s, terminal))
}

// betasTo returns the variances of a schedule whose share of the signal is that of s, moved and
// stretched such that the first is as it was and the last is the terminal.
func betasTo(s *schedule.Schedule, terminal float64) []float64 {
	first, last := s.At(0).SqrtAlphaBar, s.At(s.Len()-1).SqrtAlphaBar
	betas, before := make([]float64, s.Len()), 1.0
	for i := range betas {
		root := terminal + (s.At(i).SqrtAlphaBar-last)*(first-terminal)/(first-last)
		betas[i], before = 1-root*root/before, root*root
	}
	return betas
}

// Recipe says how a part is trained. [DefaultRecipe] is that of the shipped model.
// Fields that do not concern the part are zero.
type Recipe struct {
	Part    Part    `json:"part"`
	Size    int     `json:"size"`     // of the pictures, pixels of a side
	Photos  int     `json:"photos"`   // portraits, held-out ones included
	HeldOut int     `json:"held_out"` // portraits that are not learned from
	Widths  []int   `json:"widths"`   // channels by level; of classifiers one number, at the highest resolution
	Latent  int     `json:"latent"`   // channels of the autoencoder's latents
	Edges   float64 `json:"edges"`    // weight of differences in the autoencoder's loss
	KL      float64 `json:"kl"`       // weight of the divergence there
	// Squares, Chroma and Tints are the weights of squared errors there, see [train.Autoencoder].
	Squares float64 `json:"squares,omitempty"`
	Chroma  float64 `json:"chroma,omitempty"`
	Tints   float64 `json:"tints,omitempty"`
	// Witnessed is the weight of what the guide says there. The judge, which evaluates, says
	// nothing.
	Witnessed float64 `json:"witnessed,omitempty"`
	// DecoderOnly leaves the encoder of From as it is, whose latents other parts know.
	DecoderOnly bool `json:"decoder_only,omitempty"`
	Groups      int  `json:"groups,omitempty"` // of the autoencoder's normalisations; 0 is 8
	// From is the folder of an autoencoder or denoising network whose weights are the first,
	// and Start their digest. An autoencoder may have fewer channels of latents there.
	From    string  `json:"-"`
	Start   string  `json:"start,omitempty"`
	Dropout float64 `json:"dropout"` // share of the prompts that are left out
	// Emphasis of noisy levels in the loss of the denoising network and of the adapter, see
	// [train.NoiseMSE]: that is where edges say what the latent does not.
	Emphasis float64 `json:"emphasis,omitempty"`
	// Prediction is what the denoising network predicts: noise, or with "v_prediction" the
	// velocity; MinSNR is in its loss, see [train.NoiseMSE].
	Prediction string  `json:"prediction_type,omitempty"`
	MinSNR     float64 `json:"min_snr,omitempty"`
	// Terminal is the share of the signal at the last level of noise; 0 is the published one.
	Terminal float64      `json:"terminal,omitempty"`
	Smooth   float64      `json:"smooth"` // smoothing of the labels of classifiers
	Noisy    int          `json:"noisy"`  // noisy copies of every latent that the classifier also learns from
	Train    train.Config `json:"train"`
}

// DefaultRecipe returns the recipe of a part of the shipped model, in one stage of random
// weights: its autoencoder and its denoising network went on from the weights of others, see
// docs/images.md. All together take about five hours of one core.
func DefaultRecipe(p Part) Recipe {
	r := Recipe{Part: p, Size: 128, Photos: 40000, HeldOut: 512}
	c := train.Config{Seed: p.album(), Cosine: true, ClipNorm: 1, LogEvery: 50, ValidationEvery: 500, CheckpointEvery: 250}
	switch p {
	case Autoencoder:
		r.Widths, r.Latent, r.Edges, r.KL = []int{16, 32, 64, 64}, 8, 1, 1e-4
		r.Groups, r.Squares, r.Chroma, r.Tints = 2, 10, 10, 0.1
		r.Photos, r.HeldOut = 200000, 64
		c.Steps, c.Batch, c.Rate = 12000, 2, 1e-3
	case Denoiser:
		r.Widths, r.Dropout, r.Photos = []int{64, 96, 96}, 0.2, 24000
		r.Prediction, r.Terminal, r.Emphasis = velocity, 0.005, 5
		c.Steps, c.Batch, c.Rate = 4299, 128, 5e-4
	case Classifier:
		r.Widths, r.Smooth, r.Photos = []int{16}, 0.1, 16000
		c.Steps, c.Batch, c.Rate = 2500, 64, 1e-3
	case Judge:
		// Without smoothing: its probabilities are read as they are.
		r.Widths, r.Photos = []int{16}, 60000
		c.Steps, c.Batch, c.Rate = 4000, 16, 1e-3
	case Guide:
		r.Widths, r.Smooth, r.Photos = []int{16}, 0.1, 100000
		c.Steps, c.Batch, c.Rate = 1600, 32, 1e-3
	case Adapter: // a quarter of the denoising network's channels
		r.Widths, r.Dropout, r.Emphasis = []int{16, 24, 24}, 0.1, 5
		r.Photos, r.HeldOut = 4000, 256
		c.Steps, c.Batch, c.Rate = 2000, 16, 2e-3
	}
	r.Train = c
	return r
}

// velocity is the name of velocities in the settings of published folders.
const velocity = "v_prediction"

// kind returns what the denoising network predicts.
func (r Recipe) kind() schedule.Kind {
	if r.Prediction == velocity {
		return schedule.V
	}
	return schedule.Epsilon
}

// warm returns the settings of the training with a warm-up that suits their length.
func (r Recipe) warm() train.Config {
	c := r.Train
	c.Warmup = min(500, c.Steps/10)
	return c
}

// Check returns what is wrong with the recipe by itself, which is a mistake of whoever asks for
// it: an [experiment.SpecError].
func (r Recipe) Check() error {
	if err := cmp.Or(r.checkNumbers(), r.checkOwn(), r.checkWords()); err != nil {
		return &experiment.SpecError{Err: err}
	}
	return nil
}

// checkNumbers returns an error for the first number out of range.
func (r Recipe) checkNumbers() error {
	heldOut := RecipeHeldOut
	heldOut.High = float64(r.Photos - 1)
	levels := recipeLevels
	if r.classifies() {
		levels.High = 1
	}
	type setting struct {
		name  string
		value float64
		row   table.Number
	}
	all := []setting{
		{"size of the pictures", float64(r.Size), RecipeSize}, {"photos", float64(r.Photos), RecipePhotos}, {"photos held out", float64(r.HeldOut), heldOut},
		{"noisy copies", float64(r.Noisy), RecipeNoisy}, {"terminal", r.Terminal, recipeTerminal}, {"widths: number of levels", float64(len(r.Widths)), levels},
	}
	for _, w := range r.Widths {
		all = append(all, setting{"widths: number of channels", float64(w), recipeWidth})
	}
	if r.Part == Autoencoder {
		all = append(all, setting{"channels of latents", float64(r.Latent), recipeLatent})
	}
	for _, s := range all {
		if !s.row.Allows(s.value) {
			return &train.ConfigError{Name: s.name, Value: s.value, Low: s.row.Low, High: s.row.High}
		}
	}
	if r.Size%32 != 0 {
		return &train.ConfigError{Name: "size of the pictures, a multiple of 32", Value: float64(r.Size), Low: RecipeSize.Low, High: RecipeSize.High}
	}
	return nil
}

// checkWords returns an error for what is said otherwise than by a number.
func (r Recipe) checkWords() error {
	if r.Prediction != "" && r.Prediction != velocity {
		return fmt.Errorf("images: a recipe of the prediction type %.40q, want %s or none", r.Prediction, velocity)
	}
	if r.DecoderOnly && r.From == "" {
		return errors.New("images: a recipe with decoder_only goes on from an autoencoder whose encoder stays: name its folder (--from)")
	}
	if r.Start != "" && r.From == "" {
		return fmt.Errorf("images: a recipe that starts from weights of the digest %.64q goes on from those: name their folder (--from)", r.Start)
	}
	return nil
}

// classifies reports whether the part is a classifier, whose levels have channels by its width.
func (r Recipe) classifies() bool { return r.Part == Classifier || r.Part == Judge || r.Part == Guide }

// photos returns the portraits of the recipe's part.
func (r Recipe) photos() Photos {
	return Photos{Album: portrait.Album{Seed: r.Part.album()}, Size: r.Size, N: r.Photos, Held: r.HeldOut, Labels: r.classifies()}
}

// heads are the questions that classifiers answer, with the published order of
// classes.
var heads = []nn.ClassifierHead{
	{Name: "age_group", Hidden: 64, Classes: portrait.GroupNames()},
	{Name: "gender", Hidden: 32, Classes: []string{portrait.Male.String(), portrait.Female.String()}},
}

// headWeights are the published weights of the questions, scaled to a mean of one.
var headWeights = []float64{10.0 / 6, 2.0 / 6}

// autoencoderConfig is the network of the recipe, with latents of factor one.
func (r Recipe) autoencoderConfig() nn.AutoencoderConfig {
	groups := r.Groups
	if groups == 0 {
		groups = 8
	}
	return nn.AutoencoderConfig{
		InChannels: 3, OutChannels: 3, LatentChannels: r.Latent, BlockOutChannels: r.Widths, LayersPerBlock: 1,
		NormNumGroups: groups, SampleSize: r.Size, ScalingFactor: 1,
	}
}

// denoiserConfig is the network of the recipe for latents of some channels and pixels:
// every level sees the prompt where it halves the latents once.
func (r Recipe) denoiserConfig(channels, side int) nn.UNet2DConfig {
	down := make([]bool, len(r.Widths))
	if len(down) > 1 {
		down[1] = true
	}
	up := slices.Clone(down)
	slices.Reverse(up)
	return nn.UNet2DConfig{
		SampleSize: side, InChannels: channels, OutChannels: channels, BlockOutChannels: r.Widths, DownAttention: down, UpAttention: up,
		LayersPerBlock: 1, Heads: slices.Repeat([]int{4}, len(down)), TransformerLayers: slices.Repeat([]int{1}, len(down)),
		CrossAttentionDim: textWidth, UseLinearProjection: true, NormNumGroups: 16, NormEps: 1e-5, FlipSinToCos: true,
		Prediction: r.kind(),
	}
}

// classifierConfig is the network of the recipe for pictures or latents.
func (r Recipe) classifierConfig(channels int) nn.ClassifierConfig {
	return nn.ClassifierConfig{InChannels: channels, Width: r.Widths[0], Heads: heads}
}
