package metric_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/metric"
)

// The rate of success over two trials of four samples: samples of a trial are alike,
// so its interval is wide.
func ExampleEstimateOf() {
	trials := [][]bool{{true, true, true, true}, {false, true, false, false}}
	e := metric.EstimateOf(trials, metric.Indicator)
	fmt.Printf("%.3f, within %.2f to %.2f\n", e.Mean, e.Interval.Lo, e.Interval.Hi)
	// Output: 0.625, within 0.12 to 0.95
}
