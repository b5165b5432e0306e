package metamorph

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	_ "github.com/go-pcd/pcd/internal/pair/bundled"
	_ "github.com/go-pcd/pcd/internal/push/bundled"
	"github.com/go-pcd/pcd/internal/thorough"
)

// compare wants the pairs that two answers have in common to be the same, bit for bit: of
// what has a row for every step, as many as both have.
func compare(a, b drawn) error {
	common := 0
	for k, arrays := range a.pairs {
		for name, x := range arrays {
			y, ok := b.pairs[k][name]
			if !ok {
				continue
			}
			common++
			n := min(len(x), len(y))
			if i := slices.IndexFunc(x[:n], func(v float32) bool { return v != v }); i >= 0 {
				return fmt.Errorf("number %d of %s of pair %d is no number", i, name, k)
			}
			if !slices.Equal(x[:n], y[:n]) {
				return fmt.Errorf("%s of pair %d differ", name, k)
			}
		}
	}
	if common == 0 {
		return fmt.Errorf("there is nothing to compare")
	}
	return nil
}

// breaks returns why a change of a request matters, nil if it does not.
func (j job) breaks(t *testing.T, change func(r *rand.Rand, j job) job, at uint64) error {
	t.Helper()
	a, err := j.do(t.Context())
	if err != nil {
		return err
	}
	return j.differs(t, a, change, at)
}

// differs is breaks of a request whose answer is known.
func (j job) differs(t *testing.T, a drawn, change func(r *rand.Rand, j job) job, at uint64) error {
	t.Helper()
	other := change(rand.New(rand.NewPCG(at, 3)), j)
	b, err := other.do(t.Context())
	if err != nil {
		return err
	}
	if a.verdict != b.verdict && a.verdict == "kept" && other.Pairs <= j.Pairs {
		return fmt.Errorf("%s, but %s", a.verdict, b.verdict)
	}
	return compare(a, b)
}

// Pairs of manipulation, of images and of two blocks are the same for any number of
// goroutines, and whatever other pairs are drawn.
func TestJobs(t *testing.T) {
	thorough.Test(t)
	for _, kind := range []string{"push", "pair", "toy"} {
		t.Run(kind, func(t *testing.T) {
			n := *cases
			if kind == "pair" {
				n = (n + 2) / 3
			}
			for i := range n {
				at := 500 + uint64(i)
				j := drawJob(rand.New(rand.NewPCG(*seed, at)), kind)
				a, err := j.do(t.Context())
				if err != nil {
					t.Fatalf("case %d of seed %d: %v", i, *seed, err)
				}
				for _, name := range slices.Sorted(maps.Keys(changes)) {
					if err := j.differs(t, a, changes[name], at); err != nil {
						small := reducedJob(j, func(j job) bool { return j.breaks(t, changes[name], at) != nil })
						text, _ := json.MarshalIndent(small, "", "  ")
						t.Errorf("case %d of seed %d, %s: %v\n%s", i, *seed, name, err, text)
						write(t, fmt.Sprintf("%s-%d-%d.json", kind, *seed, i), string(text))
					}
				}
			}
		})
	}
}

// reducedJob makes a request simpler as long as it fails.
func reducedJob(j job, fails func(job) bool) job {
	for shrunk := true; shrunk; {
		shrunk = false
		for _, smaller := range j.smaller() {
			if fails(smaller) {
				j, shrunk = smaller, true
				break
			}
		}
	}
	return j
}

// A failing request becomes the simplest one that fails.
func TestReducedJob(t *testing.T) {
	j := drawJob(rand.New(rand.NewPCG(1, 2)), "push")
	j.Pairs = 5
	got := reducedJob(j, func(j job) bool { return j.Pairs >= 3 })
	if want := (job{Kind: "push", Method: j.Method, Preset: "default", Init: "0", Limit: j.Limit, Pairs: 3, Steps: 1}); got != want {
		t.Errorf("reduced to %+v, want %+v", got, want)
	}
}

// What does matter is found.
func TestChangesThatMatter(t *testing.T) {
	for _, kind := range []string{"push", "toy"} {
		j := drawJob(rand.New(rand.NewPCG(1, 4)), kind)
		if err := j.breaks(t, func(_ *rand.Rand, j job) job { j.Seed++; return j }, 0); err == nil {
			t.Errorf("%s: another seed gives the same samples", kind)
		}
	}
}
