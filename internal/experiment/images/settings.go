package images

import (
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/settings"
)

// The numbers of evaluations and figures: what their checks, the flags and their help read.
// A batch of one pair has no diversity.
var (
	SpecExemplars = settings.Number{Name: "exemplars", Low: 2, High: pair.MaxExemplars, Whole: true, Help: "numbers of exemplars of each image"}
	SpecPairs     = settings.Number{Name: "pairs", Low: 2, High: mostPairs, Whole: true, Help: "pairs of a seed"}
	SpecSeeds     = settings.Number{Name: "seeds", Low: 1, High: mostSeeds, Whole: true, Help: "seeds"}
	SpecFloor     = settings.Number{Name: "collapse", High: settings.NoiseScale.High, Help: "factor of the noise of a further cell of sd-p, 0 for none"}
	SpecPoints    = settings.Number{Name: "points", Low: 2, High: 10_000, Whole: true}
	SpecDecoded   = settings.Number{Name: "points", Low: 2, High: 1000, Whole: true} // pictures take room
	SpecSamples   = settings.Number{Name: "samples", Low: 1, High: 10_000, Whole: true}
)
