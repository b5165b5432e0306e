package nav2d

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func walled() *Map {
	return NewMap("walled", square, geom.Union{geom.Box{Min: geom.Vec2{X: -0.1, Y: -0.8}, Max: geom.Vec2{X: 0.1, Y: 0.8}}}, nil)
}

// A way is searched for once, whoever gets it may change it, and other obstacles have other ways.
func TestWaysAreSearchedForOnce(t *testing.T) {
	m, a, b := walled(), geom.Vec2{X: -0.7}, geom.Vec2{X: 0.7, Y: 0.2}
	first := m.Route(0.05, m.Bounds, a, b)
	want := slices.Clone(first)
	if len(want) < 3 {
		t.Fatalf("the way is %v, want one round the wall", want)
	}
	first[1] = geom.Vec2{}
	if got := m.Route(0.05, m.Bounds, a, b); !slices.Equal(got, want) {
		t.Errorf("the way is %v, and was %v: it was changed by one who had it", got, want)
	}
	if n := testing.AllocsPerRun(5, func() { m.Route(0.05, m.Bounds, a, b) }); n > 8 {
		t.Errorf("a known way takes %v allocations: it is searched for again", n)
	}
	more := m.With(geom.Box{Min: geom.Vec2{X: -0.1, Y: 0.7}, Max: geom.Vec2{X: 0.1, Y: 1}}, geom.Box{Min: geom.Vec2{X: -0.1, Y: -1}, Max: geom.Vec2{X: 0.1, Y: -0.7}})
	if got := more.Route(0.05, m.Bounds, a, b); got != nil {
		t.Errorf("the way is %v through a wall without gaps", got)
	}
	if got := more.Route(0.05, m.Bounds, a, b); got != nil {
		t.Errorf("when asked again the way is %v through a wall without gaps", got)
	}
}

// Of many ways the latest are kept.
func TestWaysAreForgotten(t *testing.T) {
	var k knownWays
	searches := 0
	find := func(i int) {
		k.find(wayKey{distance: float64(i)}, func() []geom.Vec2 { searches++; return nil })
	}
	for i := range 5 * keptWays {
		find(i)
		find(0)
		if n := len(k.now) + len(k.before); n > 2*keptWays {
			t.Fatalf("%d ways are kept, want %d at most", n, 2*keptWays)
		}
	}
	if searches != 5*keptWays {
		t.Errorf("%d searches for %d ways: one that was asked for again and again was forgotten", searches, 5*keptWays)
	}
}
