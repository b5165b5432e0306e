package metamorph

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/push"
)

// job is a random request for pairs: of manipulation, of images or of two blocks.
type job struct {
	Kind    string  `json:"kind"` // push, pair or toy
	Method  string  `json:"method"`
	Preset  string  `json:"preset,omitempty"`
	Init    string  `json:"init,omitempty"`
	Gamma   float64 `json:"gamma,omitempty"` // 0 is the default
	Limit   float64 `json:"vmax,omitempty"`
	Pairs   int     `json:"pairs"`
	First   int     `json:"first,omitempty"` // of images
	Steps   int     `json:"steps,omitempty"`
	Seed    uint64  `json:"seed"`
	Workers int     `json:"workers,omitempty"`
}

// episodeSteps is how many actions an episode of a job has.
const episodeSteps = 17

// drawJob draws a request of a kind.
func drawJob(r *rand.Rand, kind string) job {
	j := job{Kind: kind, Seed: r.Uint64N(1 << 40), Pairs: 2 + r.IntN(4)}
	switch kind {
	case "push":
		methods := push.Methods()
		j.Method, j.Preset = string(methods[r.IntN(len(methods))]), []string{"default", "unscaled"}[r.IntN(2)]
		j.Init, j.Limit, j.Steps = fmt.Sprint(r.IntN(50)), 4+6*r.Float64(), 1+r.IntN(3)
	case "pair":
		j.Method = string([]pair.Method{pair.PCD, pair.SD, pair.SDP, pair.SDC}[r.IntN(4)])
		j.Pairs, j.Steps = 2, 1+r.IntN(2)
	default:
		methods := toy.Methods()
		j.Method, j.Pairs = string(methods[r.IntN(len(methods))]), 20+r.IntN(600)
		if r.IntN(2) == 0 {
			j.Gamma = 40 * r.Float64()
		}
	}
	return j
}

// changes are those of a request that must not matter: what they have of the same pairs has
// the same bits.
var changes = map[string]func(r *rand.Rand, j job) job{
	"other goroutines": func(r *rand.Rand, j job) job {
		j.Workers = 1 + r.IntN(7)
		return j
	},
	"more pairs": func(r *rand.Rand, j job) job {
		j.Pairs += 1 + r.IntN(3)
		return j
	},
	"fewer pairs": func(r *rand.Rand, j job) job {
		j.Pairs = 1 + r.IntN(j.Pairs-1)
		return j
	},
	"a later first pair": func(_ *rand.Rand, j job) job {
		if j.Kind == "pair" {
			j.First, j.Pairs = j.First+1, j.Pairs-1
		}
		return j
	},
}

// drawn is what came of a job: the verdict, and the numbers of every pair by array and
// member. Arrays with a row for every step are as long as their run.
type drawn struct {
	verdict string
	pairs   map[int]map[string][]float32
}

// do runs a job.
func (j job) do(ctx context.Context) (drawn, error) {
	switch j.Kind {
	case "push":
		return j.push(ctx)
	case "pair":
		return j.images(ctx)
	}
	return j.toy(ctx)
}

func (j job) push(ctx context.Context) (drawn, error) {
	task, err := planner.PushRequest{Method: j.Method, Preset: j.Preset, Init: j.Init, Pairs: &j.Pairs, Limit: &j.Limit, Steps: &j.Steps, Seed: j.Seed, Workers: j.Workers}.Check()
	if err != nil {
		return drawn{}, err
	}
	task.Options.EpisodeSteps = episodeSteps
	out, err := task.Run(ctx, planner.Watch{}, nil)
	if err != nil {
		return drawn{}, err
	}
	d := drawn{verdictOf(out.Verdict), map[int]map[string][]float32{}}
	if c := out.Summary.Metrics.CS; out.Summary.Certificate.Certified && (c[0] != 1 || c[1] != 1) {
		return d, fmt.Errorf("certified, and by the measure %v of the actions keep the limit", c)
	}
	for _, a := range out.Arrays {
		for m := range 2 {
			d.enter(a, fmt.Sprintf("%s of member %d", a.Name, m), m*j.Pairs, j.Pairs, 0)
		}
	}
	return d, nil
}

func (j job) images(ctx context.Context) (drawn, error) {
	task, err := planner.PairRequest{Method: j.Method, Pairs: &j.Pairs, First: j.First, Steps: &j.Steps, Seed: j.Seed}.Check()
	if err != nil {
		return drawn{}, err
	}
	task.Options.Undecoded = true
	s, err := pair.Prepare(ctx, task.Options)
	if err != nil {
		return drawn{}, err
	}
	r, err := s.Draw(ctx, j.First, j.Pairs)
	if err != nil {
		return drawn{}, err
	}
	d := drawn{"", map[int]map[string][]float32{}}
	for i, m := range r.Members {
		for k := range m.Latents.N {
			d.at(j.First + k)[fmt.Sprint("latents of ", i)] = m.Latents.Sample(k)
		}
	}
	return d, nil
}

func (j job) toy(ctx context.Context) (drawn, error) {
	q := planner.ToyRequest{Method: j.Method, Pairs: &j.Pairs, Seed: &j.Seed, Workers: j.Workers}
	if j.Gamma > 0 {
		q.Gamma = &j.Gamma
	}
	out, err := planner.Do(ctx, &planner.ToyTask{Request: q}, planner.Watch{}, nil)
	if err != nil {
		return drawn{}, err
	}
	d := drawn{verdictOf(out.Verdict), map[int]map[string][]float32{}}
	if s := out.Summary.Runs[0]; s.Certified && s.POut > 0 {
		return d, fmt.Errorf("certified, and %v of the pairs are through a wall", s.POut)
	}
	for _, a := range out.Arrays {
		d.enter(a, a.Name, 0, j.Pairs, 0)
	}
	return d, nil
}

// enter files rows from ... from+n-1 of an array under the numbers of pairs from first on.
func (d drawn) enter(a dataset.Array, name string, from, n, first int) {
	values, err := a.Float32s()
	if err != nil {
		return // no array of samples
	}
	rows := a.Shape[0]
	if len(a.Shape) > 1 && a.Shape[0] == 2 && from+n <= 2*a.Shape[1] {
		rows = a.Shape[0] * a.Shape[1] // of members and pairs
	}
	size := len(values) / rows
	for k := range n {
		d.at(first + k)[name] = values[(from+k)*size:][:size]
	}
}

// at returns the numbers of a pair.
func (d drawn) at(k int) map[string][]float32 {
	if d.pairs[k] == nil {
		d.pairs[k] = map[string][]float32{}
	}
	return d.pairs[k]
}

func verdictOf(err error) string {
	if err == nil {
		return "kept"
	}
	return fmt.Sprintf("%T", err)
}

// smaller lists simpler requests.
func (j job) smaller() (all []job) {
	add := func(change func(j *job)) {
		c := j
		if change(&c); c != j {
			all = append(all, c)
		}
	}
	add(func(j *job) { j.Pairs = max(2, j.Pairs/2) })
	add(func(j *job) { j.Pairs = max(2, j.Pairs-1) })
	add(func(j *job) { j.Steps = min(j.Steps, 1) })
	add(func(j *job) { j.Gamma = 0 })
	add(func(j *job) { j.Seed = 0 })
	add(func(j *job) {
		if j.Kind == "push" {
			j.Init, j.Preset = "0", "default"
		}
	})
	return all
}
