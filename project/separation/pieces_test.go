package separation_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// turning returns a disk that turns at times of its own, as often as twice in a step.
func turning(r *rand.Rand, waypoints, turns int) separation.Mover {
	m := separation.Mover{Radius: 0.06}
	for h := range waypoints {
		m.Times = append(m.Times, float64(h))
	}
	for range turns {
		m.Times = append(m.Times, float64(waypoints-1)*r.Float64())
	}
	sort.Float64s(m.Times)
	corners := [][2]float64{{0, -0.9}, {0.3, 0.7}, {0.5, 0.2}, {0.55, -0.6}, {1, 0.8}}
	for _, t := range m.Times {
		u := t / float64(waypoints-1)
		k := 1
		for corners[k][0] < u {
			k++
		}
		a, b := corners[k-1], corners[k]
		p := geom.Vec2{X: a[1] + (b[1]-a[1])*(u-a[0])/(b[0]-a[0]), Y: -0.5}
		if t != math.Trunc(t) { // away from the way between waypoints, there and back
			p.Y += 0.3 * (r.Float64() - 0.5)
		}
		m.Path = append(m.Path, p)
	}
	return m
}

// amongTurning is [crossing] with traffic that turns between waypoints.
func amongTurning(r *rand.Rand, waypoints int) *separation.Set {
	s := crossing(waypoints)
	s.Traffic = []separation.Mover{turning(r, waypoints, 40)}
	return s
}

// gapTo returns the smallest gap of a robot to traffic at many moments, with none of the
// formulas of the judge.
func gapTo(w *separation.World, x []tensor.Batch, i int, m separation.Mover) float64 {
	c := x[i].Shape[1]
	robot := func(t float64) geom.Vec2 {
		h := min(int(t), x[i].Shape[0]-2)
		p := geom.Points(nil, x[i].Data[h*c:], c)
		return p[0].Lerp(p[1], t-float64(h))
	}
	smallest := math.Inf(1)
	for k := 1; k < len(m.Times); k++ {
		const instants = 200
		for n := range instants + 1 {
			u := float64(n) / instants
			t := m.Times[k-1] + u*(m.Times[k]-m.Times[k-1])
			smallest = min(smallest, robot(t).Dist(m.Path[k-1].Lerp(m.Path[k], u))-w.Robots[i].Radius-m.Radius)
		}
	}
	return smallest
}

func TestJudgeOfTurningTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of one goroutine")
	}
	r := rand.New(rand.NewPCG(21, 4))
	closer := 0
	for range 40 {
		s := amongTurning(r, 32)
		x := []tensor.Batch{tensor.New(1, 32, 4), tensor.New(1, 32, 4), tensor.New(1, 32, 4)}
		drawCrossing(r, [][]float32{x[0].Data, x[1].Data, x[2].Data})
		s.Obstacles, s.Border, s.Robots, x = nil, nil, s.Robots[2:], x[2:]
		rough, atWaypoints := gapTo(&s.World, x, 0, s.Traffic[0]), gapTo(&s.World, x, 0, straightened(s.Traffic[0]))
		if got := s.Judge(x, 0)[separation.Bodies].Value; got > rough+1e-12 || got < rough-2e-3 {
			t.Fatalf("smallest gap %v, at many moments %v", got, rough)
		}
		if math.Abs(rough-atWaypoints) > 1e-3 {
			closer++
		}
	}
	if closer < 5 {
		t.Errorf("in %d of 40 worlds turns matter: too few", closer)
	}
}

// straightened leaves out the turns between waypoints.
func straightened(m separation.Mover) separation.Mover {
	out := separation.Mover{Radius: m.Radius}
	for k, t := range m.Times {
		if t == math.Trunc(t) {
			out.Times, out.Path = append(out.Times, t), append(out.Path, m.Path[k])
		}
	}
	return out
}

// Traffic with a time for every waypoint and none besides is that without times, bit for
// bit.
func TestTimesOfWaypointsChangeNothing(t *testing.T) {
	with, without := crossing(48), crossing(48)
	for h := range 48 {
		with.Traffic[0].Times = append(with.Traffic[0].Times, float64(h))
	}
	a, oa := repaired(t, &with.World, straight(crossingEnds, 48))
	b, ob := repaired(t, &without.World, straight(crossingEnds, 48))
	if oa != ob {
		t.Errorf("%+v, want %+v", oa, ob)
	}
	for i := range a {
		for k, v := range a[i].Data {
			if b[i].Data[k] != v {
				t.Fatalf("robot %d, element %d: %v, want %v", i, k, v, b[i].Data[k])
			}
		}
	}
}

// A repair among traffic that turns between waypoints keeps clear of every turn, and its
// witnesses hold at all of them, in rational numbers.
func TestRepairAmongTurningTraffic(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of robots alone")
	}
	for seed := range uint64(6) {
		s := amongTurning(rand.New(rand.NewPCG(seed, 5)), 48)
		x := straight(crossingEnds, 48)
		var out []tensor.Batch
		for _, b := range x {
			out = append(out, b.Clone())
		}
		o, err := s.Repair(t.Context(), out, x, 0)
		if err != nil || !o.Verdict.Certified(s.Margin) {
			t.Fatalf("seed %d: %v, %+v", seed, err, o.Verdict)
		}
		for i := range out {
			if gap := gapTo(&s.World, out, i, s.Traffic[0]); gap < s.Margin {
				t.Errorf("seed %d: robot %d has a gap of %v", seed, i, gap)
			}
		}
		ws, proven, err := s.Witness(t.Context(), out, 0)
		if err != nil || !proven {
			t.Fatalf("seed %d: no witness, %v", seed, err)
		}
		convinceOfTurns(t, &s.World, out, ws)
	}
}

// convinceOfTurns checks the witnesses of robots beside the only traffic, without rounding.
func convinceOfTurns(t *testing.T, w *separation.World, x []tensor.Batch, ws separation.Witnesses) {
	t.Helper()
	m := w.Traffic[0]
	robot := func(i int, time float64) (out [2]*big.Rat) {
		h, c := min(int(time), x[i].Shape[0]-2), x[i].Shape[1]
		share := new(big.Rat).Sub(rat(time), rat(float64(h)))
		for k := range out {
			a, b := rat(float64(x[i].Data[h*c+k])), rat(float64(x[i].Data[(h+1)*c+k]))
			out[k] = a.Add(a, share2(share, b, a))
		}
		return out
	}
	next := map[int]int{}
	for _, b := range ws.Bodies {
		if b.Other != len(x) {
			continue
		}
		if int(b.From) != next[b.Robot] {
			t.Fatalf("%+v begins after a gap at %d", b, next[b.Robot])
		}
		next[b.Robot] = int(b.To)
		for k := int(b.From); k <= int(b.To); k++ {
			p := robot(b.Robot, m.Times[k])
			d := new(big.Rat).Mul(rat(b.N.X), p[0].Sub(p[0], rat(m.Path[k].X)))
			d.Add(d, new(big.Rat).Mul(rat(b.N.Y), p[1].Sub(p[1], rat(m.Path[k].Y))))
			if !parts(d, w.Robots[b.Robot].Radius, m.Radius, b.N) {
				t.Errorf("%+v does not hold at moment %d", b, k)
			}
		}
	}
	for i := range x {
		if next[i] != len(m.Times)-1 {
			t.Errorf("robot %d is proven up to moment %d of %d", i, next[i], len(m.Times)-1)
		}
	}
}

// share2 returns share·(b − a).
func share2(share, b, a *big.Rat) *big.Rat {
	d := new(big.Rat).Sub(b, a)
	return d.Mul(d, share)
}

func TestTimesAreChecked(t *testing.T) {
	for name, spoil := range map[string]func(m *separation.Mover){
		"fewer times":        func(m *separation.Mover) { m.Times = m.Times[1:] },
		"a waypoint lacks":   func(m *separation.Mover) { m.Times[len(m.Times)-1] -= 1e-3 },
		"not in order":       func(m *separation.Mover) { m.Times[20] = m.Times[19] },
		"beyond the end":     func(m *separation.Mover) { m.Times[len(m.Times)-1] = 50 },
		"before the start":   func(m *separation.Mover) { m.Times[0] = -1 },
		"not a number":       func(m *separation.Mover) { m.Times[3] = math.NaN() },
		"point not a number": func(m *separation.Mover) { m.Path[3].X = math.NaN() },
	} {
		s := amongTurning(rand.New(rand.NewPCG(1, 5)), 32)
		spoil(&s.Traffic[0])
		var refused *separation.WorldError
		if err := s.World.Check(32); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a WorldError", name, err)
		}
	}
}
