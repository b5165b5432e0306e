package hasten

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
)

// Where robots are by a pace and when they are there say the same.
func TestPhasesAndTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for range 50 {
		law := make([]float64, cuts*(4+rng.IntN(40)))
		for k := range law {
			law[k] = 0.5 + 3*rng.Float64()
		}
		spans := float64(len(law) / cuts)
		phases := phasesOf(law)
		if len(phases) != int(spans)+1 || phases[0] != 0 {
			t.Fatalf("phases %v over %v spans", phases, spans)
		}
		for h, phase := range phases {
			whole := math.Floor(phase*cuts) / cuts // the time up to whole parts, and what is left at the pace of the next one
			at := timeOf(law, whole)
			if k := int(math.Round(whole * cuts)); k < len(law) {
				at += (phase - whole) / law[k]
			}
			if phase < spans && math.Abs(at-float64(h)) > 1e-6 {
				t.Errorf("at waypoint %d they are at %v, where they are at %v", h, phase, at)
			}
		}
	}
}

// A pace keeps the limits of a robot on its curve: its speed, and its acceleration along it.
func TestPaceKeepsLimits(t *testing.T) {
	var points []geom.Vec2
	for h := range 40 {
		s := (1 - math.Cos(math.Pi*float64(h)/39)) / 2
		points = append(points, geom.Vec2{X: 20 * s, Y: 3 * math.Sin(4*s)})
	}
	c := geom.NaturalSpline(points, 1, geom.Vec2{}, geom.Vec2{})
	r := separation.Robot{Radius: 0.3, Step: 2, Change: 0.5}
	p := newPace(c.Spans())
	p.add(r, c)
	law, ahead := p.law(), 0
	for k, w := range law {
		b, u := c.Span(k/cuts), (float64(k%cuts)+0.5)/cuts
		v, a := b.Velocity(u), b.Acceleration(u)
		if speed := v.Norm() * w; speed > r.Step {
			t.Errorf("part %d: speed %v of %v", k, speed, r.Step)
		}
		if k == 0 || w <= slowest || law[k-1] <= slowest {
			continue
		}
		grows := (w*w - law[k-1]*law[k-1]) / 2 * cuts // of the pace, per time
		if harder := a.Scale(w * w).Add(v.Scale(grows)).Norm(); harder > r.Change*1.1 {
			t.Errorf("part %d: acceleration %v of %v", k, harder, r.Change)
		}
		if w > 1 {
			ahead++
		}
	}
	if ahead == 0 || timeOf(law, float64(c.Spans())) >= float64(c.Spans()) {
		t.Errorf("nobody gets ahead: %v", law)
	}
}
