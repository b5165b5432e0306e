package pusht_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/golden"
)

func stateOf(a []float64) pusht.State { return pusht.StateOf([5]float64(a)) }

func placed(t testing.TB, s pusht.State) *pusht.World {
	t.Helper()
	w := pusht.NewWorld()
	if err := w.Place(s); err != nil {
		t.Fatal(err)
	}
	return w
}

func step(t testing.TB, w *pusht.World, x, y float64) {
	t.Helper()
	if err := w.Step(geom.Vec2{X: x, Y: y}); err != nil {
		t.Fatal(err)
	}
}

// The whole rollouts agree, not only their parts with one contact at a time,
// because contacts are solved in the order of the reference.
func TestRollouts(t *testing.T) {
	a := golden.Open(t, "testdata/rollouts.npz")
	for k := range 20 {
		t.Run(fmt.Sprint(k), func(t *testing.T) {
			get := func(name string) []float64 { return a.Float64(fmt.Sprintf("%s_%d", name, k)) }
			actions, coverage, done := get("actions"), get("coverage"), get("done")
			w := placed(t, stateOf(get("init")))
			golden.Close(t, "first observation", w.Observe(nil), get("obs_first"), 1e-9, 0)
			got := pushed(w.State(), nil)
			var covered []float64
			for i := range coverage {
				step(t, w, actions[2*i], actions[2*i+1])
				got = pushed(w.State(), got)
				covered = append(covered, w.Coverage())
				if pusht.Done(w.Coverage()) != (done[i] == 1) {
					t.Errorf("step %d: done = %v with coverage %v", i, done[i] == 0, w.Coverage())
				}
			}
			golden.Close(t, "states", got, get("states"), 1e-10, 0)
			golden.Close(t, "coverage", covered, coverage, 1e-10, 0)
			golden.Close(t, "last observation", w.Observe(nil), get("obs_last"), 1e-9, 0)
		})
	}
}

func pushed(s pusht.State, to []float64) []float64 {
	a := s.Array()
	return append(to, a[:]...)
}

// Squeezes amplify rounding, which is why the tolerance is wider here.
func TestSqueezes(t *testing.T) {
	a := golden.Open(t, "testdata/chipmunk.npz")
	reset, legacy, start := a.Float64("reset"), a.Ints("legacy"), a.Float64("start")
	targets, states, touching := a.Float64("targets"), a.Float64("states"), a.Ints("touching")
	velocity := a.Float64("velocity")
	steps := a.Shape("states")[1] - 1
	several := 0
	for k, old := range legacy {
		w := pusht.NewWorld()
		place := w.Place
		if old == 1 {
			place = w.PlaceLegacy
		}
		if err := place(stateOf(reset[5*k : 5*k+5])); err != nil {
			t.Fatal(err)
		}
		if err := w.Place(stateOf(start[5*k : 5*k+5])); err != nil {
			t.Fatal(err)
		}
		got := pushed(w.State(), nil)
		speeds := speed(w, nil)
		for i := range steps {
			at := 2 * (k*steps + i)
			step(t, w, targets[at], targets[at+1])
			got, speeds = pushed(w.State(), got), speed(w, speeds)
			if touching[k*(steps+1)+i+1] > 1 {
				several++
			}
		}
		n := steps + 1
		golden.Close(t, fmt.Sprintf("rollout %d", k), got, states[k*n*5:(k+1)*n*5], 1e-8, 0)
		golden.Close(t, fmt.Sprintf("velocity in rollout %d", k), speeds, velocity[k*n*2:(k+1)*n*2], 1e-6, 0)
	}
	if several < 400 {
		t.Errorf("only %d steps with several touching pairs", several)
	}
}

func speed(w *pusht.World, to []float64) []float64 {
	v, _ := w.BlockVelocity()
	return append(to, v.X, v.Y)
}

func TestPublishedRollouts(t *testing.T) {
	base := func(i int) (x, y float64) {
		f, after := float64(min(i, 20)), 0.2*float64(max(i-20, 0))
		return 85 + 215*f/20 + 60*math.Sin(after), 359 - 129*f/20 - 60*(1-math.Cos(after))
	}
	for _, c := range []struct {
		name   string
		start  [5]float64
		action func(i int) (x, y float64)
		want   map[int][5]float64 // by number of actions
	}{
		{"push and slide", [5]float64{85, 359, 296, 231, 2.2531371815723604}, base, map[int][5]float64{
			10: {166.103322905, 310.338006257, 296, 231, 2.253137181572},
			16: {230.583023960, 271.650185624, 296.834458306, 229.971496502, 2.246591160354},
			20: {273.582816963, 245.850309822, 323.737413184, 185.934333087, 1.980899149733},
			40: {279.031029060, 116.529453862, 267.222738420, 131.158918401, 1.330421759843},
			60: {354.172884164, 189.081317632, 220.999402242, 145.644707101, 1.367239089913},
		}},
		{"into a wall", [5]float64{256, 400, 256, 200, 0.3}, func(i int) (x, y float64) { return 256 - 3*float64(i), 400 - 12*float64(i) }, map[int][5]float64{
			10: {233.366514538, 309.466058153, 257.236915402, 196.084480023, 0.466146355334},
			20: {203.372237127, 189.488948506, 218.878435015, 137.749439013, 0.880146001854},
			30: {173.372240053, 69.488960214, 153.344884355, 19.366821433, 0.209267298945},
		}},
		{"overlap", [5]float64{300, 250, 290, 240, 1}, func(int) (x, y float64) { return 300, 250 }, map[int][5]float64{
			1:  {300, 250, 286.099330451, 243.684069919, 1.023299069610},
			5:  {300, 250, 281.842620821, 247.380096056, 1.045532048326},
			10: {300, 250, 281.481229729, 247.679968209, 1.047279191881},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := placed(t, pusht.StateOf(c.start))
			for i := range 60 {
				x, y := c.action(i)
				step(t, w, x, y)
				if want, ok := c.want[i+1]; ok {
					golden.Close(t, fmt.Sprintf("after %d actions", i+1), pushed(w.State(), nil), want[:], 1e-8, 0)
				}
			}
		})
	}
}
