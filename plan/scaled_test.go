package plan

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/metamorph/scenes"
	"github.com/go-pcd/pcd/internal/thorough"
)

var (
	scaledCases = flag.Int("scaled.cases", 8, "random scenes that are scaled")
	scaledSeed  = flag.Uint64("scaled.seed", 1, "seed of the scenes")
)

// No constant of planning has a unit of length: a scene that is larger by a power of two has the
// same plan, larger, to the last bit, where knots are rounded to binary digits. Decimals are other
// numbers in another scene; there knots differ by a rounding, repairs go on from it, and the plans
// for this scene and for one twice as large, both certified, are 5e-5 apart in places.
func TestPlansScaleWithTheirScene(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestDeliveryDoesNotDependOnWorkers")
	}
	const scene = `
bounds: {min: [-5, -5], max: [5, 5]}
margin: 0.0625
circles:
  - {center: [-0.625, -1.0625], radius: 0.1875}
  - {center: [-1.5625, 0.1875], radius: 0.4375}
robots:
  - {start: [-2.8125, 2.75], goal: [2.5625, 3.6875], radius: 0.4375}
  - {start: [-3.3125, -1.6875], goal: [-3.3125, -0.5625], radius: 0.3125, speed: 1.75}
  - {start: [1.375, -2.625], goal: [0.5, 1.625], radius: 0.375, speed: 1.5}
  - {start: [0.5, 1.4375], goal: [2, -0.9375], radius: 0.5, speed: 1.25, acceleration: 1}
`
	plan := func(scale float64, binary bool) *Plan {
		larger := regexp.MustCompile(`-?\d+(\.\d+)?`).ReplaceAllStringFunc(scene, func(n string) string {
			x, err := strconv.ParseFloat(n, 64)
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(x * scale)
		})
		team := teamOf(t, strings.NewReader("model: empty\nduration: 20\n"+larger))
		team.binary = binary
		r, err := Run(t.Context(), team, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Plan == nil {
			t.Fatalf("no plan for the scene %g times as large", scale)
		}
		return r.Plan
	}
	apart := func(a, b *Plan, scale float64) (n int) {
		for i, x := range a.Trajectories {
			for j, v := range x.Data {
				if b.Trajectories[i].Data[j] != v*float32(scale) {
					n++
				}
			}
		}
		return n
	}
	one := plan(1, true)
	for _, scale := range []float64{2, 1. / 16} {
		if n := apart(one, plan(scale, true), scale); n > 0 {
			t.Errorf("%d numbers of the plan for a scene %g times as large are not those of the plan, %[2]g times as large", n, scale)
		}
	}
	if apart(plan(1, false), plan(2, false), 2) == 0 {
		t.Error("decimals make no difference: the tests of relations can want the bits, too")
	}
}

// So have random scenes, of robots that turn or may be late as well, whatever is preferred, and so have slower ones: no
// constant has a unit of time either.
func TestRandomPlansScaleWithTheirScenes(t *testing.T) {
	thorough.Test(t)
	t.Parallel()
	r := rand.New(rand.NewPCG(*scaledSeed, 21))
	certified := 0
	for k := range *scaledCases {
		s := scenes.Draw(r).Turning(r)
		prefer := []Preference{PreferPattern, PreferLength, PreferClearance, PreferTime}[r.IntN(4)]
		s.Motion = "curve"
		one := inBinary(t, s, prefer)
		if one != nil && one.Certificate.Certified {
			certified++
		}
		for _, by := range []struct{ size, time float64 }{{2, 1}, {1. / 16, 1}, {1, 2}, {1, 1. / 8}} {
			other := func(s scenes.Scene) *Plan { return inBinary(t, s.Scaled(by.size).Slowed(by.time), prefer) }
			if err := scaledBy(one, other(s), by.size, by.time); err != nil {
				small := scenes.Reduced(s, func(s scenes.Scene) bool { return scaledBy(inBinary(t, s, prefer), other(s), by.size, by.time) != nil })
				t.Errorf("case %d of seed %d, %s, %g times as large, %g times as slow: %v\n%s", k, *scaledSeed, prefer, by.size, by.time, err, small.Text())
			}
		}
	}
	if certified == 0 {
		t.Error("no scene has a plan: this proves nothing")
	}
}

// inBinary returns the plan for a scene, or what comes nearest, with knots in binary digits; nil where it is refused.
func inBinary(t *testing.T, s scenes.Scene, prefer Preference) *Plan {
	t.Helper()
	team := teamOf(t, strings.NewReader(s.Text()))
	team.binary = true
	r, err := Run(t.Context(), team, Options{Prefer: prefer})
	if err != nil {
		return nil
	}
	return r.Nearest()
}

// scaledBy returns what of a plan is not as in another one, larger and slower.
func scaledBy(a, b *Plan, size, time float64) error {
	if a == nil && b == nil {
		return nil
	}
	if a == nil || b == nil {
		return fmt.Errorf("a plan %v, and %v", a != nil, b != nil)
	}
	if a.Certificate.Certified != b.Certificate.Certified || fmt.Sprint(a.Changes) != fmt.Sprint(b.Changes) {
		return fmt.Errorf("certified %v and %v, changes %+v and %+v", a.Certificate.Certified, b.Certificate.Certified, a.Changes, b.Changes)
	}
	if x, y := a.Certificate.Worst(), b.Certificate.Worst(); x.Constraint != y.Constraint || x.Robot != y.Robot || a.Certificate.violation*size != b.Certificate.violation {
		return fmt.Errorf("by %v worst is the %s of %s, and by %v the %s of %s", a.Certificate.violation, x.Constraint, x.Robot, b.Certificate.violation, y.Constraint, y.Robot)
	}
	for h, at := range a.Times {
		if at*time != b.Times[h] {
			return fmt.Errorf("waypoint %d is at %v s, and at %v s", h, at, b.Times[h])
		}
	}
	for i, c := range a.Curves {
		for h := range c.X {
			if c.X[h].Scale(size) != b.Curves[i].X[h] || c.V[h].Scale(size/time) != b.Curves[i].V[h] {
				return fmt.Errorf("knot %d of robot %d is at %v with %v, and at %v with %v", h, i, c.X[h], c.V[h], b.Curves[i].X[h], b.Curves[i].V[h])
			}
		}
	}
	return nil
}
