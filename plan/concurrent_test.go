package plan

import (
	"sync"
	"testing"

	"github.com/go-pcd/pcd"
)

// TestConcurrentRunsOfOneProblem: runs of one problem share nothing that they write,
// also when its costs look at the whole batch. The race detector watches.
func TestConcurrentRunsOfOneProblem(t *testing.T) {
	p, err := pairOnEmpty(t).Problem(CDSHD, 0.4, settings(t, "mmd"))
	if err != nil {
		t.Fatal(err)
	}
	const runs = 3
	var results [2 * runs]*pcd.Result
	var wait sync.WaitGroup
	for i := range results {
		run := func() {
			r, err := pcd.Sample(t.Context(), p, pcd.Options{Samples: 3, Seed: uint64(i % runs), Workers: 2})
			if err != nil {
				t.Error(err)
			}
			results[i] = r
		}
		if i < runs {
			run() // one after the other
			continue
		}
		wait.Go(run)
	}
	wait.Wait()
	for i := range runs {
		for robot, x := range results[i].Samples {
			for k, v := range results[i+runs].Samples[robot].Data {
				if v != x.Data[k] {
					t.Fatalf("seed %d, robot %d: element %d is %v alone and %v beside others", i, robot, k, x.Data[k], v)
				}
			}
		}
	}
}
