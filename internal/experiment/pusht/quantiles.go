package pusht

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/push"
)

// SpeedQuantile compares a quantile of the speeds of the unguided policy with the
// published one, which is a limit of the published tables.
type SpeedQuantile struct {
	Share     float64 `json:"share"`
	Ours      float64 `json:"ours"`
	Published float64 `json:"published"`
}

// limitShares are the quantiles that the published limits are, in their order.
var limitShares = []float64{0.80, 0.90, 0.95}

// quantiles returns the quantiles of the unguided policy; nil without a cell of it.
func quantiles(results map[string]*CellResult) []SpeedQuantile {
	r, ok := results[Cell{Method: push.DP}.Name()]
	if !ok {
		return nil
	}
	var out []SpeedQuantile
	for i, share := range limitShares {
		out = append(out, SpeedQuantile{share, r.Speeds.Quantile(share), push.PublishedLimits[i]})
	}
	return out
}

// footer is the line below the tables.
func footer(quantiles []SpeedQuantile) string {
	var parts []string
	for _, q := range quantiles {
		parts = append(parts, fmt.Sprintf("%.0f %% below %.1f (%.1f)", 100*q.Share, q.Ours, q.Published))
	}
	if parts == nil {
		return "\n"
	}
	return "\nSpeeds of the unguided policy, ours (published): " + strings.Join(parts, ", ") + "\n"
}
