package toy

import "github.com/go-pcd/pcd/internal/settings"

// The numbers of an evaluation: what its check, the flags and their help read.
var (
	SpecSeeds   = settings.Number{Name: "seeds", Low: 1, High: 10_000, Whole: true, Help: "seeds per pair of groups"}
	SpecSamples = settings.Number{Name: "samples", Low: 2, High: MostPairs, Whole: true, Help: "samples per group"}
	SpecGamma   = settings.Number{Name: "gamma", High: settings.Gamma.High, Help: "coupling strength"}
)
