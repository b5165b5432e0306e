package portraits

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Card is what a model says of itself.
type Card struct {
	Parts      map[Part]PartCard `json:"parts"`
	Scale      float64           `json:"scale"` // factor of latents
	PSNR       PSNR              `json:"psnr"`
	Classifier Accuracy          `json:"classifier"`
	Judge      Accuracy          `json:"judge"`
	Guide      *Accuracy         `json:"guide,omitempty"`
	Kept       []Kept            `json:"kept,omitempty"`    // by the autoencoder; cards of earlier models lack it
	Frechet    *Frechet          `json:"frechet,omitempty"` // cards of earlier models lack it
	Edges      *Agreement        `json:"edges,omitempty"`   // that the adapter steers by
	Bytes      int64             `json:"bytes"`             // of the parts

	steps int // of what is drawn
}

// PartCard is a part of a [Card].
type PartCard struct {
	Description
	Parameters int `json:"parameters"`
}

// PSNR is how well held-out portraits come back from their latents, in dB.
type PSNR struct {
	Images int     `json:"images"`
	Mean   float64 `json:"mean"`
	Min    float64 `json:"min"`
	// Chroma is the share of the variance of colours, as the differences of blue and of red
	// from the brightness, that comes back: R². Cards of earlier models lack it.
	Chroma float64 `json:"chroma_r2,omitempty"`
}

// Accuracy is how often a classifier is right about held-out portraits.
type Accuracy struct {
	Images   int     `json:"images"`
	AgeGroup float64 `json:"age_group"` // of the published classes
	Old      float64 `json:"old"`       // old or not, by the group
	Gender   float64 `json:"gender"`
}

// samplesFile is the name of the grid of samples.
const samplesFile = "samples.png"

// CardSteps are the steps of DDIM that what a card shows and measures is drawn with.
const CardSteps = 50

// measure opens the folder of a model and measures its parts, by samples of so many steps.
func measure(ctx context.Context, dir string, t *trained, steps int, progress func(stage string, done, total int)) (*Card, error) {
	m, err := latent.Open(dir)
	if err != nil {
		return nil, err
	}
	c := &Card{steps: steps, Scale: m.Codec.Net.Config().ScalingFactor, Parts: map[Part]PartCard{
		Autoencoder: {t.about[Autoencoder], count(t.vae)}, Denoiser: {t.about[Denoiser], count(t.unet)},
		Classifier: {t.about[Classifier], count(t.classifier)}, Judge: {t.about[Judge], count(t.judge)},
	}}
	classifiers := []measured{{Classifier, &m.Codec, &c.Classifier}, {Judge, nil, &c.Judge}}
	if t.has(Guide) {
		c.Guide = new(Accuracy)
		c.Parts[Guide] = PartCard{t.about[Guide], count(t.guide)}
		classifiers = append(classifiers, measured{Guide, nil, c.Guide})
	}
	if t.has(Adapter) {
		c.Parts[Adapter] = PartCard{t.about[Adapter], count(t.adapter)}
	}
	size := t.about[Autoencoder].Recipe.Size
	if c.PSNR, err = reconstruction(ctx, m.Codec, t.about[Autoencoder].Recipe); err != nil {
		return nil, err
	}
	for _, p := range classifiers {
		net, _, err := openPart[*nn.Classifier](folders{dir, dir}, p.part)
		if err != nil {
			return nil, err
		}
		if *p.to, err = accuracy(ctx, net, p.encode, t.about[p.part].Recipe.photos()); err != nil {
			return nil, err
		}
		if p.part != Judge {
			continue
		}
		if c.Frechet, err = t.distance(ctx, m, net, steps, progress); err != nil {
			return nil, err
		}
		if c.Kept, err = kept(ctx, m.Codec, net, size, t.about[Judge].Recipe.HeldOut); err != nil {
			return nil, err
		}
	}
	if t.has(Adapter) {
		net, err := m.OpenControl()
		if err != nil {
			return nil, err
		}
		if c.Edges, err = steered(ctx, m, net, steps, t.about[Adapter].Recipe.photos(), filepath.Join(dir, steeredFile)); err != nil {
			return nil, err
		}
	}
	if err := samples(ctx, m, filepath.Join(dir, samplesFile), steps, progress); err != nil {
		return nil, err
	}
	c.Bytes, err = sizeOf(dir)
	return c, err
}

// measured is a classifier whose accuracy goes somewhere.
type measured struct {
	part   Part
	encode *latent.Codec // of what it is asked about; nil asks about pictures
	to     *Accuracy
}

func count(net modelfile.Parameters) (n int) {
	for _, p := range net.Params() {
		n += p.Shape.Size()
	}
	return n
}

// heldOut calls f for the held-out portraits of an album, some at a time.
func heldOut(ctx context.Context, p Photos, f func(first int, x tensor.Batch) error) error {
	for first := p.N - p.Held; first < p.N; first += chunk {
		x, err := encoded.Draw(ctx, p, first, min(chunk, p.N-first))
		if err != nil {
			return err
		}
		if err := f(first, x); err != nil {
			return err
		}
	}
	return nil
}

// reconstruction encodes and decodes the held-out portraits of an autoencoder.
func reconstruction(ctx context.Context, codec latent.Codec, r Recipe) (PSNR, error) {
	q := PSNR{Images: r.HeldOut, Min: math.Inf(1)}
	var c colours
	err := heldOut(ctx, r.photos(), func(_ int, x tensor.Batch) error {
		y, err := comeBackOf(ctx, codec, x)
		if err != nil {
			return err
		}
		for k := range x.N {
			c.add(x.Sample(k), y.Sample(k))
			v := psnr(x.Sample(k), y.Sample(k))
			q.Mean, q.Min = q.Mean+v/float64(r.HeldOut), min(q.Min, v)
		}
		return nil
	})
	q.Chroma = c.returned()
	return q, err
}

// psnr returns the ratio of the peak of pictures of [-1, 1] to the error of one, in dB.
func psnr(x, y []float32) float64 {
	squares := 0.0
	for i := range x {
		d := float64(x[i]) - float64(min(max(y[i], -1), 1))
		squares += d * d
	}
	return 10 * math.Log10(4*float64(len(x))/squares)
}

// accuracy asks a classifier about the held-out portraits of its album, or about their
// latents.
func accuracy(ctx context.Context, net *nn.Classifier, encode *latent.Codec, p Photos) (Accuracy, error) {
	a := Accuracy{Images: p.Held}
	groups, group, gender := 0, 0, 0
	err := heldOut(ctx, p, func(first int, x tensor.Batch) (err error) {
		if encode != nil {
			if x, err = encode.Encode(ctx, x, nil, nil); err != nil {
				return err
			}
		}
		logits := tensor.New(x.N, len(portrait.AgeGroups)+2)
		if err := net.Apply(ctx, logits, x); err != nil {
			return err
		}
		for k := range x.N {
			var labels [2]float32
			p.Condition(labels[:], first+k)
			said, right := answer(net, 0, logits.Sample(k)), int(labels[0])
			groups += indicator(said == right)
			group += indicator(portrait.IsOld(said) == portrait.IsOld(right))
			gender += indicator(answer(net, 1, logits.Sample(k)) == int(labels[1]))
		}
		return nil
	})
	n := float64(p.Held)
	a.AgeGroup, a.Old, a.Gender = float64(groups)/n, float64(group)/n, float64(gender)/n
	return a, err
}

// answer returns the likeliest class of a head.
func answer(net *nn.Classifier, head int, logits []float32) (best int) {
	from, to := net.Logits(head)
	for i, v := range logits[from:to] {
		if v > logits[from+best] {
			best = i
		}
	}
	return best
}

func indicator(holds bool) int {
	if holds {
		return 1
	}
	return 0
}

// samples draws a grid of portraits: a row for each of four prompts.
func samples(ctx context.Context, m *latent.Model, path string, steps int, progress func(stage string, done, total int)) error {
	const columns = 6
	var all []*dataset.Picture
	for _, prompt := range samplePrompts {
		r, err := m.Generate(ctx, latent.Request{
			Images: columns, Seed: 1, Conditions: latent.Conditions{Prompt: prompt, Guidance: 2},
			Sampler:  inSteps(steps),
			Progress: progress,
		})
		if err != nil {
			return fmt.Errorf("images: samples of %q: %w", prompt, err)
		}
		all = append(all, r.Pictures...)
	}
	return dataset.Grid(all, columns, 4, 255).WritePNG(path)
}

// samplePrompts are those of the rows of the grid.
var samplePrompts = []string{Prompt(5, portrait.Male), Prompt(5, portrait.Female), Prompt(9, portrait.Male), Prompt(9, portrait.Female)}

// sizeOf returns the bytes of the parts of a folder.
func sizeOf(dir string) (bytes int64, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Dir(path) == filepath.Clean(dir) {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
