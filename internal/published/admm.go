package published

import (
	"context"
	"math"

	"github.com/go-pcd/pcd/internal/path"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// ADMMOptions are the knobs of [ADMM].
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
	// ADMMNav2D is what the launcher of the navigation experiments passes.
	ADMMNav2D = ADMMOptions{Penalty: 10, MaxIterations: 1000, Tolerance: 3e-6, CheckPeriod: 100}
	// ADMMPushT runs a fixed number of iterations.
	ADMMPushT = ADMMOptions{Penalty: 6, MaxIterations: 250, Tolerance: 2e-4, CheckPeriod: 250, Fixed: true}
)

// ADMM is the projection onto speed-limited paths as published: in
// float32, stopped for the whole batch at once, returning the primal iterate,
// which keeps the limit only up to the tolerance. It breaks the laws of
// [project.Projector]: members move, rows depend on their batch, and results may violate
// the set. It is here to compare with; [project.SpeedLimit] is exact and certified.
//
// A result with a violation is reported as [project.IterationLimit].
//
// Source: PCD, the ADMM projection of the navigation experiments (ξ = 2ρ there)
// and of PushT; Boyd et al., "Distributed Optimization and Statistical Learning
// via ADMM", 2011, section 3.1.1.
type ADMM struct {
	set     *project.SpeedLimit
	limit   float64
	path    project.Path // its Dims are known
	options ADMMOptions
}

// NewADMM returns the published iteration for the set of
// [project.NewSpeedLimit]. It has no pinned goals.
func NewADMM(limit float64, p project.Path, o ADMMOptions) (*ADMM, error) {
	const set = "published ADMM"
	if p.Goal.N > 0 {
		return nil, &project.ParameterError{Set: set, Name: "number of goals", Value: float64(p.Goal.N), Want: "0: goals are not supported"}
	}
	if err := checkNumber(set, "penalty", o.Penalty, math.SmallestNonzeroFloat32, math.MaxFloat32, "a positive number"); err != nil {
		return nil, err
	}
	if err := checkNumber(set, "tolerance", o.Tolerance, 0, math.MaxFloat32, "a number, at least 0"); err != nil {
		return nil, err
	}
	if o.MaxIterations < 1 || o.CheckPeriod < 1 {
		return nil, &project.ParameterError{Set: set, Name: "smaller one of iterations and check period", Value: float64(min(o.MaxIterations, o.CheckPeriod)), Want: "at least 1"}
	}
	s, err := project.NewSpeedLimit(limit, p)
	if err != nil {
		return nil, err
	}
	if p.Dims == 0 {
		p.Dims = p.Start.Size()
	}
	p.Start = p.Start.Clone()
	return &ADMM{set: s, limit: limit, path: p, options: o}, nil
}

// Check implements [project.Set].
func (p *ADMM) Check(shape tensor.Shape) error { return p.set.Check(shape) }

// Violation implements [project.Set].
func (p *ADMM) Violation(dst []float64, x tensor.Batch) { p.set.Violation(dst, x) }

// Project implements [project.Projector] as far as the published iteration does.
func (p *ADMM) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	if err := project.CheckCall(ctx, p.set, dst, x); err != nil || x.N == 0 {
		return project.Report{}, err
	}
	n := x.Shape[0] - p.path.Skip
	if p.options.FreeStart {
		n++
	}
	a := newADMM[float32](n, !p.options.FreeStart, p.options.Penalty, p.limit)
	states := make([]*admmState[float32], x.N)
	for k := range states {
		states[k] = p.state(x, k, n)
	}
	before := make([]float64, x.N)
	p.Violation(before, x)
	iterations, residual, err := p.run(ctx, a, states)
	if err != nil {
		return project.Report{}, err
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

// view returns the constrained part of row k of x.
func (p *ADMM) view(x tensor.Batch, k int) path.View {
	start := p.path.Start.Sample(0)
	if p.path.Start.N > 1 {
		start = p.path.Start.Sample(x.First + k - p.path.Start.First)
	}
	channels := x.Shape[1]
	return path.View{
		Start: start, X: x.Sample(k)[p.path.Skip*channels:],
		N: x.Shape[0] - p.path.Skip, Dims: p.path.Dims, Stride: channels,
	}
}

// state returns the start of the iteration, z = u = 0, for row k of x.
func (p *ADMM) state(x tensor.Batch, k, n int) *admmState[float32] {
	s := newADMMState[float32](n, p.path.Dims)
	v := p.view(x, k)
	copy(s.start, v.Point(0))
	for h := range n {
		from := h + 1
		if p.options.FreeStart {
			from = h
		}
		copy(s.target[h*p.path.Dims:(h+1)*p.path.Dims], v.Point(from))
	}
	return s
}

// run iterates all paths in step until the worst one has converged. It returns
// the iterations done by each and the largest primal residual.
func (p *ADMM) run(ctx context.Context, a *admm[float32], states []*admmState[float32]) (int, float64, error) {
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

func (p *ADMM) write(dst tensor.Batch, states []*admmState[float32]) {
	for k, s := range states {
		v := p.view(dst, k)
		skip := len(s.x) - v.N*p.path.Dims // a free start is dropped
		for h := 1; h <= v.N; h++ {
			copy(v.Point(h), s.x[skip+(h-1)*p.path.Dims:])
		}
	}
}

func (p *ADMM) report(iterations int, residual float64, before, after []float64) project.Report {
	r := project.Report{
		Samples: len(before), Moved: len(before), Iterations: iterations * len(before), MaxIterations: iterations,
		Residual: residual, ViolationBefore: before[0], ViolationAfter: after[0],
	}
	for k := range before {
		r.ViolationBefore = max(r.ViolationBefore, before[k])
		r.ViolationAfter = max(r.ViolationAfter, after[k])
	}
	if r.ViolationAfter > 0 || residual > p.options.Tolerance {
		r.Status = project.IterationLimit
	}
	return r
}
