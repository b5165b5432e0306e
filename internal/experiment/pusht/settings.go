package pusht

import "github.com/go-pcd/pcd/internal/settings"

// The numbers of an evaluation: what its check, the flags and their help read.
var (
	SpecConditions = settings.Number{Name: "conditions", Low: 1, High: mostConditions, Whole: true, Help: "initial conditions"}
	SpecPairs      = settings.Number{Name: "pairs", Low: 1, High: mostPairs, Whole: true, Help: "pairs per condition"}
)
