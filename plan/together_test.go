package plan

import (
	"reflect"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
)

// With five the first search finds ways that take too long. They are searched anew, and driven
// faster than a lattice of small steps lets robots move.
func TestDeliveryInACrossOfFive(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team, _ := crossed(t, 5)
	d := delivered(t, team, Options{Seed: 1, Samples: 1, Memory: 1 << 30})
	if d.ShortOfMemory || !d.Certificate.Certified {
		t.Fatalf("with a GiB: short of memory %v, not certified: %+v", d.ShortOfMemory, d.Certificate.Worst())
	}
	checkAtInstants(t, team, d)
}

// Two at the end of a corridor change their order: both go to the bay and back. No other
// step of the ladder delivers that.
func TestDeliveryOfAChangeOfOrder(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.06)}, {Min: at(-1, 0.06), Max: at(0.01, 1)}, {Min: at(0.19, 0.06), Max: at(1, 1)}, {Min: at(0.01, 0.28), Max: at(0.19, 1)}}
	team, paths := walled(t, 2.5, 0.05, boxes, [2]geom.Vec2{at(-0.9, 0), at(-0.7, 0)}, [2]geom.Vec2{at(-0.7, 0), at(-0.9, 0)})
	if team.routes().StepAside(t.Context(), paths, everybody(2), plenty) != nil {
		t.Error("one by one they find ways too: this corridor proves nothing")
	}
	d := delivered(t, team, Options{Seed: 1, Samples: 1})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	checkAtInstants(t, team, d)
	changes := slices.DeleteFunc(slices.Clone(d.Changes), func(c Change) bool { return c.Kind == Hastened })
	if last := changes[len(changes)-1]; last.Kind != Searched || len(last.Robots) != 2 {
		t.Errorf("changes %v, want both robots on searched ways", d.Changes)
	}
}

// Three that stand in a row in another order: of all steps only the search of all ways
// together helps. What is said of a robot is what its path is in the end.
func TestDeliveryOfTheShuntingExample(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	team := exampleTeam(t, "shunting")
	d := delivered(t, team, Options{Seed: 0, Samples: 1})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	paths := make([][]geom.Vec2, len(team.Robots))
	for i, x := range d.Trajectories {
		paths[i] = team.way(x.Sample(0))
	}
	if team.routes().StepAside(t.Context(), paths, everybody(3), plenty) != nil {
		t.Error("one by one they find ways too: this scene proves nothing")
	}
	want := []Change{{Kind: Moved}, {Kind: Searched, Robots: []string{"ada", "bob", "cleo"}}, {Kind: Hastened}}
	if !reflect.DeepEqual(d.Changes, want) {
		t.Errorf("changes %v, want %v", d.Changes, want)
	}
}

// crossed returns robots in the four arms of crossing corridors, from 0.8 from the middle
// inwards, who change places with those opposite: they have to go into the corridors of
// others.
func crossed(t *testing.T, robots int) (Team, [][]geom.Vec2) {
	const w = 0.07
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(-w, -w)}, {Min: at(-1, w), Max: at(-w, 1)}, {Min: at(w, -1), Max: at(1, -w)}, {Min: at(w, w), Max: at(1, 1)}}
	var ends [][2]geom.Vec2
	for k := range robots {
		start := [4]geom.Vec2{at(1, 0), at(0, 1), at(-1, 0), at(0, -1)}[k%4].Scale(0.8 - 0.2*float64(k/4))
		ends = append(ends, [2]geom.Vec2{start, start.Scale(-1)})
	}
	return walled(t, 2.5, 0.05, boxes, ends...)
}
