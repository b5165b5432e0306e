package push

import (
	"fmt"

	"github.com/go-pcd/pcd/geom"
	pushmetric "github.com/go-pcd/pcd/internal/metric/pusht"
)

// Trajectories returns the pairs as the measures take them, in the order of Pairs.
func (r *Result) Trajectories() []pushmetric.Pair {
	out := make([]pushmetric.Pair, len(r.Pairs))
	for k := range out {
		for m := range out[k] {
			out[k][m] = r.trajectory(m*len(r.Pairs) + k)
		}
	}
	return out
}

func (r *Result) trajectory(environment int) (t pushmetric.Trajectory) {
	rec := r.Recording
	planned := min(rec.Chunks*rec.Chunk, rec.Steps)
	t.Rewards = rec.Rewards[environment*rec.Steps:][:max(planned, 1)]
	for k := range planned {
		a := rec.Actions[2*(environment*rec.Steps+k):]
		s := rec.States[5*(environment*(rec.Steps+1)+k):]
		t.Actions = append(t.Actions, geom.Vec2{X: float64(a[0]), Y: float64(a[1])})
		t.Agent = append(t.Agent, geom.Vec2{X: s[0], Y: s[1]})
	}
	return t
}

// Judge measures every pair against speed limits.
func (r *Result) Judge(limits []float64) ([]pushmetric.Sample, error) {
	var out []pushmetric.Sample
	for k, p := range r.Trajectories() {
		s, err := pushmetric.Judge(p, limits)
		if err != nil {
			return nil, fmt.Errorf("pair %d: %w", k, err)
		}
		out = append(out, s)
	}
	return out, nil
}
