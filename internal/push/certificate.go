package push

import (
	"math"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/pusht"
)

// Certificate says whether all executed plans keep the speed limit, judged in
// float64 on the stored actions in pixels and the observed places of the agents.
type Certificate struct {
	// Certified is true when the method has a limit and no step exceeds it.
	Certified bool `json:"certified"`
	// MaxViolation is by how much the worst step exceeds the limit, as a speed in
	// normalised units per hundredth of a second; 0 or less when certified.
	MaxViolation float64 `json:"max_violation"`
	// The pair, member and action of the worst step.
	Pair   Pair `json:"pair"`
	Member int  `json:"member"`
	Action int  `json:"action"`
}

// certify checks every step of every plan. It shares nothing with the projector:
// it reads the recording.
func certify(r *Result, action [2]dataset.Linear, o Options) Certificate {
	if !o.Method.Projected() {
		return Certificate{}
	}
	c := Certificate{MaxViolation: math.Inf(-1)}
	rec := r.Recording
	for i := range rec.Environments {
		for k := range min(rec.Chunks*rec.Chunk, rec.Steps) {
			if v := speedOf(rec, action[i/len(r.Pairs)], i, k) - o.VMax; !(v <= c.MaxViolation) {
				c.MaxViolation, c.Pair, c.Member, c.Action = v, r.Pairs[i%len(r.Pairs)], i/len(r.Pairs), k
			}
		}
	}
	c.Certified = rec.Chunks > 0 && c.MaxViolation <= 0
	return c
}

// speedOf returns the speed of action k of an environment in normalised units per
// hundredth of a second: from the action before, or from the observed place of the
// agent at the start of a plan.
func speedOf(rec *pusht.Recording, action dataset.Linear, environment, k int) float64 {
	to := rec.Actions[2*(environment*rec.Steps+k):]
	var from []float32
	if k%rec.Chunk == 0 {
		chunks := len(rec.Observations) / rec.Environments / conditionSize
		seen := rec.Observations[(environment*chunks+k/rec.Chunk)*conditionSize:]
		from = seen[conditionSize-2 : conditionSize]
	} else {
		from = rec.Actions[2*(environment*rec.Steps+k-1):]
	}
	dx := (float64(to[0]) - float64(from[0])) * float64(action.Scale[0])
	dy := (float64(to[1]) - float64(from[1])) * float64(action.Scale[1])
	return math.Sqrt(dx*dx+dy*dy) / SpeedStep
}
