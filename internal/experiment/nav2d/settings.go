package nav2d

import "github.com/go-pcd/pcd/internal/settings"

// The numbers of evaluations and measurements: what their checks, the flags and their help
// read.
var (
	SpecRobots     = settings.Number{Name: "robots", Low: 1, High: mostRobots, Whole: true, Help: "numbers of robots"}
	SpecTrials     = settings.Number{Name: "trials", Low: 1, High: mostTrials, Whole: true, Help: "trials per cell"}
	SpecSamples    = settings.Number{Name: "samples", Low: 1, High: mostSamples, Whole: true, Help: "joint samples per trial"}
	SpecSteps      = settings.Number{Name: "sampling-steps", Low: 2, High: mostSteps, Whole: true, Help: "numbers of denoising steps (default: those of the preset)"}
	SpecReplans    = settings.Number{Name: "replans", Default: 100, Low: 1, High: mostTrials, Whole: true, Help: "with --replan: number of plans of each team"}
	SpecRate       = settings.Number{Name: "rate", Default: 10, Low: 1, High: 1000, Unit: "1/s", Help: "with --replan: plans per second of simulated time"}
	SpecContexts   = settings.Number{Name: "contexts", Low: 1, High: mostTrajectories, Whole: true}
	SpecPerContext = settings.Number{Name: "per-context", Low: 1, High: mostTrajectories, Whole: true}
)

// floats are whole numbers as rows compare them.
func floats(whole []int) (all []float64) {
	for _, n := range whole {
		all = append(all, float64(n))
	}
	return all
}
