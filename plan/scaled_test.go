package plan

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
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
