package metamorph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/metamorph/scenes"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// Samples are the same for any chunk, number of goroutines, number of samples and shard.
func TestProblems(t *testing.T) {
	for i := range *cases * 20 {
		r := rand.New(rand.NewPCG(*seed, 100+uint64(i)))
		p, err := drawProblem(r)
		if err != nil {
			t.Fatal(err)
		}
		if err := divided(t, p, 3+r.IntN(30), uint64(i), r); err != nil {
			t.Errorf("problem %d of seed %d: %v", i, *seed, err)
		}
	}
}

// So are those of teams of robots, by every method that samples.
func TestTeams(t *testing.T) {
	methods := slices.DeleteFunc(plan.Methods(), plan.Method.Searches)
	for i := range *cases {
		at := 700 + uint64(i)
		r := rand.New(rand.NewPCG(*seed, at))
		s, method, n := scenes.Draw(r), methods[r.IntN(len(methods))], 2+r.IntN(5)
		check := func(s scenes.Scene) error { return dividedTeam(t, s, method, n, at) }
		if err := check(s); err != nil {
			small := scenes.Reduced(s, func(s scenes.Scene) bool { return check(s) != nil })
			t.Errorf("case %d of seed %d, %d samples by %s: %v\n%s", i, *seed, n, method, err, small.Text())
			write(t, fmt.Sprintf("team-%d-%d.yaml", *seed, i), small.Text())
		}
	}
}

func dividedTeam(t *testing.T, s scenes.Scene, method plan.Method, n int, seed uint64) error {
	t.Helper()
	text := s.Text()
	task, err := planner.PlanRequest{Scene: &text, Method: string(method)}.Check()
	if err != nil || len(s.Robots) == 0 {
		return nil // refused before anything is drawn
	}
	team, o, err := plan.Complete(task.Team, task.Options)
	if err != nil {
		return err
	}
	p, err := team.Problem(o.Method, *o.Gamma, o.Settings)
	if err != nil {
		return err
	}
	return divided(t, p, n, seed, rand.New(rand.NewPCG(seed, 4)))
}

// divided draws n samples at once, and in ways that must not matter.
func divided(t *testing.T, p pcd.Problem, n int, seed uint64, r *rand.Rand) error {
	t.Helper()
	want := samples(t, p, pcd.Options{Samples: n, Seed: seed})
	for _, c := range []struct {
		name string
		o    pcd.Options
	}{
		{"chunks", pcd.Options{Samples: n, Seed: seed, ChunkSize: 1 + r.IntN(n)}},
		{"goroutines", pcd.Options{Samples: n, Seed: seed, Workers: 1 + r.IntN(7)}},
		{"more", pcd.Options{Samples: n + 1 + r.IntN(20), Seed: seed}},
		{"fewer", pcd.Options{Samples: 1 + r.IntN(n), Seed: seed}},
	} {
		if err := sameSamples(want, samples(t, p, c.o)); err != nil {
			return fmt.Errorf("%s: %w with %+v", c.name, err, c.o)
		}
	}
	first := 1 + r.IntN(n-1)
	var tail []tensor.Batch
	for _, x := range want {
		tail = append(tail, tensor.Batch{N: n - first, Shape: x.Shape, Data: x.Data[first*x.Shape.Size():]})
	}
	if err := sameSamples(tail, samples(t, p, pcd.Options{Samples: n - first, First: first, Seed: seed})); err != nil {
		return fmt.Errorf("a shard from sample %d: %w", first, err)
	}
	return nil
}

func samples(t *testing.T, p pcd.Problem, o pcd.Options) []tensor.Batch {
	t.Helper()
	r, err := pcd.Sample(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Certificate.MaxViolation > 0 { // without sets there is nothing to certify
		t.Errorf("a result is not certified: %+v", r.Certificate)
	}
	return r.Samples
}
