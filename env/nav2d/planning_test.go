package nav2d

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func TestConnectsAgainstSampling(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	free := DropRegion().freeSpace(0.075)
	agree := 0
	for range 3000 {
		a, b := geom.Vec2{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1}, geom.Vec2{X: 2*r.Float64() - 1, Y: 2*r.Float64() - 1}
		if !free.contains(a) || !free.contains(b) {
			continue
		}
		lowest := math.Inf(1)
		for k := range 2001 {
			d, _ := free.obstacles.SignedDistance(a.Lerp(b, float64(k)/2000))
			lowest = min(lowest, d-free.margin)
		}
		got := free.connects(a, b)
		if got && lowest < -advanceTolerance || !got && lowest > 1e-6 {
			t.Errorf("connects(%v, %v) = %v with room %v", a, b, got, lowest)
		}
		agree++
	}
	if agree < 500 {
		t.Errorf("only %d segments tested", agree)
	}
}

func TestRRTConnectAndShortcut(t *testing.T) {
	for _, m := range Maps() {
		r := rand.New(rand.NewPCG(2, 2))
		free := m.freeSpace(m.PlanningMargin)
		for range 50 {
			start, goal, ok := drawContext(r, m)
			if !ok {
				t.Fatal("no context")
			}
			way := rrtConnect(r, free, start, goal)
			checkWay(t, free, way, start, goal)
			short := shortcut(r, free, way)
			checkWay(t, free, short, start, goal)
			if geom.Length(short) > geom.Length(way)+1e-9 {
				t.Errorf("%s: shortcut made a way of %v longer: %v", m.Name, geom.Length(way), geom.Length(short))
			}
		}
	}
}

func checkWay(t *testing.T, free freeSpace, way []geom.Vec2, start, goal geom.Vec2) {
	t.Helper()
	if len(way) < 2 || way[0] != start || way[len(way)-1] != goal {
		t.Fatalf("way from %v to %v = %v", start, goal, way)
	}
	for i := 1; i < len(way); i++ {
		for k := range 101 {
			p := way[i-1].Lerp(way[i], float64(k)/100)
			if d, _ := free.obstacles.SignedDistance(p); d < free.margin-2*advanceTolerance || !free.bounds.Contains(p) {
				t.Fatalf("segment %d of %v leaves free space at %v", i, way, p)
			}
		}
	}
}

func TestRRTConnectGivesUp(t *testing.T) {
	walled := NewMap("walled", square, geom.Union{geom.Box{Min: geom.Vec2{X: -0.1, Y: -1.2}, Max: geom.Vec2{X: 0.1, Y: 1.2}}}, nil)
	r := rand.New(rand.NewPCG(3, 3))
	if way := rrtConnect(r, walled.freeSpace(0.1), geom.Vec2{X: -0.5}, geom.Vec2{X: 0.5}); way != nil {
		t.Errorf("a way through a wall: %v", way)
	}
	if way := rrtConnect(r, walled.freeSpace(0.1), geom.Vec2{}, geom.Vec2{X: 0.5}); way != nil {
		t.Errorf("a way that starts in a wall: %v", way)
	}
}

func TestResample(t *testing.T) {
	corner := []geom.Vec2{{}, {X: 3}, {X: 3, Y: 1}, {X: 3, Y: 1}}
	got := resample(corner, 8)
	for k, p := range got {
		want := geom.Vec2{X: min(0.5*float64(k), 3), Y: max(0, 0.5*float64(k)-3)}
		if p.Dist(want) > 1e-12 {
			t.Errorf("point %d = %v, want %v", k, p, want)
		}
	}
	if same := resample([]geom.Vec2{{X: 1}, {X: 1}}, 3); same[2] != (geom.Vec2{X: 1}) {
		t.Errorf("resampled point = %v", same)
	}
}

// A route runs from start to goal, keeps its distance and is the shortest way.
func TestRouteRunsFromStartToGoal(t *testing.T) {
	m := NewMap("wall", square, geom.Union{geom.Box{Min: geom.Vec2{X: -0.05, Y: -0.6}, Max: geom.Vec2{X: 0.05, Y: 0.5}}}, nil)
	start, goal := geom.Vec2{X: -0.6}, geom.Vec2{X: 0.6}
	way := m.Route(0.05, m.Bounds, start, goal)
	if len(way) < 3 || way[0] != start || way[len(way)-1] != goal {
		t.Fatalf("Route = %v, want corners from %v to %v", way, start, goal)
	}
	for i := 1; i < len(way); i++ {
		for k := range 50 {
			if d, _ := m.Clearance(way[i-1].Lerp(way[i], float64(k)/49)); d < 0.05-advanceTolerance {
				t.Fatalf("Route comes %v near to the wall", d)
			}
		}
	}
	// Round both upper corners at 0.05 it is 1.64; eight neighbours cost up to 8 %.
	if l := geom.Length(way); l < 1.63 || l > 1.08*1.64 {
		t.Errorf("Route is %v long, want little more than 1.64", l)
	}
	if way := m.Route(0.6, m.Bounds, start, goal); way != nil {
		t.Errorf("Route with a distance of 0.6 = %v, want none", way)
	}
}

// endless counts how often a solid is asked.
type endless struct {
	geom.Solid
	calls *int
}

func (e endless) SignedDistance(p geom.Vec2) (float64, geom.Vec2) {
	*e.calls++
	return e.Solid.SignedDistance(p)
}

// No way leads out of the workspace, and none is followed there.
func TestConnectsStaysInside(t *testing.T) {
	calls := 0
	free := DropRegion().freeSpace(0.075)
	free.obstacles = geom.Union{endless{free.obstacles, &calls}}
	inside := geom.Vec2{X: -0.95, Y: -0.95}
	for _, outside := range []geom.Vec2{{X: -1e30, Y: 0.95}, {X: 1e6}, {X: math.Inf(1)}, {X: math.NaN(), Y: 0}} {
		if free.connects(inside, outside) || free.connects(outside, inside) {
			t.Errorf("%v and %v are connected", inside, outside)
		}
	}
	if calls > 100 {
		t.Errorf("%d distances are computed", calls)
	}
}
