package planner

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// siteAt returns a scene of twelve by eight metres whose lower left corner is at a point: a
// robot begins and another ends at the border, traffic turns between waypoints.
func siteAt(east, north float64) string {
	at := func(x, y float64) string {
		return fmt.Sprintf("[%v, %v]", east+x, north+y)
	}
	return strings.Join([]string{
		"units: m", "duration: 20", "margin: 0.02",
		fmt.Sprintf("bounds: {min: %s, max: %s}", at(0, 0), at(12, 8)),
		fmt.Sprintf("boxes: [{center: %s, size: [1, 2], angle: 30}]", at(6, 4)),
		fmt.Sprintf("circles: [{center: %s, radius: 0.5}]", at(3, 6.25)),
		fmt.Sprintf("polygons: [{points: [%s, %s, %s]}]", at(9, 1), at(10, 1.5), at(9, 2)),
		fmt.Sprintf("traffic: [{name: van, radius: 0.3, path: [[0.3, %s], [7.1, %s], [15, %s]]}]",
			strings.Trim(at(1, 7), "[]"), strings.Trim(at(6, 7.25), "[]"), strings.Trim(at(11, 7), "[]")),
		"robots:",
		fmt.Sprintf("- {name: ada, start: %s, goal: %s, radius: 0.3, speed: 1.5, acceleration: 1}", at(0.3, 4), at(11, 4)),
		fmt.Sprintf("- {name: bo, start: %s, goal: %s, radius: 0.25, speed: 1.5, acceleration: 1}", at(11, 5), at(0.25, 5)),
		fmt.Sprintf("- {name: cy, start: %s, goal: %s, radius: 0.3, speed: 2}", at(6, 1), at(6.5, 6.25)),
	}, "\n") + "\n"
}

// Wherever on a map projection a workspace lies, what is written of its plan is what is
// certified: for a second judge in rationals and for the documented programs, which read the
// file in float64.
func TestPlansHoldAnywhereOnEarth(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	t.Parallel()
	places := [][2]float64{{500_000, 5_000_000}, {-200_000.125, 10_000_000}, {1234.5, -1000}, {0, 0}}
	for _, motion := range plan.Motions() {
		for _, place := range thorough.Part(places, 1) {
			t.Run(fmt.Sprint(motion, place), func(t *testing.T) {
				text := siteAt(place[0], place[1])
				o := planned(t, PlanRequest{Task: "site", Scene: &text, Motion: string(motion)})
				if o.Verdict != nil {
					t.Fatal(o.Verdict)
				}
				data, err := json.Marshal(o.Summary)
				if err != nil {
					t.Fatal(err)
				}
				f := parsed(t, data)
				if err := errors.Join(append(documentedChecks(t, [][]byte{data}), f.check())...); err != nil {
					t.Error(err)
				}
				checkPlaces(t, f, place)
				checkArrays(t, o.Arrays, place)
			})
		}
	}
}

// checkPlaces checks that the file speaks of the places and sizes of the scene.
func checkPlaces(t *testing.T, f *planFile, place [2]float64) {
	t.Helper()
	p := f.Plan.Proof
	if b := p.Border; b[0] != place || b[1] != [2]float64{place[0] + 12, place[1] + 8} {
		t.Errorf("the border is %v", b)
	}
	if first := p.Traffic[0].Path[0]; first != [2]float64{place[0] + 1, place[1] + 7} {
		t.Errorf("the van begins at %v", first)
	}
	ways := f.Plan.Trajectories
	for name, want := range map[string][2]float64{"ada": {11, 4}, "bo": {0.25, 5}, "cy": {6.5, 6.25}} {
		end := ways[name][len(ways[name])-1]
		if math.Hypot(end[0]-place[0]-want[0], end[1]-place[1]-want[1]) > 2e-6 {
			t.Errorf("%s ends at %v", name, end[:2])
		}
	}
	for i, r := range p.Robots {
		if r.Inset < f.Robots[i].Radius-1e-5 {
			t.Errorf("%s keeps %v from the border", f.Robots[i].Name, r.Inset)
		}
	}
}

// checkArrays checks that the samples, added to their origin, begin where the scene says.
func checkArrays(t *testing.T, arrays []dataset.Array, place [2]float64) {
	t.Helper()
	origin, starts, x := arrayOf[float64](t, arrays, "origin"), arrayOf[float32](t, arrays, "starts"), arrayOf[float32](t, arrays, "trajectories")
	for c, want := range [2]float64{place[0] + 0.3, place[1] + 4} {
		for _, stored := range [2]float32{starts[c], x[c]} {
			if got := origin[c] + float64(stored); math.Abs(got-want) > 1e-6 && place != [2]float64{} {
				t.Errorf("coordinate %d of the first start is %v, want %v", c, got, want)
			}
		}
	}
}

func arrayOf[T dataset.Element](t *testing.T, arrays []dataset.Array, name string) []T {
	t.Helper()
	k := slices.IndexFunc(arrays, func(a dataset.Array) bool { return a.Name == name })
	v, err := dataset.Values[T](arrays[k])
	if err != nil {
		t.Fatal(err)
	}
	return v
}
