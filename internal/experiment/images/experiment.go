package images

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/tensor"
)

// Experiment is the type of what [New] returns.
type Experiment = experiment.Experiment[Spec, Cell, *CellResult]

// Source is what an evaluation draws from and looks through.
type Source struct {
	Model *pair.Model
	// Exemplars of both images, a cell takes the first ones; none are those that the
	// program draws.
	Exemplars [2][]pair.Exemplar
	Networks  NetworkFiles
}

// source is a [Source] that can be used.
type source struct {
	Source
	networks *opened
	drawn    map[drawing]*pair.Result
}

// New returns the experiment. open returns what it draws from; it is called once, when
// the first cell needs it.
func New(open func() (Source, error)) *Experiment {
	var from *source
	return &Experiment{
		Name: "images", Unit: "pairs",
		New: func() *CellResult { return new(CellResult) },
		Prepare: func(c Cell) (work experiment.Work[*CellResult], err error) {
			if from == nil {
				if from, err = openSource(open); err != nil {
					return work, err
				}
			}
			if _, err := from.request(c, 0); err != nil {
				return work, err
			}
			identity, err := from.identity(c.Method)
			if err != nil {
				return work, err
			}
			run := func(ctx context.Context, r *CellResult, _ int, after func() error) error {
				return c.run(ctx, r, from, after)
			}
			return experiment.Work[*CellResult]{Model: identity, Run: run}, nil
		},
		Tables: report, Figures: figures,
	}
}

// openSource opens what an evaluation draws from.
func openSource(open func() (Source, error)) (*source, error) {
	s, err := open()
	if err != nil {
		return nil, err
	}
	from := withExemplars(s)
	from.networks, err = s.Networks.open(s.Model)
	return from, err
}

// withExemplars returns a source with the exemplars that the program draws, where it has
// none of its own.
func withExemplars(s Source) *source {
	from := &source{Source: s, drawn: map[drawing]*pair.Result{}}
	for k := range members {
		if len(s.Exemplars[k]) == 0 {
			from.Exemplars[k] = pair.DrawMembers(pair.Age, 2, pair.MostDrawn)[k].Exemplars
		}
	}
	return from
}

// card is what a result says of its model.
type card struct {
	Model    string   `json:"model"` // name of its folder
	Networks Networks `json:"lenses"`
}

// identity returns what identifies the numbers of a method: the parameters of the networks
// that it uses, the noise, the exemplars and the files of the networks. What only another
// method uses may be added to a model, and changed.
func (s *source) identity(method pair.Method) (experiment.Model, error) {
	m := s.Model
	params := slices.Concat(m.Net.Params(), m.Codec.Net.Params())
	for _, c := range []*latent.Classifier{m.Judge, m.Classifier, m.Guide} {
		if c != nil && (c != m.Guide || method == pair.Sync) {
			params = slices.Concat(params, c.Net.Params(), c.Net.Buffers())
		}
	}
	if m.Control != nil && method == pair.CNetXS {
		params = append(params, m.Control.Params()...)
	}
	if m.Text != nil {
		params = append(params, m.Text.Net.Params()...)
	}
	var exemplars []string
	for _, set := range s.Exemplars {
		for _, e := range set {
			exemplars = append(exemplars, manifest.DigestBytes(e.Picture.Pix))
		}
	}
	digest, err := modelfile.Digest(map[string]any{
		"scale": m.Codec.Net.Config().ScalingFactor, "offset": m.Noise.Offset, "prediction": m.Noise.Prediction.String(),
		"betas": m.Noise.Schedule.At(m.Noise.Schedule.Len() - 1).AlphaBar, "lenses": s.networks.digests, "exemplars": exemplars,
	}, params)
	return experiment.Model{Card: card{filepath.Base(m.Path), s.networks.names}, Digest: digest}, err
}

// members are the images of a pair, as published.
var members = [2]portrait.Gender{portrait.Male, portrait.Female}

// exemplars returns n exemplars of an image of a pair.
func (s *source) exemplars(k, n int) ([]pair.Exemplar, error) {
	all := s.Exemplars[k]
	if len(all) < n {
		return nil, &experiment.SpecError{Err: fmt.Errorf("images: a cell of %d exemplars, there are %d of %s", n, len(all), members[k])}
	}
	return all[:n], nil
}

// request returns the pairs of a seed as a request, checked.
func (s *source) request(c Cell, seed uint64) (pair.Request, error) {
	r := pair.Request{
		Model: s.Model, Method: c.Method, Pairs: c.Pairs, Seed: seed, Steps: c.Steps,
		Gamma: c.Gamma, NoiseScale: c.NoiseScale, Prompt: c.Prompt, Guidance: c.Guidance,
		SyncWeight: c.SyncWeight, SyncTogether: c.SyncTogether,
	}
	for k := range members {
		of := c.Same.member(k)
		exemplars, err := s.exemplars(of, c.Exemplars)
		if err != nil {
			return r, err
		}
		r.Members = append(r.Members, pair.Member{Name: members[k].String(), Exemplars: exemplars})
	}
	return r, r.Check()
}

// Able returns those of some methods that the model has the parts for.
func (s Source) Able(methods []pair.Method) (out []pair.Method) {
	from := withExemplars(s)
	for _, m := range methods {
		spec := PublishedSpec()
		c := spec.cell(m, 2, 0, 0)
		if _, err := from.request(c, 0); err == nil {
			out = append(out, m)
		}
	}
	return out
}

// run adds the batches that a result lacks.
func (c Cell) run(ctx context.Context, r *CellResult, from *source, after func() error) error {
	r.Networks = from.networks.names
	for len(r.Batches) < c.Seeds {
		seed := c.FirstSeed + uint64(len(r.Batches))
		b, err := c.batch(ctx, from, seed)
		if err != nil {
			return fmt.Errorf("%s, seed %d: %w", c.Name(), seed, err)
		}
		r.Batches = append(r.Batches, b)
		if err := after(); err != nil {
			return err
		}
	}
	return nil
}

// batch draws the pairs of a seed and looks at them.
func (c Cell) batch(ctx context.Context, from *source, seed uint64) (Batch, error) {
	request, err := from.request(c, seed)
	if err != nil {
		return Batch{}, err
	}
	drawn, err := from.draw(ctx, c, request)
	if err != nil {
		return Batch{}, err
	}
	b := Batch{Seed: seed, Choices: drawn.Choices, Pairs: make([]Pair, c.Pairs), Times: timesOf(drawn.StepSeconds), Certified: drawn.Certificate.Certified}
	if c.Method.Projected() {
		b.Residual.Add(drawn.Certificate.MaxResidual)
	}
	for k := range members {
		if err := b.look(ctx, from, k, members[c.Same.member(k)], request.Members[k].Exemplars, &drawn.Members[k]); err != nil {
			return Batch{}, err
		}
	}
	return b, nil
}

// look enters what is seen in the images of a member, whose exemplars show a gender.
func (b *Batch) look(ctx context.Context, from *source, k int, shown portrait.Gender, exemplars []pair.Exemplar, d *pair.Drawn) error {
	x := unit(d.Images)
	m, err := from.networks.Measure(ctx, x, unit(pixels(exemplars, x.Shape)))
	if err != nil {
		return err
	}
	for i := range b.Pairs {
		p := &b.Pairs[i]
		p.Similarity[k], p.Distance[k] = m.Similarity[i], m.Distance[i]
		p.Old[k], p.Gender[k] = old(d.Opinions[i]), float64(d.Opinions[i][pair.Gender][shown])
		if d.Weights != nil {
			p.Weights[k] = slices.Clone(d.Final(i))
		}
	}
	b.Diversity[k], b.Frechet[k] = momentsOf(m.Diversity), m.Frechet
	return nil
}

// old returns the probability of an age that counts as old.
func old(o pair.Opinion) (p float64) {
	for group, share := range o[pair.Age] {
		if portrait.IsOld(group) {
			p += float64(share)
		}
	}
	return p
}

// unit returns images in [0, 1].
func unit(x tensor.Batch) tensor.Batch {
	out := x.Clone()
	for i, v := range out.Data {
		out.Data[i] = min(max((v+1)/2, 0), 1)
	}
	return out
}

// pixels returns exemplars at the size of images, [3, height, width] in [-1, 1]: not what
// an autoencoder makes of them.
func pixels(exemplars []pair.Exemplar, shape tensor.Shape) tensor.Batch {
	out := tensor.New(len(exemplars), shape...)
	for i, e := range exemplars {
		e.Picture.Resize(shape[2], shape[1]).Unit(out.Sample(i))
	}
	return out
}
