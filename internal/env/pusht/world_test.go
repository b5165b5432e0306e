package pusht_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
)

func at(x, y, blockX, blockY, angle float64) pusht.State {
	return pusht.StateOf([5]float64{x, y, blockX, blockY, angle})
}

// The controller is critically damped: from rest it covers these parts of the way
// to a fixed target.
func TestAgentApproachesTarget(t *testing.T) {
	w := placed(t, at(100, 100, 400, 300, 0))
	for i, want := range []float64{0.295672, 0.615911, 0.807619, 0.907002, 0.955765} {
		step(t, w, 200, 50)
		p := w.State().Agent
		if got := (p.X - 100) / 100; math.Abs(got-want) > 5e-7 {
			t.Errorf("part of the way after %d actions = %v, want %v", i+1, got, want)
		}
		if got := (100 - p.Y) / 50; math.Abs(got-want) > 5e-7 {
			t.Errorf("part of the way in y after %d actions = %v, want %v", i+1, got, want)
		}
	}
}

// Behind a target that runs ahead by a constant step the agent stays 1.45741 steps
// back.
func TestAgentLag(t *testing.T) {
	w := placed(t, at(100, 100, 400, 300, 0))
	x := 100.0
	for range 40 {
		x += 3
		step(t, w, x, 100)
	}
	if got := (x - w.State().Agent.X) / 3; math.Abs(got-1.45741) > 5e-6 {
		t.Errorf("lag = %v steps, want 1.45741", got)
	}
}

// A push along the line to the centre of gravity does not turn the block, and
// leaves the surfaces in contact.
func TestCentralPush(t *testing.T) {
	w := placed(t, at(256, 180, 256, 220, 0))
	for i := range 30 {
		step(t, w, 256, 180+4*float64(i))
	}
	s := w.State()
	if math.Abs(s.Block.Angle) > 1e-12 || math.Abs(s.Block.Position.X-256) > 1e-10 {
		t.Errorf("block turned or left the line: %+v", s.Block)
	}
	if gap := s.Block.Position.Y - s.Agent.Y; math.Abs(gap-15) > 0.11 {
		t.Errorf("agent is %v px from the edge it pushes, want its radius of 15 to the slop of 0.1", gap)
	}
	for range 10 { // the agent comes to rest; nothing glides
		step(t, w, s.Agent.X, s.Agent.Y)
	}
	if v, turning := w.BlockVelocity(); v.Norm() > 1e-3 || math.Abs(turning) > 1e-5 {
		t.Errorf("block still moves: %v, %v", v, turning)
	}
}

// The world has a mirror: x to 511 - x maps it onto itself.
func TestMirror(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for k := range 20 {
		start := at(60+390*r.Float64(), 60+390*r.Float64(), 150+200*r.Float64(), 150+200*r.Float64(), 6*r.Float64())
		w, m := placed(t, start), placed(t, mirrored(start))
		x, y := start.Agent.X, start.Agent.Y
		for range 12 { // afterwards rounding shows in squeezes
			x, y = x+16*(r.Float64()-0.5)+0.1*(256-x), y+16*(r.Float64()-0.5)+0.1*(256-y)
			step(t, w, x, y)
			step(t, m, 511-x, y)
		}
		a, b := mirrored(m.State()).Array(), w.State().Array()
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-6 {
				t.Errorf("case %d: mirrored state %v, want %v", k, a, b)
				break
			}
		}
	}
}

func mirrored(s pusht.State) pusht.State {
	s.Agent.X = 511 - s.Agent.X
	s.Block.Position.X = 511 - s.Block.Position.X
	s.Block.Angle = -s.Block.Angle
	return s
}

func TestBadInput(t *testing.T) {
	w := pusht.NewWorld()
	before := w.State()
	for _, s := range []pusht.State{
		at(math.NaN(), 1, 1, 1, 0), at(1, -0.5, 1, 1, 0), at(1, 1, 512.5, 1, 0),
		at(1, 1, 1, math.Inf(1), 0), at(1, 1, 1, 1, math.Inf(-1)),
	} {
		var bad *pusht.StateError
		if err := w.Place(s); !errors.As(err, &bad) {
			t.Errorf("Place(%v) = %v, want a StateError", s, err)
		}
		if err := w.PlaceLegacy(s); !errors.As(err, &bad) {
			t.Errorf("PlaceLegacy(%v) = %v, want a StateError", s, err)
		}
	}
	for _, p := range []geom.Vec2{{X: math.NaN()}, {Y: math.Inf(1)}, {X: 2e6}} {
		var bad *pusht.TargetError
		if err := w.Step(p); !errors.As(err, &bad) {
			t.Errorf("Step(%v) = %v, want a TargetError", p, err)
		}
	}
	if w.State() != before {
		t.Errorf("refused input changed the state to %v", w.State())
	}
}

func TestClearForgets(t *testing.T) {
	used, fresh := placed(t, at(250, 250, 260, 240, 1)), placed(t, at(300, 100, 256, 200, 0.3))
	step(t, used, 280, 300)
	used.Clear()
	if err := used.Place(at(300, 100, 256, 200, 0.3)); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		step(t, used, 256, 220)
		step(t, fresh, 256, 220)
	}
	if used.State() != fresh.State() {
		t.Errorf("a cleared world went to %v, a new one to %v", used.State(), fresh.State())
	}
}

func TestStepAllocatesNothing(t *testing.T) {
	w := placed(t, at(256, 180, 256, 220, 0.2))
	dst := make([]float64, pusht.ObservationSize)
	y := 180.0
	if n := testing.AllocsPerRun(100, func() {
		y += 3
		w.Step(geom.Vec2{X: 256, Y: y})
		w.Observe(dst)
		w.Coverage()
	}); n != 0 {
		t.Errorf("%v allocations per step", n)
	}
}

// Whatever the agent is told, the state stays finite.
func FuzzStep(f *testing.F) {
	f.Add(100.0, 100.0, 256.0, 256.0, 0.5, 400.0, 300.0, 200.0, 100.0)
	f.Add(5.0, 5.0, 0.0, 512.0, 1e300, -1e6, 1e6, 256.0, 256.0)
	f.Add(256.0, 256.0, 256.0, 256.0, 0.0, 256.0, 256.0, 256.0, 257.0)
	f.Fuzz(func(t *testing.T, x, y, blockX, blockY, angle, x1, y1, x2, y2 float64) {
		w := pusht.NewWorld()
		if w.Place(at(x, y, blockX, blockY, angle)) != nil {
			return
		}
		for range 3 {
			for _, p := range []geom.Vec2{{X: x1, Y: y1}, {X: x2, Y: y2}} {
				if w.Step(p) != nil {
					return
				}
			}
			for i, v := range w.State().Array() {
				if v-v != 0 {
					t.Fatalf("element %d of the state is %v", i, v)
				}
			}
			if c := w.Coverage(); !(c >= -1e-12 && c <= 1+1e-9) {
				t.Fatalf("coverage = %v", c)
			}
		}
	})
}

func ExampleWorld() {
	w := pusht.NewWorld()
	start := pusht.StateOf([5]float64{300, 250, 290, 240, 1})
	if err := w.Place(start); err != nil { // agent and block overlap
		fmt.Println(err)
		return
	}
	for range 10 {
		if err := w.Step(start.Agent); err != nil {
			fmt.Println(err)
			return
		}
	}
	b := w.State().Block
	fmt.Printf("pushed out to (%.2f, %.2f), angle %.3f\n", b.Position.X, b.Position.Y, b.Angle)
	fmt.Printf("coverage %.3f, reward %.3f\n", w.Coverage(), pusht.Reward(w.Coverage()))
	// Output:
	// pushed out to (281.48, 247.68), angle 1.047
	// coverage 0.442, reward 0.465
}

func BenchmarkStep(b *testing.B) {
	w := placed(b, at(300, 250, 290, 240, 1))
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		a := 0.1 * float64(i)
		w.Step(geom.Vec2{X: 256 + 150*math.Sin(a), Y: 256 + 150*math.Cos(0.7*a)})
	}
}

func BenchmarkCoverage(b *testing.B) {
	pose := at(0, 0, 260, 250, 1).Block
	b.ReportAllocs()
	for b.Loop() {
		pusht.Coverage(pose)
	}
}
