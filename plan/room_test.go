package plan

import (
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// plenty is more memory than any search of a test takes.
const plenty = 1 << 40

// A run that is short of memory goes on with the steps that need little, is never certified
// for that, and says so. [TestDeliveryInACrossOfFive] has the same team with enough of it.
func TestRunsKeepToTheirMemory(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team, _ := crossed(t, 5)
	short := delivered(t, team, Options{Seed: 1, Samples: 1, Memory: 4096})
	if !short.ShortOfMemory || short.Certificate.Certified {
		t.Errorf("with 4 kB: short of memory %v, certified %v", short.ShortOfMemory, short.Certificate.Certified)
	}
	if (Options{}).MemoryBudget() < MinMemory {
		t.Errorf("the default is %d bytes", (Options{}).MemoryBudget())
	}
}
