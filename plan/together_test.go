package plan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// checkTogether checks paths that were searched: ends, speeds, obstacles and each other.
func checkTogether(t *testing.T, team Team, paths [][]geom.Vec2) {
	t.Helper()
	for i, p := range paths {
		checkPath(t, team, i, p)
		for j := range i {
			if o := overlap(p, paths[j], team.Robots[i].Radius+team.Robots[j].Radius); o > 0 {
				t.Errorf("%s and %s overlap by %v", team.Robots[i].Name, team.Robots[j].Name, o)
			}
		}
		for _, m := range team.Traffic {
			if o := overlap(p, m.Path, team.Robots[i].Radius+m.Radius); o > 0 {
				t.Errorf("%s and %s overlap by %v", team.Robots[i].Name, m.Name, o)
			}
		}
	}
}

// packed returns a closed room with robots on a grid that change places at random.
func packed(t *testing.T, side int) (Team, [][]geom.Vec2) {
	room := []geom.Box{
		{Min: at(-1, -1), Max: at(-0.45, 1)}, {Min: at(0.45, -1), Max: at(1, 1)},
		{Min: at(-0.45, -1), Max: at(0.45, -0.45)}, {Min: at(-0.45, 0.45), Max: at(0.45, 1)},
	}
	to := rand.New(rand.NewPCG(2, 9)).Perm(side * side)
	place := func(k int) geom.Vec2 {
		pitch := 0.9 / float64(side)
		return at(-0.45+pitch*(float64(k%side)+0.5), -0.45+pitch*(float64(k/side)+0.5))
	}
	var ends [][2]geom.Vec2
	for i, k := range to {
		ends = append(ends, [2]geom.Vec2{place(i), place(k)})
	}
	return walled(t, 1.4, 0.05, room, ends...)
}

// Robots that fill a third of a room change places: one by one they find no ways.
func TestTogetherInAPackedRoom(t *testing.T) {
	team, paths := packed(t, 5)
	who := everybody(25)
	if team.stepAside(t.Context(), paths, who, plenty) != nil {
		t.Error("one by one they find ways too: this room proves nothing")
	}
	found, _ := team.moveTogether(t.Context(), paths, who, 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, team, found)
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

func TestTogetherInACross(t *testing.T) {
	team, paths := crossed(t, 4)
	found, _ := team.moveTogether(t.Context(), paths, everybody(4), 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, team, found)
	again, _ := team.moveTogether(t.Context(), paths, everybody(4), 1, plenty)
	for i := range found {
		for h, p := range found[i] {
			if again[i][h] != p {
				t.Fatalf("waypoint %d of %s is another one the second time", h, team.Robots[i].Name)
			}
		}
	}
}

// With five the first search finds ways that take too long. They are searched anew, and driven
// faster than a lattice of small steps lets robots move.
func TestDeliveryInACrossOfFive(t *testing.T) {
	team, paths := crossed(t, 5)
	c := team.newCrowd(paths, everybody(5), asideSpacings[1], &room{left: plenty})
	chain := c.search(t.Context(), togetherBudget, 1000, rand.New(rand.NewPCG(1, 1)))
	if _, inTime := team.shorten(t.Context(), c, chain, paths, everybody(5)); chain == nil || inTime {
		t.Errorf("%d configurations, in time %v: this cross proves nothing", len(chain), inTime)
	}
	d := delivered(t, team, Options{Seed: 1, Samples: 1})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	checkAtInstants(t, team, d)
}

// Two on a corridor without a bay have tried everything in the end.
func TestTogetherEnds(t *testing.T) {
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.08)}, {Min: at(-1, 0.08), Max: at(1, 1)}}
	team, paths := walled(t, 1.4, 0.05, boxes, [2]geom.Vec2{at(-0.8, 0), at(0.8, 0)}, [2]geom.Vec2{at(0.8, 0), at(-0.8, 0)})
	if found, _ := team.moveTogether(t.Context(), paths, everybody(2), 1, plenty); found != nil {
		t.Error("they pass each other where there is no bay")
	}
	c := team.newCrowd(paths, everybody(2), asideSpacings[0], &room{left: plenty})
	if c.search(t.Context(), 1e7, 1000, rand.New(rand.NewPCG(1, 1))) != nil || c.checks >= 1e7 {
		t.Errorf("%d checks, want all configurations seen in fewer than 1e7", c.checks)
	}
}

// A crowd keeps away from those who do not belong to it and from traffic, also while it
// arrives early.
func TestTogetherAmongOthers(t *testing.T) {
	team, paths := walled(t, 1.6, 0.05, nil, [2]geom.Vec2{at(-0.6, 0), at(0.6, 0)}, [2]geom.Vec2{at(0.6, 0), at(-0.6, 0)}, [2]geom.Vec2{at(0.05, -0.8), at(0.05, 0.8)})
	mover := Mover{Name: "tram", Radius: 0.1}
	for h := range 64 {
		mover.Path = append(mover.Path, at(math.Max(-0.9, 0.9-0.04*float64(h)), 0.3))
	}
	team.Traffic = []Mover{mover}
	paths[2] = team.travel(paths, []bool{false, false, false}, 2, team.roadmapOf(paths[2], 2, 1, 2), 2, 0)
	if paths[2] == nil {
		t.Fatal("the third has no way by itself")
	}
	found, _ := team.moveTogether(t.Context(), paths, []int{0, 1}, 1, plenty)
	if found == nil {
		t.Fatal("no ways")
	}
	checkTogether(t, team, found)
	for h, p := range found[2] {
		if p != paths[2][h] {
			t.Fatalf("waypoint %d of the third moved", h)
		}
	}
}

// A door that is hardly wider than a robot, off every line of the lattice, is found.
func TestRoadmapThroughANarrowDoor(t *testing.T) {
	for k := range 5 {
		y := 0.13 + 0.0117*float64(k)
		wall := []geom.Box{{Min: at(-0.05, -1), Max: at(0.05, y-0.062)}, {Min: at(-0.05, y+0.062), Max: at(0.05, 1)}}
		team, paths := walled(t, 2.2, 0.05, wall, [2]geom.Vec2{at(-0.5, -0.3), at(0.5, 0)}, [2]geom.Vec2{at(0.5, 0.3), at(-0.5, 0.2)})
		found := team.stepAside(t.Context(), paths, everybody(2), plenty)
		if found == nil {
			t.Fatalf("no way through a door at %v", y)
		}
		checkTogether(t, team, found)
	}
}

// Two at the end of a corridor change their order: both go to the bay and back. No other
// step of the ladder delivers that.
func TestDeliveryOfAChangeOfOrder(t *testing.T) {
	boxes := []geom.Box{{Min: at(-1, -1), Max: at(1, -0.06)}, {Min: at(-1, 0.06), Max: at(0.01, 1)}, {Min: at(0.19, 0.06), Max: at(1, 1)}, {Min: at(0.01, 0.28), Max: at(0.19, 1)}}
	team, paths := walled(t, 2.5, 0.05, boxes, [2]geom.Vec2{at(-0.9, 0), at(-0.7, 0)}, [2]geom.Vec2{at(-0.7, 0), at(-0.9, 0)})
	if team.stepAside(t.Context(), paths, everybody(2), plenty) != nil {
		t.Error("one by one they find ways too: this corridor proves nothing")
	}
	d := delivered(t, team, Options{Seed: 1, Samples: 1})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	checkAtInstants(t, team, d)
	if last := d.Changes[len(d.Changes)-1]; last.Kind != Searched || len(last.Robots) != 2 {
		t.Errorf("changes %v, want both robots on searched ways", d.Changes)
	}
}

// Three that stand in a row in another order: of all steps only the search of all ways
// together helps. What is said of a robot is what its path is in the end.
func TestDeliveryOfTheShuntingExample(t *testing.T) {
	team := exampleTeam(t, "shunting")
	d := delivered(t, team, Options{Seed: 0, Samples: 1})
	if !d.Certificate.Certified {
		t.Fatalf("not certified: %+v", d.Certificate.Worst())
	}
	paths := make([][]geom.Vec2, len(team.Robots))
	for i, x := range d.Trajectories {
		paths[i] = team.way(x.Sample(0))
	}
	if team.stepAside(t.Context(), paths, everybody(3), plenty) != nil {
		t.Error("one by one they find ways too: this scene proves nothing")
	}
	want := []Change{{Kind: Moved}, {Kind: Searched, Robots: []string{"ada", "bob", "cleo"}}}
	if !reflect.DeepEqual(d.Changes, want) {
		t.Errorf("changes %v, want %v", d.Changes, want)
	}
}
