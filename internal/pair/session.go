package pair

import (
	"context"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Session draws pairs of one request in pieces: the pairs of all pieces together are
// those of the whole.
type Session struct {
	setup   *setup
	problem pcd.Problem
	hulls   []*project.Hull
	once    float64 // seconds of the preparation that are still to be told
	encoded float64 // of them, those of encoding
}

// Prepare checks a request, and does what all its pairs share.
func Prepare(ctx context.Context, r Request) (*Session, error) {
	begin := time.Now()
	s, err := prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	out := &Session{setup: s, encoded: s.encoding}
	if out.problem, out.hulls, err = s.problem(ctx); err != nil {
		return nil, err
	}
	out.once = time.Since(begin).Seconds()
	return out, nil
}

// Steps returns the number of steps of sampling.
func (s *Session) Steps() int { return s.problem.Dynamics.Steps() }

// Lost returns how many tokens of a prompt did not fit.
func (s *Session) Lost() int { return s.setup.lost }

// Clip returns what estimates of clean latents are limited to either side; 0 is no limit.
func (s *Session) Clip() float64 {
	return s.problem.Dynamics.Transition(0, s.setup.Model.Noise.Prediction).Estimate.Clip
}

// Piece returns how many pairs are worth drawing at a time: enough to use the networks'
// weights often, few enough to lose little by an interruption.
func (s *Session) Piece() int { return max(s.setup.Model.Chunk(s.setup.shape)/4, 1) }

// Draw draws n pairs from number first on, and leaves them latents.
func (s *Session) Draw(ctx context.Context, first, n int) (*Result, error) {
	begin := time.Now()
	watch := newRecorder(s.setup, first, n, s.problem, s.hulls)
	sampled, err := pcd.Sample(ctx, s.problem, pcd.Options{
		Samples: n, First: first, Seed: s.setup.Seed, Workers: 1, ChunkSize: s.setup.Model.Chunk(s.setup.shape), Observer: watch,
	})
	if err != nil {
		return nil, err
	}
	out := watch.result(sampled)
	d := watch.without(sampled.Seconds).Divided()
	t := Seconds{Encode: s.encoded, Network: d.Model, Coupling: d.Coupling, Projection: d.Projection}
	t.Total = s.once + time.Since(begin).Seconds()
	t.Other = t.Total - t.Encode - t.Network - t.Coupling - t.Projection
	s.once, s.encoded = 0, 0
	out.Seconds = t
	return out, nil
}

// Finish decodes the latents of a result and asks the judge, unless the request leaves
// them undecoded.
func (s *Session) Finish(ctx context.Context, r *Result) error {
	if s.setup.Undecoded {
		return nil
	}
	var t Seconds
	begin := time.Now()
	for i := range r.Members {
		d := &r.Members[i]
		var err error
		if d.Images, err = s.Decode(ctx, i, d.Latents, &t); err != nil {
			return err
		}
		if s.setup.Model.Judge == nil {
			continue
		}
		done := lap(&t.Judge)
		d.Opinions, err = ask(ctx, s.setup.Model.Judge, d.Images)
		done()
		if err != nil {
			return err
		}
	}
	t.Total = time.Since(begin).Seconds()
	t.Other = t.Total - t.Decode - t.Judge
	r.Seconds.Add(t)
	return nil
}

// Decode returns the images of latents of a member; the time is added to t, unless it is
// nil.
func (s *Session) Decode(ctx context.Context, member int, latents tensor.Batch, t *Seconds) (tensor.Batch, error) {
	if t == nil {
		t = new(Seconds)
	}
	defer lap(&t.Decode)()
	n := len(s.setup.Members)
	return s.setup.modelOf(member).Codec.Decode(ctx, latents, func(done, total int) {
		s.setup.report("decode", member*total+done, n*total)
	})
}
