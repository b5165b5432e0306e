package plan

import (
	"context"
	"testing"
)

// plenty is more memory than any search of a test takes.
const plenty = 1 << 40

// A search over nodes ends when these would take more memory than they may.
func TestNodesKeepToTheirRoom(t *testing.T) {
	s := newSearch(teamOfEqual(2), duel(), MMDCBS, SearchOptions{TimeLimit: -1})
	s.room.Left = 10000
	n, err := s.run(context.Background(), MMDCBS)
	if err != nil || n == nil || s.report.Status != MemoryLimit || s.report.Conflicts != len(n.conflicts) {
		t.Errorf("%+v, node %v, error %v, want the memory limit", s.report, n != nil, err)
	}
}

// A run that is short of memory goes on with the steps that need little, is never certified
// for that, and says so.
func TestRunsKeepToTheirMemory(t *testing.T) {
	team, _ := crossed(t, 5)
	short := delivered(t, team, Options{Seed: 1, Samples: 1, Memory: 4096})
	if !short.ShortOfMemory || short.Certificate.Certified {
		t.Errorf("with 4 kB: short of memory %v, certified %v", short.ShortOfMemory, short.Certificate.Certified)
	}
	if d := delivered(t, team, Options{Seed: 1, Samples: 1, Memory: 1 << 30}); d.ShortOfMemory || !d.Certificate.Certified {
		t.Errorf("with a GiB: short of memory %v, certified %v", d.ShortOfMemory, d.Certificate.Certified)
	}
	if (Options{}).MemoryBudget() < MinMemory {
		t.Errorf("the default is %d bytes", (Options{}).MemoryBudget())
	}
}
