package lacam

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/internal/memory"
)

// line is a crowd of two on a row of places with one beside it, which is place 0: they cannot
// stand in one place, nor change places. What it proposes is the demand, and who is not sent stays.
type line struct{ bay int32 }

func (l line) Moves(dst []int32, _, place int32) []int32 {
	if place == 0 {
		return append(dst, l.bay, 0)
	}
	for _, to := range []int32{place - 1, place, place + 1} {
		if to >= 1 && to <= 5 {
			dst = append(dst, to)
		}
	}
	if place == l.bay {
		dst = append(dst, 0)
	}
	return dst
}

func (l line) Propose(now []int32, _ int, _ []int32, d Demand) []int32 {
	next := []int32{now[0], now[1]}
	for k, i := range d.Robots {
		next[i] = d.Places[k]
	}
	if next[0] == next[1] || next[0] == now[1] && next[1] == now[0] {
		return nil
	}
	return next
}

func (l line) Arrived(places []int32, _ int) bool { return places[0] == 5 && places[1] == 1 }

// searchOn returns the search of two who change the ends of the line.
func searchOn(bay int32, bytes int64) *Search[float64] {
	return &Search[float64]{
		Crowd: line{bay}, Starts: []int32{1, 5}, Goals: []int32{5, 1}, Priority: []float64{0.5, 0.5},
		Stop: func() bool { return false }, Draw: rand.New(rand.NewPCG(1, 2)),
		Room: &memory.Room{Left: bytes}, DemandBytes: 1, RobotBytes: 1,
	}
}

// A crowd that proposes nothing by itself is led by demands alone: with a bay they find the way,
// and without one they see everything that there is.
func TestDemandsReachEverything(t *testing.T) {
	ways, exhausted := searchOn(3, 1e6).Run()
	if exhausted || len(ways) == 0 || !reflect.DeepEqual(ways[len(ways)-1], []int32{5, 1}) {
		t.Fatalf("%v, exhausted %v", ways, exhausted)
	}
	for h := 1; h < len(ways); h++ {
		if next := (line{3}).Propose(ways[h-1], 0, nil, Demand{[]int32{0, 1}, ways[h]}); next == nil {
			t.Errorf("%v does not follow %v", ways[h], ways[h-1])
		}
	}
	if ways, exhausted := searchOn(-1, 1e6).Run(); ways != nil || !exhausted {
		t.Errorf("%v, exhausted %v where there is no bay", ways, exhausted)
	}
}

// What ends a search before it has seen everything is not said to be all there is.
func TestSearchEndsAtItsLimits(t *testing.T) {
	s := searchOn(3, 10)
	if ways, exhausted := s.Run(); ways != nil || exhausted || !s.Room.Full {
		t.Errorf("%v, exhausted %v, full %v within 10 bytes", ways, exhausted, s.Room.Full)
	}
	s, asked := searchOn(-1, 1e6), 0
	s.Stop = func() bool { asked++; return asked > 5 }
	if ways, exhausted := s.Run(); ways != nil || exhausted {
		t.Errorf("%v, exhausted %v after it was stopped", ways, exhausted)
	}
}

// Restarts go on from the start and find ways, too; configurations of different times are
// different ones, up to the deepest.
func TestRestartsAndTime(t *testing.T) {
	s, restarts := searchOn(3, 1e6), 0
	s.Restart = func() bool { restarts++; return restarts%2 == 0 }
	if ways, _ := s.Run(); ways == nil || restarts == 0 {
		t.Errorf("%v with %d restarts", ways, restarts)
	}
	s = searchOn(3, 1e6)
	s.Timed, s.Deepest = true, 8
	if ways, _ := s.Run(); ways == nil || len(ways) > 9 {
		t.Errorf("%d configurations, at most 8 moves", len(ways))
	}
	s.Deepest = 3
	if ways, exhausted := s.Run(); ways != nil || !exhausted {
		t.Errorf("%v, exhausted %v within 3 moves", ways, exhausted)
	}
}
