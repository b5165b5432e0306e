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
	// Portraits are those that were held out from the judge against the same: what the
	// number of pictures alone leaves.
	Portraits float64 `json:"portraits"`
	// Returned is what the autoencoder returns of the held-out portraits against themselves;
	// cards of earlier models lack it and the shares.
	Returned float64 `json:"returned,omitempty"`
	Shares   []Share `json:"shares,omitempty"`
}

// mostDrawn is how many samples are drawn, and drawnAtOnce how many of them together.
const mostDrawn, drawnAtOnce = 256, 64

// distance measures samples of a model of parts.
func (t *trained) distance(ctx context.Context, m *latent.Model, net *nn.Classifier, steps int, progress func(stage string, done, total int)) (*Frechet, error) {
	held, others := t.about[Denoiser].Recipe.photos(), t.about[Judge].Recipe.photos()
	others.Size = held.Size
	f := &Frechet{Images: min(held.Held, others.Held, mostDrawn)}
	var sets [4][][]float64
	var tallies [4]tally
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
	for k, pictures := range []func(first, n int) (tensor.Batch, error){drawn(held), drawn(others), sampled, returned} {
		var err error
		if sets[k], tallies[k], err = seen(ctx, net, f.Images, pictures); err != nil {
			return nil, err
		}
	}
	f.Shares = sharesOf(tallies[0], tallies[2])
	for k, to := range map[int]*float64{1: &f.Portraits, 2: &f.Samples, 3: &f.Returned} {
		var err error
		if *to, err = images.Frechet(sets[k], sets[0]); err != nil {
			return nil, err
		}
	}
	return f, nil
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
