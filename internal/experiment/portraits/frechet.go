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
	Images int `json:"images"` // of a set
	Drawn      // by DDIM
	// Faster are samples of a solver of second order in half the steps; cards of earlier models lack it.
	Faster *Drawn `json:"faster,omitempty"`
	// Portraits are those that were held out from the judge against the same: what the
	// number of pictures alone leaves.
	Portraits float64 `json:"portraits"`
	// Returned is what the autoencoder returns of the held-out portraits against themselves;
	// cards of earlier models lack it.
	Returned float64 `json:"returned,omitempty"`
}

// Drawn is how far samples are from held-out portraits of the denoising network.
type Drawn struct {
	Samples float64 `json:"samples"` // told nothing
	// Told are samples that are told what the network would be about these portraits, without more guidance than
	// that; cards of earlier models lack them, and the shares.
	Told       float64 `json:"told,omitempty"`
	Shares     []Share `json:"believed,omitempty"`
	SharesTold []Share `json:"believed_told,omitempty"`
}

// mostDrawn is how many samples are drawn, and drawnAtOnce how many of them together.
const mostDrawn, drawnAtOnce = 256, 64

// inSteps is DDIM, whose steps a card has, and fasterThan what it is compared with.
func inSteps(steps int) latent.Sampler { return latent.Sampler{Steps: steps, Deterministic: true} }

func fasterThan(steps int) latent.Sampler {
	return latent.Sampler{Steps: max(steps/2, 1), Method: "dpm++2m", Sigmas: "karras"}
}

// distance measures samples of a model of parts.
func (t *trained) distance(ctx context.Context, m *latent.Model, net *nn.Classifier, steps int, progress func(stage string, done, total int)) (*Frechet, error) {
	held, others := t.about[Denoiser].Recipe.photos(), t.about[Judge].Recipe.photos()
	others.Size = held.Size
	n := min(held.Held, others.Held, mostDrawn)
	drawn := func(p Photos) pictures {
		return func(first, n int) (tensor.Batch, error) { return encoded.Draw(ctx, p, p.N-p.Held+first, n) }
	}
	portraits, err := seen(ctx, net, n, drawn(held))
	if err != nil {
		return nil, err
	}
	away := func(of pictures) (float64, error) {
		s, err := seen(ctx, net, n, of)
		if err != nil {
			return 0, err
		}
		return images.Frechet(s.features, portraits.features)
	}
	f := &Frechet{Images: n, Faster: new(Drawn)}
	if f.Portraits, err = away(drawn(others)); err != nil {
		return nil, err
	}
	if f.Returned, err = away(func(first, n int) (tensor.Batch, error) { return comeBack(ctx, m.Codec, held, first, n) }); err != nil {
		return nil, err
	}
	against := comparison{model: m, judge: net, held: held, portraits: portraits, n: n, progress: progress}
	for k := range n {
		against.labels.know(held.Album.At(uint64(held.N-held.Held+k)), n)
	}
	if f.Drawn, err = against.drawn(ctx, inSteps(steps)); err != nil {
		return nil, err
	}
	*f.Faster, err = against.drawn(ctx, fasterThan(steps))
	return f, err
}

// comparison is what samples are compared with.
type comparison struct {
	model     *latent.Model
	judge     *nn.Classifier
	held      Photos
	portraits sight
	labels    tally
	n         int // pictures of a set
	progress  func(stage string, done, total int)
}

// drawn compares what a sampler draws.
func (c comparison) drawn(ctx context.Context, by latent.Sampler) (d Drawn, err error) {
	told, err := c.toldSamples(ctx, by)
	if err != nil {
		return d, err
	}
	for _, k := range []struct {
		distance *float64
		shares   *[]Share
		of       pictures
	}{
		{&d.Samples, &d.Shares, func(first, n int) (tensor.Batch, error) { return c.sample(ctx, by, "", first, n) }},
		{&d.Told, &d.SharesTold, func(first, n int) (tensor.Batch, error) {
			size := told.Shape.Size()
			return tensor.Batch{N: n, Shape: told.Shape, Data: told.Data[first*size : (first+n)*size]}, nil
		}},
	} {
		s, err := seen(ctx, c.judge, c.n, k.of)
		if err != nil {
			return d, err
		}
		*k.shares = sharesOf(c.labels, c.portraits.believed, s.believed)
		if *k.distance, err = images.Frechet(s.features, c.portraits.features); err != nil {
			return d, err
		}
	}
	return d, nil
}

// sample draws some of the samples that are told a prompt, or nothing.
func (c comparison) sample(ctx context.Context, by latent.Sampler, prompt string, first, n int) (tensor.Batch, error) {
	r, err := c.model.Generate(ctx, latent.Request{
		Images: n, First: first, Seed: 2, Conditions: latent.Conditions{Prompt: prompt, Guidance: 1}, Sampler: by, Progress: c.progress,
	})
	if err != nil {
		return tensor.Batch{}, err
	}
	return r.Images, nil
}

// toldSamples returns samples, each of which is told what the network would be about one of as many held-out portraits.
func (c comparison) toldSamples(ctx context.Context, by latent.Sampler) (all tensor.Batch, err error) {
	prompts := make([]string, c.n)
	for k := range prompts {
		i := c.held.N - c.held.Held + k
		prompts[k] = promptOf(c.held.Album.At(uint64(i)), i)
	}
	slices.Sort(prompts)
	for all.N < c.n {
		prompt := prompts[all.N]
		alike := slices.IndexFunc(prompts[all.N:], func(p string) bool { return p != prompt })
		if alike < 0 {
			alike = c.n - all.N
		}
		x, err := c.sample(ctx, by, prompt, all.N, min(alike, drawnAtOnce))
		if err != nil {
			return all, err
		}
		all = tensor.Batch{N: all.N + x.N, Shape: x.Shape, Data: append(all.Data, x.Data...)}
	}
	return all, nil
}

// pictures returns some of a set of pictures of [-1, 1].
type pictures func(first, n int) (tensor.Batch, error)

// sight is what the judge sees in a set of pictures: features, and what it takes them for.
type sight struct {
	features [][]float64
	believed tally
}

// seen returns that of n pictures, of which some are made at a time.
func seen(ctx context.Context, net *nn.Classifier, n int, of pictures) (s sight, err error) {
	judge := images.NewJudge(net, -1, 1)
	for first := 0; first < n; first += drawnAtOnce {
		x, err := of(first, min(drawnAtOnce, n-first))
		if err != nil {
			return s, err
		}
		unit := x.Clone()
		for i, v := range unit.Data {
			unit.Data[i] = min(max((v+1)/2, 0), 1)
		}
		features, err := judge.Embed(ctx, unit)
		if err != nil {
			return s, err
		}
		s.features = slices.Concat(s.features, features)
		for i, v := range unit.Data {
			unit.Data[i] = 2*v - 1
		}
		logits := tensor.New(x.N, len(portrait.AgeGroups)+2)
		if err := net.Apply(ctx, logits, unit); err != nil {
			return s, err
		}
		for k := range x.N {
			s.believed.believe(net, logits.Sample(k), n)
		}
	}
	return s, nil
}
