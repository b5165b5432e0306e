package project

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// ADMMOptions are the knobs of [PublishedADMM].
type ADMMOptions struct {
	Penalty       float64 // ρ of the scaled form for the objective ½‖x − x̂‖²
	MaxIterations int     // a block of CheckPeriod iterations is never cut short
	Tolerance     float64 // on ‖Dx − z − b‖ of the worst path of the batch
	// CheckPeriod is the number of iterations between two looks at the residual.
	CheckPeriod int
	// Fixed runs all iterations and looks at the residual for the report only.
	Fixed bool
	// FreeStart treats the start as one more waypoint that is projected along and
	// dropped afterwards, so that the first step keeps no limit, and stops when
	// both residuals of every path are below the tolerance: the alternative
	// operator of the published code.
	FreeStart bool
}

// The settings of the published runs.
var (
	// ADMMNavigation is what the launcher of the navigation experiments passes.
	ADMMNavigation = ADMMOptions{Penalty: 10, MaxIterations: 1000, Tolerance: 3e-6, CheckPeriod: 100}
	// ADMMNavigationFile is what the configuration files of all environments but
	// the empty one say, where the penalty is 10.
	ADMMNavigationFile = ADMMOptions{Penalty: 6, MaxIterations: 500, Tolerance: 1e-5, CheckPeriod: 200}
	// ADMMPushT runs a fixed number of iterations.
	ADMMPushT = ADMMOptions{Penalty: 6, MaxIterations: 250, Tolerance: 2e-4, CheckPeriod: 250, Fixed: true}
)

// PublishedADMM is the projection onto speed-limited paths as published: in
// float32, stopped for the whole batch at once, returning the primal iterate,
// which keeps the limit only up to the tolerance. It breaks the laws of
// [Projector]: members move, rows depend on their batch, and results may violate
// the set. It is here to compare with; [SpeedLimit] is exact and certified.
//
// A result with a violation is reported as [IterationLimit].
//
// Source: PCD, the ADMM projection of the navigation experiments (ξ = 2ρ there)
// and of PushT; Boyd et al., "Distributed Optimization and Statistical Learning
// via ADMM", 2011, section 3.1.1.
type PublishedADMM struct {
	set     *SpeedLimit
	options ADMMOptions
}

// NewPublishedADMM returns the published iteration for the set of
// [NewSpeedLimit]. It has no pinned goals.
func NewPublishedADMM(limit float64, p Path, o ADMMOptions) (*PublishedADMM, error) {
	const set = "published ADMM"
	if p.Goal.N > 0 {
		return nil, &ParameterError{Set: set, Name: "number of goals", Value: float64(p.Goal.N), Want: "0: goals are not supported"}
	}
	if err := checkNumber(set, "penalty", o.Penalty, math.SmallestNonzeroFloat32, math.MaxFloat32, "a positive number"); err != nil {
		return nil, err
	}
	if err := checkNumber(set, "tolerance", o.Tolerance, 0, math.MaxFloat32, "a number, at least 0"); err != nil {
		return nil, err
	}
	if o.MaxIterations < 1 || o.CheckPeriod < 1 {
		return nil, &ParameterError{Set: set, Name: "smaller one of iterations and check period", Value: float64(min(o.MaxIterations, o.CheckPeriod)), Want: "at least 1"}
	}
	s, err := NewSpeedLimit(limit, p)
	if err != nil {
		return nil, err
	}
	return &PublishedADMM{set: s, options: o}, nil
}

// Check implements [Set].
func (p *PublishedADMM) Check(shape tensor.Shape) error { return p.set.Check(shape) }

// Violation implements [Set].
func (p *PublishedADMM) Violation(dst []float64, x tensor.Batch) { p.set.Violation(dst, x) }

// Project implements [Projector] as far as the published iteration does.
func (p *PublishedADMM) Project(ctx context.Context, dst, x tensor.Batch) (Report, error) {
	if err := checkRows(ctx, p.set, dst, x); err != nil || x.N == 0 {
		return Report{}, err
	}
	n := x.Shape[0] - p.set.skip
	if p.options.FreeStart {
		n++
	}
	a := newADMM[float32](n, !p.options.FreeStart, p.options.Penalty, p.set.limit)
	states := make([]*admmState[float32], x.N)
	for k := range states {
		states[k] = p.state(x, k, n)
	}
	before := make([]float64, x.N)
	p.Violation(before, x)
	iterations, residual, err := p.run(ctx, a, states)
	if err != nil {
		return Report{}, err
	}
	dst.First = x.First
	if &dst.Data[0] != &x.Data[0] {
		dst.CopyFrom(x)
	}
	after := make([]float64, x.N)
	p.write(dst, states)
	p.Violation(after, dst)
	return p.report(iterations, residual, before, after), nil
}

// state returns the start of the iteration, z = u = 0, for row k of x.
func (p *PublishedADMM) state(x tensor.Batch, k, n int) *admmState[float32] {
	s := newADMMState[float32](n, p.set.dims)
	v := p.set.view(x, k)
	copy(s.start, v.point(0))
	for h := range n {
		from := h + 1
		if p.options.FreeStart {
			from = h
		}
		copy(s.target[h*p.set.dims:(h+1)*p.set.dims], v.point(from))
	}
	return s
}

// run iterates all paths in step until the worst one has converged. It returns
// the iterations done by each and the largest primal residual.
func (p *PublishedADMM) run(ctx context.Context, a *admm[float32], states []*admmState[float32]) (int, float64, error) {
	o := p.options
	for done := 0; ; {
		if err := ctx.Err(); err != nil {
			return done, 0, err
		}
		var primal, dual float32
		for _, s := range states {
			for range o.CheckPeriod {
				a.iterate(s)
			}
			primal, dual = max(primal, a.primal(s)), max(dual, a.rho*s.zChange)
		}
		done += o.CheckPeriod
		residual := math.Sqrt(float64(primal))
		converged := residual <= o.Tolerance
		if o.FreeStart {
			// The other operator compares the copy of z with itself, so that its
			// dual residual is always 0; this one tests both.
			converged = residual < o.Tolerance && math.Sqrt(float64(dual)) < o.Tolerance
		}
		if done >= o.MaxIterations || converged && !o.Fixed {
			return done, residual, nil
		}
	}
}

func (p *PublishedADMM) write(dst tensor.Batch, states []*admmState[float32]) {
	for k, s := range states {
		v := p.set.view(dst, k)
		skip := len(s.x) - v.n*p.set.dims // a free start is dropped
		for h := 1; h <= v.n; h++ {
			copy(v.point(h), s.x[skip+(h-1)*p.set.dims:])
		}
	}
}

func (p *PublishedADMM) report(iterations int, residual float64, before, after []float64) Report {
	r := Report{
		Samples: len(before), Moved: len(before), Iterations: iterations * len(before), MaxIterations: iterations,
		Residual: residual, ViolationBefore: before[0], ViolationAfter: after[0],
	}
	for k := range before {
		r.ViolationBefore = max(r.ViolationBefore, before[k])
		r.ViolationAfter = max(r.ViolationAfter, after[k])
	}
	if r.ViolationAfter > 0 || residual > p.options.Tolerance {
		r.Status = IterationLimit
	}
	return r
}
