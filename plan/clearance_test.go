package plan

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
)

// counting counts how often its distance is asked for.
type counting struct {
	geom.Solid
	calls *int
}

func (c counting) SignedDistance(p geom.Vec2) (float64, geom.Vec2) {
	*c.calls++
	return c.Solid.SignedDistance(p)
}

// plainClearance looks at every point.
func plainClearance(m *nav2d.Map, p []geom.Vec2) float64 {
	smallest, _ := m.Clearance(p[0])
	for h := 1; h < len(p); h++ {
		step := p[h].Sub(p[h-1])
		pieces := max(1, math.Ceil(step.Norm()/clearanceStep))
		for i := 1.0; i <= pieces; i++ {
			d, _ := m.Clearance(p[h-1].Add(step.Scale(i / pieces)))
			smallest = min(smallest, d-step.Norm()/pieces/2)
		}
	}
	return smallest
}

// Points that are passed over have no part in the clearance: it has the same bits.
func TestClearancePassesOverPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, m := range nav2d.Maps() {
		for range 200 {
			scale := math.Pow(10, 3*r.Float64()-2)
			way := []geom.Vec2{{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1}}
			for range 1 + r.IntN(20) {
				last := way[len(way)-1]
				way = append(way, last.Add(geom.Vec2{X: scale * r.NormFloat64(), Y: scale * r.NormFloat64()}))
			}
			way = append(way, way[len(way)-1])
			if got, want := (Team{Map: m}).clearance(way), plainClearance(m, way); got != want {
				t.Fatalf("%s: clearance of %v = %v, want %v", m.Name, way, got, want)
			}
		}
	}
}

// The cost of a way does not grow with its length without end, and its clearance is never
// too large.
func TestClearanceOfEndlessWays(t *testing.T) {
	calls := 0
	box := geom.Box{Min: geom.Vec2{X: -0.2, Y: -0.2}, Max: geom.Vec2{X: 0.2, Y: 0.2}}
	m := nav2d.NewMap("box", geom.Box{Min: geom.Vec2{X: -1, Y: -1}, Max: geom.Vec2{X: 1, Y: 1}}, geom.Union{counting{box, &calls}}, nil)
	for _, far := range []float64{1e2, 1e6, 1e20, 1e38} {
		calls = 0
		way := []geom.Vec2{{X: 0.5}, {X: -far, Y: far}, {X: far, Y: 0.5}, {X: -far, Y: 0.5}, {X: 0.5}}
		got := (Team{Map: m}).clearance(way)
		if got > 0.3-clearanceStep/2 && far <= 1e6 || math.IsNaN(got) {
			t.Errorf("clearance of a way to %g and back = %v, which is more than 0.3 less what is taken off", far, got)
		}
		if most := clearancePieces * len(way); calls > most {
			t.Errorf("%d points of a way to %g and back are looked at, want at most %d", calls, far, most)
		}
	}
}

// Positions that no map has are refused by value, with what to do.
func TestPositionsOutsideOfAllMaps(t *testing.T) {
	for _, c := range []struct {
		bound   string
		channel int
		value   float32
		good    bool
	}{{"min", 0, -1e6, false}, {"max", 1, 1e6, false}, {"min", 1, -1001, false}, {"max", 0, math.MaxFloat32 / 4, false}, {"min", 0, -1000, true}, {"max", 2, 1e6, true}} {
		s := tiny()
		map[string][]float32{"min": s.Limits.Min, "max": s.Limits.Max}[c.bound][c.channel] = c.value
		err := s.Check()
		var limits *LimitsError
		if c.good != (err == nil) || !c.good && (!errors.As(err, &limits) || limits.Value != c.value || limits.Channel != c.channel || limits.Bound != c.bound || !strings.Contains(err.Error(), "train again")) {
			t.Errorf("limits.%s[%d] = %v: %v, want an error: %v", c.bound, c.channel, c.value, err, !c.good)
		}
	}
}
