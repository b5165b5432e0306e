package pusht_test

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/experiment/pusht"
	"github.com/go-pcd/pcd/internal/push"
)

// A published row: projected and coupled by a barrier, judged on the estimate.
func ExamplePublished() {
	m, ok := pusht.Published(push.PublishedLimits[0], push.PCDLBPS)
	fmt.Println(ok, m.DTW.Mean, m.CS[0].Mean, m.TC[0].Mean)
	// Output: true 4.32 1 0.865
}
