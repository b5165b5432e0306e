package teams

import "github.com/go-pcd/pcd/internal/settings"

// The numbers of an evaluation: what its check, the flags and their help read.
var (
	SpecRobots        = settings.Number{Name: "robots", Low: 2, High: mostRobots, Whole: true, Help: "numbers of robots; they shrink from 24 on"}
	SpecTrials        = settings.Number{Name: "trials", Low: 1, High: mostTrials, Whole: true, Help: "trials per cell"}
	SpecSamples       = settings.Number{Name: "samples", Low: 1, High: mostSamples, Whole: true}
	SpecSearchSamples = settings.Number{Name: "search-samples", Low: 1, High: mostSamples, Whole: true, Help: "samples of one robot, of methods that search"}
)
