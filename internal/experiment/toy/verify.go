package toy

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/noise"
)

// The published protocol of the verification.
const (
	verifySamples = 1000000
	verifyBins    = 200
)

// Comparison is one row of the verification: the divergence between the
// distributions of the big block's centre from two groups of samples.
type Comparison struct {
	Pair string `json:"pair"` // "pcd-cg", "pcd-pd" or "baseline"
	metric.Divergence
	Published metric.Divergence `json:"published"`
	// Expected is the divergence of two groups of this size from one law.
	Expected metric.Divergence `json:"expected"`
	Occupied int               `json:"occupied_bins"`
	Range    [2]float64        `json:"range"` // of the pooled samples
}

// published is the table of appendix C.1.
var published = map[string]metric.Divergence{
	"pcd-cg":   {JS: 3.91e-5, TV: 5.40e-3, L2: 1.38e-3},
	"pcd-pd":   {JS: 5.23e-5, TV: 7.97e-3, L2: 1.44e-3},
	"baseline": {JS: 4.48e-5, TV: 5.58e-3, L2: 1.32e-3},
}

// VerifyOptions says how to verify. The zero value follows the published
// protocol.
type VerifyOptions struct {
	Samples  int      // per group; 0 is a million
	Bins     int      // 0 is 200
	Seed     *uint64  // of the first groups; the second groups use the next. nil is 3407
	Strength *float64 // of the guidance; nil is 32, which the paper does not state
	Workers  int
	// Progress is called as parts finish. It may be nil.
	Progress func(done, total int)
}

// ComparedPairs lists the pairs of groups that are compared: projected coupled
// diffusion with classifier guidance and with projected diffusion, and two groups
// of normals with each other.
func ComparedPairs() []string { return []string{"pcd-cg", "pcd-pd", "baseline"} }

// Verify compares projected coupled diffusion with separate implementations of
// its special cases, and two groups of normals with each other as the baseline.
func Verify(ctx context.Context, opts VerifyOptions) ([]Comparison, error) {
	v := newVerification(opts)
	var rows []Comparison
	for _, pair := range ComparedPairs() {
		row, err := v.pair(ctx, pair)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// VerifyPair is [Verify] for one of [ComparedPairs].
func VerifyPair(ctx context.Context, pair string, opts VerifyOptions) (Comparison, error) {
	return newVerification(opts).pair(ctx, pair)
}

// pair compares the groups of a pair.
func (v *verification) pair(ctx context.Context, name string) (Comparison, error) {
	groups := map[string]func(context.Context) (a, b []float32, err error){
		"pcd-cg": v.guidance, "pcd-pd": v.projection, "baseline": v.baseline,
	}[name]
	if groups == nil {
		return Comparison{}, fmt.Errorf("toy: unknown pair %q; the pairs are %s", name, strings.Join(ComparedPairs(), ", "))
	}
	a, b, err := groups(ctx)
	if err != nil {
		return Comparison{}, err
	}
	return v.compare(name, a, b), nil
}

// verification holds the settings with their defaults resolved.
type verification struct {
	VerifyOptions
	seed     uint64
	strength float64
	done     int
}

func newVerification(opts VerifyOptions) *verification {
	v := &verification{VerifyOptions: opts, seed: DefaultSeed, strength: jointStrength}
	if v.Samples == 0 {
		v.Samples = verifySamples
	}
	if v.Bins == 0 {
		v.Bins = verifyBins
	}
	if opts.Seed != nil {
		v.seed = *opts.Seed
	}
	if opts.Strength != nil {
		v.strength = *opts.Strength
	}
	return v
}

// guidance returns a group of projected coupled diffusion whose small block is
// constrained to the middle, and one of classifier guidance.
func (v *verification) guidance(ctx context.Context) (a, b []float32, err error) {
	if a, err = v.sample(ctx, pinned(v.strength)); err != nil {
		return nil, nil, err
	}
	b, err = guided(ctx, v.Samples, v.seed+1, v.strength, v.Workers)
	v.tick()
	return a, b, err
}

// projection returns a group of projected coupled diffusion without coupling, and
// one of projected diffusion.
func (v *verification) projection(ctx context.Context) (a, b []float32, err error) {
	p := PCD.problem(0)
	p.Couplings = []pcd.Coupling{barrier(0)}
	if a, err = v.sample(ctx, p); err != nil {
		return nil, nil, err
	}
	b, err = projected(ctx, v.Samples, v.seed+1, v.Workers)
	v.tick()
	return a, b, err
}

func (v *verification) baseline(context.Context) (a, b []float32, err error) {
	a, b = make([]float32, v.Samples), make([]float32, v.Samples)
	noise.New(v.seed).Normal(a, 1, noise.Address{})
	noise.New(v.seed+1).Normal(b, 1, noise.Address{})
	v.tick()
	return a, b, nil
}

func (v *verification) sample(ctx context.Context, p pcd.Problem) ([]float32, error) {
	res, err := pcd.Sample(ctx, p, pcd.Options{Samples: v.Samples, Seed: v.seed, Workers: v.Workers})
	v.tick()
	if err != nil {
		return nil, err
	}
	return res.Samples[0].Data, nil
}

// parts is how many groups a verification draws, with the baseline as one.
const parts = 5

func (v *verification) tick() {
	v.done++
	if v.Progress != nil {
		v.Progress(v.done, parts)
	}
}

func (v *verification) compare(name string, a, b []float32) Comparison {
	lo, hi := metric.SharedRange(a, b)
	p, q := metric.Histogram(a, lo, hi, v.Bins), metric.Histogram(b, lo, hi, v.Bins)
	pooled := make([]int, v.Bins)
	occupied := 0
	for i := range pooled {
		pooled[i] = p[i] + q[i]
		if pooled[i] > 0 {
			occupied++
		}
	}
	return Comparison{
		Pair: name, Divergence: metric.Compare(p, q), Published: published[name],
		Expected: metric.NoiseFloor(pooled, v.Samples), Occupied: occupied, Range: [2]float64{lo, hi},
	}
}
