package portraits

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/internal/encoded"
	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/metric/images"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Frechet is how far what the model draws is from held-out portraits: the Fréchet distance
// of as many pictures of either kind by the features of the judge, which sees other things
// than published networks do.
type Frechet struct {
	Images  int     `json:"images"`  // of a set
	Samples float64 `json:"samples"` // told nothing, against held-out portraits of the denoising network
	// Told are samples that are told what the network would be about these portraits, without more guidance than
	// that; cards of earlier models lack it.
	Told float64 `json:"told,omitempty"`
	// Portraits are those that were held out from the judge against the same: what the
	// number of pictures alone leaves.
	Portraits float64 `json:"portraits"`
	// Returned is what the autoencoder returns of the held-out portraits against themselves;
	// cards of earlier models lack it and the shares.
	Returned float64 `json:"returned,omitempty"`
	Shares   []Share `json:"shares,omitempty"`
	// SharesTold are those of Told.
	SharesTold []Share `json:"shares_told,omitempty"`
}

// mostDrawn is how many samples are drawn, and drawnAtOnce how many of them together.
const mostDrawn, drawnAtOnce = 256, 64

// distance measures samples of a model of parts.
func (t *trained) distance(ctx context.Context, m *latent.Model, net *nn.Classifier, steps int, progress func(stage string, done, total int)) (*Frechet, error) {
	held, others := t.about[Denoiser].Recipe.photos(), t.about[Judge].Recipe.photos()
	others.Size = held.Size
	f := &Frechet{Images: min(held.Held, others.Held, mostDrawn)}
	var sets [5][][]float64
	var tallies [5]tally
	drawn := func(p Photos) func(first, n int) (tensor.Batch, error) {
		return func(first, n int) (tensor.Batch, error) { return encoded.Draw(ctx, p, p.N-p.Held+first, n) }
	}
	returned := func(first, n int) (tensor.Batch, error) { return comeBack(ctx, m.Codec, held, first, n) }
	sampled := func(first, n int) (tensor.Batch, error) {
		r, err := m.Generate(ctx, latent.Request{
			Images: n, First: first, Seed: 2, Conditions: latent.Conditions{Guidance: 1},
			Sampler: latent.Sampler{Steps: steps, Deterministic: true}, Progress: progress,
		})
		if err != nil {
			return tensor.Batch{}, err
		}
		return r.Images, nil
	}
	told, err := toldSamples(ctx, m, held, f.Images, steps, progress)
	if err != nil {
		return nil, err
	}
	ready := func(first, n int) (tensor.Batch, error) {
		size := told.Shape.Size()
		return tensor.Batch{N: n, Shape: told.Shape, Data: told.Data[first*size : (first+n)*size]}, nil
	}
	for k, pictures := range []func(first, n int) (tensor.Batch, error){drawn(held), drawn(others), sampled, returned, ready} {
		var err error
		if sets[k], tallies[k], err = seen(ctx, net, f.Images, pictures); err != nil {
			return nil, err
		}
	}
	f.Shares, f.SharesTold = sharesOf(tallies[0], tallies[2]), sharesOf(tallies[0], tallies[4])
	for k, to := range map[int]*float64{1: &f.Portraits, 2: &f.Samples, 3: &f.Returned, 4: &f.Told} {
		var err error
		if *to, err = images.Frechet(sets[k], sets[0]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// toldSamples returns n samples, each of which is told what the network would be about one of as many held-out portraits.
func toldSamples(ctx context.Context, m *latent.Model, held Photos, n, steps int, progress func(stage string, done, total int)) (tensor.Batch, error) {
	prompts := make([]string, n)
	for k := range prompts {
		i := held.N - held.Held + k
		prompts[k] = promptOf(held.Album.At(uint64(i)), i)
	}
	slices.Sort(prompts)
	var all tensor.Batch
	for all.N < n {
		prompt := prompts[all.N]
		alike := slices.IndexFunc(prompts[all.N:], func(p string) bool { return p != prompt })
		if alike < 0 {
			alike = n - all.N
		}
		r, err := m.Generate(ctx, latent.Request{
			Images: min(alike, drawnAtOnce), First: all.N, Seed: 2, Conditions: latent.Conditions{Prompt: prompt, Guidance: 1},
			Sampler: latent.Sampler{Steps: steps, Deterministic: true}, Progress: progress,
		})
		if err != nil {
			return tensor.Batch{}, err
		}
		all = tensor.Batch{N: all.N + r.Images.N, Shape: r.Images.Shape, Data: append(all.Data, r.Images.Data...)}
	}
	return all, nil
}

// seen returns the features of n pictures of [-1, 1], of which some are made at a time, and
// what the judge takes them for.
func seen(ctx context.Context, net *nn.Classifier, n int, pictures func(first, n int) (tensor.Batch, error)) (all [][]float64, said tally, err error) {
	judge := images.NewJudge(net, -1, 1)
	for first := 0; first < n; first += drawnAtOnce {
		x, err := pictures(first, min(drawnAtOnce, n-first))
		if err != nil {
			return nil, said, err
		}
		unit := x.Clone()
		for i, v := range unit.Data {
			unit.Data[i] = min(max((v+1)/2, 0), 1)
		}
		features, err := judge.Embed(ctx, unit)
		if err != nil {
			return nil, said, err
		}
		all = slices.Concat(all, features)
		for i, v := range unit.Data {
			unit.Data[i] = 2*v - 1
		}
		logits := tensor.New(x.N, len(portrait.AgeGroups)+2)
		if err := net.Apply(ctx, logits, unit); err != nil {
			return nil, said, err
		}
		for k := range x.N {
			said.count(net, logits.Sample(k), n)
		}
	}
	return all, said, nil
}
