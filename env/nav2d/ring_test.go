package nav2d

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func TestRingSwap(t *testing.T) {
	for _, n := range []int{2, 10, 20, 28, 64, 256} {
		trial, scale := RingSwap(n, 3)
		if len(trial.Starts) != n || len(trial.Goals) != n {
			t.Fatalf("%d robots: %d starts, %d goals", n, len(trial.Starts), len(trial.Goals))
		}
		for i, s := range trial.Starts {
			g := trial.Goals[i]
			across := geom.Vec2{X: math.Abs(s.X - g.X), Y: math.Abs(s.Y - g.Y)}
			if across != (geom.Vec2{X: 1.74}) && across != (geom.Vec2{Y: 1.74}) {
				t.Fatalf("robot %d of %d goes from %v to %v", i, n, s, g)
			}
		}
		apart := min(closest(trial.Starts), closest(trial.Goals)) / scale
		if n > 20 && apart < 0.15-1e-12 || scale > 1 || apart < 2*RobotRadius {
			t.Errorf("%d robots: %v apart at scale %v", n, apart, scale)
		}
	}
	a, _ := RingSwap(10, 1)
	b, _ := RingSwap(10, 2)
	if a.Starts[3] == b.Starts[3] {
		t.Error("two seeds give one ring")
	}
}

func TestCrowdTrials(t *testing.T) {
	for _, c := range []struct {
		robots int
		scale  float64
	}{{4, 1}, {16, 1}, {24, math.Sqrt(2.0 / 3)}, {64, 0.5}, {256, 0.25}} {
		if got := CrowdScale(c.robots); math.Abs(got-c.scale) > 1e-15 {
			t.Errorf("CrowdScale(%d) = %v, want %v", c.robots, got, c.scale)
		}
	}
	trials, err := ScaledTrials(Conveyor(), CrowdScale(64), 64, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		if d := min(closest(trial.Starts), closest(trial.Goals)); d <= 0.1 {
			t.Errorf("64 robots of radius 0.025 begin or end %v apart, want more than 0.1", d)
		}
	}
	same, err := ScaledTrials(Conveyor(), CrowdScale(4), 4, 1, PublishedSeed)
	if err != nil {
		t.Fatal(err)
	}
	published, err := Trials(Conveyor(), 4, 1, PublishedSeed)
	if err != nil {
		t.Fatal(err)
	}
	if same[0].Starts[2] != published[0].Starts[2] {
		t.Error("small teams are not drawn as published")
	}
}
