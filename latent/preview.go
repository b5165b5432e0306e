package latent

import (
	"context"
	"sync/atomic"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Preview shows what images are going to be while they are sampled: the estimates of the clean
// latents at some steps, decoded. It changes no sample.
type Preview struct {
	Every  int // steps from one to the next; 0 is 1
	Images int // how many of the images, the first ones; 0 is 4
	// Show gets the pictures after done of total steps. An error ends the run.
	Show func(done, total int, pictures []*dataset.Picture) error
}

// estimator is a model that keeps the estimates of the clean samples that its predictions make.
type estimator struct {
	denoise.Denoiser
	of *estimates
	at *float64 // a real timestep, or nil
}

// estimates are those of a run.
type estimates struct {
	dynamics pcd.Dynamics
	first    int
	latents  tensor.Batch // of the first images
	done     atomic.Int64 // steps
}

// previewed returns a model whose estimates are kept, and where.
func (p *Preview) previewed(model denoise.Denoiser, d pcd.Dynamics, r *Request) (denoise.Denoiser, *estimates) {
	n := p.Images
	if n == 0 {
		n = 4
	}
	of := &estimates{dynamics: d, first: r.First, latents: tensor.New(min(n, r.Images), model.Shape()...)}
	return estimator{Denoiser: model, of: of}, of
}

// At implements [denoise.Fractional].
func (m estimator) At(t float64) denoise.Denoiser {
	m.at = &t
	return m
}

// Predict implements [denoise.Denoiser].
func (m estimator) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	model := m.Denoiser
	if m.at != nil {
		var err error
		if model, err = denoise.At(model, *m.at); err != nil {
			return err
		}
	}
	if err := model.Predict(ctx, dst, x, t); err != nil {
		return err
	}
	m.of.keep(x, dst, m.Kind())
	return nil
}

// keep enters the estimates of the images that are shown. Chunks of a step write different
// rows.
func (e *estimates) keep(x, p tensor.Batch, kind schedule.Kind) {
	i := e.dynamics.Steps() - 1 - int(e.done.Load())
	if i < 0 {
		return
	}
	t := e.dynamics.Transition(i, kind)
	for k := range x.N {
		if row := x.First + k - e.first; row >= 0 && row < e.latents.N {
			t.WriteEstimate(e.latents.Sample(row), x.Sample(k), p.Sample(k))
		}
	}
}

// show decodes the estimates after a step, if it is one of those that are shown.
func (p *Preview) show(ctx context.Context, m *Model, e *estimates, done, total int) error {
	e.done.Store(int64(done))
	if done%max(p.Every, 1) != 0 || done == total {
		return nil
	}
	images, err := m.Codec.Decode(ctx, e.latents, nil)
	if err != nil {
		return err
	}
	return p.Show(done, total, Pictures(images))
}
