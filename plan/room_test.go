package plan

import (
	"context"
	"reflect"
	"testing"
)

// plenty is more memory than any search of a test takes.
const plenty = 1 << 40

// A search for all ways together ends when it would take more memory than it may, for
// roadmaps or for configurations, and says so.
func TestTogetherKeepsToItsRoom(t *testing.T) {
	team, paths := packed(t, 5)
	who := everybody(25)
	c := team.newCrowd(paths, who, asideSpacings[0], &room{left: plenty})
	roadmaps := plenty - c.room.left
	if team.newCrowd(paths, who, asideSpacings[0], &room{left: roadmaps}) == nil || team.newCrowd(paths, who, asideSpacings[0], &room{left: roadmaps - 1}) != nil {
		t.Errorf("roadmaps of %d bytes are not what the room decides", roadmaps)
	}
	for _, memory := range []int64{0, 1000, roadmaps, roadmaps + 2*25*placeBytes} {
		if found, full := team.moveTogether(t.Context(), paths, who, 1, memory); found != nil || !full {
			t.Errorf("%d bytes: ways %v, short of memory %v", memory, found != nil, full)
		}
	}
	if found, full := team.moveTogether(t.Context(), paths, who, 1, plenty); found == nil || full {
		t.Errorf("plenty: ways %v, short of memory %v", found != nil, full)
	}
}

// Where there is no room to keep roadmaps, they are made again, and ways are the same.
func TestStepAsideNeedsNoRoom(t *testing.T) {
	team, paths := crossed(t, 2)
	want := team.stepAside(t.Context(), paths, everybody(2), plenty)
	if got := team.stepAside(t.Context(), paths, everybody(2), 0); want == nil || !reflect.DeepEqual(got, want) {
		t.Errorf("ways without room for roadmaps are others than with it, or there are none (%v)", want == nil)
	}
}

// A search over nodes ends when these would take more memory than they may.
func TestNodesKeepToTheirRoom(t *testing.T) {
	s := newSearch(teamOfEqual(2), duel(), MMDCBS, SearchOptions{TimeLimit: -1})
	s.room.left = 10000
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
