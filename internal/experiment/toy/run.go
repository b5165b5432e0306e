package toy

import (
	"context"
	"math"
	"time"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Options says what to draw. The zero value draws the published number of pairs
// with the published seed and strengths.
type Options struct {
	Pairs    int          // 0 is 500000
	Seed     *uint64      // nil is 3407
	Strength *float64     // replaces the published coupling strength
	Steps    int          // Langevin steps; 0 is 200
	Workers  int          // goroutines; 0 is one per processor
	Noise    noise.Source // replaces the field of the seed
	// Progress is called as steps finish, out of a total that counts both stages
	// of a sequential method. It may be nil.
	Progress func(done, total int)
}

func (o Options) withDefaults() Options {
	if o.Pairs == 0 {
		o.Pairs = DefaultPairs
	}
	if o.Seed == nil {
		seed := uint64(DefaultSeed)
		o.Seed = &seed
	}
	if o.Steps == 0 {
		o.Steps = Steps
	}
	return o
}

// Pairs are the centres drawn by a method.
type Pairs struct {
	Method      Method
	Big, Small  tensor.Batch // of shape {1}
	Certificate pcd.Certificate
	Seconds     pcd.Seconds
}

// Run draws pairs with a method. When the context is cancelled it returns the
// pairs of the last finished step with the error.
func Run(ctx context.Context, m Method, opts Options) (*Pairs, error) {
	o := opts.withDefaults()
	strength := m.Strength()
	if o.Strength != nil {
		strength = *o.Strength
	}
	start := time.Now()
	if m == Conditional {
		return runConditional(ctx, strength, o, start)
	}
	res, err := sample(ctx, m.problem(strength), o, 0, o.Steps)
	return pairs(m, res, start), err
}

// runConditional draws the big block alone and then the small block given it.
func runConditional(ctx context.Context, strength float64, o Options, start time.Time) (*Pairs, error) {
	alone := pcd.Problem{Variables: []pcd.Variable{bigBlock()}, Dynamics: Dynamics}
	res, err := sample(ctx, alone, o, 0, 2*o.Steps)
	if err != nil {
		return nil, err
	}
	big := res.Samples[0]
	res, err = sample(ctx, given(big, strength), o, o.Steps, 2*o.Steps)
	return pairs(Conditional, res, start), err
}

// sample runs one problem, reporting progress from step before out of total.
func sample(ctx context.Context, p pcd.Problem, o Options, before, total int) (*pcd.Result, error) {
	p.Dynamics = pcd.LMC{Step: stepSize, Length: o.Steps}
	run := pcd.Options{Samples: o.Pairs, Seed: *o.Seed, Workers: o.Workers, Noise: o.Noise}
	if o.Progress != nil {
		run.Observer = pcd.ObserverFunc(func(info pcd.StepInfo) error {
			o.Progress(before+info.Done, total)
			return nil
		})
	}
	return pcd.Sample(ctx, p, run)
}

func pairs(m Method, res *pcd.Result, start time.Time) *Pairs {
	if res == nil {
		return nil
	}
	p := &Pairs{Method: m, Big: res.Samples[0], Small: res.Samples[1], Certificate: res.Certificate, Seconds: res.Seconds}
	p.Seconds.Total = time.Since(start).Seconds()
	return p
}

// Summary says what the pairs of a method achieve.
type Summary struct {
	Method       Method  `json:"method"`
	Pairs        int     `json:"pairs"`
	POut         float64 `json:"p_out"`         // share with a block through a wall
	POverlap     float64 `json:"p_overlap"`     // share with overlapping blocks
	PValid       float64 `json:"p_valid"`       // share with neither
	Certified    bool    `json:"certified"`     // the method guarantees the walls, and the check confirmed it
	MaxViolation float64 `json:"max_violation"` // farthest that a centre leaves its interval; 0 or less inside
	Seconds      float64 `json:"seconds"`
}

// Summarise counts pairs through the walls and overlapping pairs.
func Summarise(p *Pairs) Summary {
	n := p.Big.N
	out, overlap, valid := 0, 0, 0
	worst := math.Inf(-1)
	big, small := violations(between(FeasibleBig), p.Big), violations(between(FeasibleSmall), p.Small)
	for k := range n {
		v := max(big[k], small[k])
		worst = max(worst, v)
		isOut := v > 0
		overlaps := Overlap(p.Big.Data[k], p.Small.Data[k])
		if isOut {
			out++
		}
		if overlaps {
			overlap++
		}
		if !isOut && !overlaps {
			valid++
		}
	}
	share := func(c int) float64 { return float64(c) / float64(n) }
	return Summary{
		Method: p.Method, Pairs: n, POut: share(out), POverlap: share(overlap), PValid: share(valid),
		Certified: p.Certificate.Certified, MaxViolation: worst, Seconds: p.Seconds.Total,
	}
}

// Overlap reports whether blocks with these centres overlap.
func Overlap(big, small float32) bool { return math.Abs(float64(big)-float64(small)) < MinSpacing }

func violations(set project.Set, x tensor.Batch) []float64 {
	v := make([]float64, x.N)
	set.Violation(v, x)
	return v
}
