package portraits

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/internal/encoded"
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
}

// mostDrawn is how many samples are drawn, and drawnAtOnce how many of them together.
const mostDrawn, drawnAtOnce = 256, 64

// distance measures samples of a model of parts.
func (t *trained) distance(ctx context.Context, m *latent.Model, net *nn.Classifier, progress func(stage string, done, total int)) (*Frechet, error) {
	held, others := t.about[Denoiser].Recipe.photos(), t.about[Judge].Recipe.photos()
	others.Size = held.Size
	f := &Frechet{Images: min(held.Held, others.Held, mostDrawn)}
	judge := images.NewJudge(net, -1, 1)
	var sets [3][][]float64
	var err error
	for k, p := range []Photos{held, others} {
		if sets[k], err = seen(ctx, judge, f.Images, func(first, n int) (tensor.Batch, error) { return encoded.Draw(ctx, p, p.N-p.Held+first, n) }); err != nil {
			return nil, err
		}
	}
	sets[2], err = seen(ctx, judge, f.Images, func(first, n int) (tensor.Batch, error) {
		r, err := m.Generate(ctx, latent.Request{
			Images: n, First: first, Seed: 2, Conditions: latent.Conditions{Guidance: 1},
			Sampler: latent.Sampler{Steps: cardSteps, Deterministic: true}, Progress: progress,
		})
		if err != nil {
			return tensor.Batch{}, err
		}
		return r.Images, nil
	})
	if err != nil {
		return nil, err
	}
	if f.Samples, err = images.Frechet(sets[2], sets[0]); err != nil {
		return nil, err
	}
	f.Portraits, err = images.Frechet(sets[1], sets[0])
	return f, err
}

// seen returns the features of n pictures of [-1, 1], of which some are made at a time.
func seen(ctx context.Context, judge *images.Judge, n int, pictures func(first, n int) (tensor.Batch, error)) (all [][]float64, err error) {
	for first := 0; first < n; first += drawnAtOnce {
		x, err := pictures(first, min(drawnAtOnce, n-first))
		if err != nil {
			return nil, err
		}
		unit := x.Clone()
		for i, v := range unit.Data {
			unit.Data[i] = min(max((v+1)/2, 0), 1)
		}
		features, err := judge.Embed(ctx, unit)
		if err != nil {
			return nil, err
		}
		all = slices.Concat(all, features)
	}
	return all, nil
}
