package nav2d

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// dense writes the symmetric matrix out in full.
func dense(a *blockTridiagonal) [][]float64 {
	n := 4 * len(a.diag)
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	for h := range a.diag {
		for i := range 4 {
			for j := range 4 {
				out[4*h+i][4*h+j] = a.diag[h][i][j]
				if h+1 < len(a.diag) {
					out[4*h+i][4*h+4+j] = a.upper[h][i][j]
					out[4*h+4+j][4*h+i] = a.upper[h][i][j]
				}
			}
		}
	}
	return out
}

func TestBlockTridiagonalSolve(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	const n = 7
	a := newBlockTridiagonal(n)
	x, b := make([]state, n), make([]state, n)
	for h := range n {
		for i := range 4 {
			x[h][i] = r.NormFloat64()
			for j := range i + 1 {
				v := r.NormFloat64()
				a.diag[h][i][j], a.diag[h][j][i] = v, v
			}
			a.diag[h][i][i] += 14 // dominant, hence positive definite
			for j := range 4 {
				a.upper[h][i][j] = r.NormFloat64()
			}
		}
	}
	full := dense(a)
	for i := range full {
		for j, v := range full[i] {
			b[i/4][i%4] += v * x[j/4][j%4]
		}
	}
	if !a.solve(b) {
		t.Fatal("solve = false on a positive definite system")
	}
	for h := range x {
		for i := range x[h] {
			if math.Abs(b[h][i]-x[h][i]) > 1e-12 {
				t.Errorf("x[%d][%d] = %v, want %v", h, i, b[h][i], x[h][i])
			}
		}
	}
	bad := newBlockTridiagonal(1)
	if bad.solve(make([]state, 1)) {
		t.Error("solve = true on a zero matrix")
	}
}

// wander returns a smoother at random states near obstacles.
func wander(r *rand.Rand) *smoother {
	n := 9
	s := &smoother{free: DropRegion().freeSpace(0.15), states: make([]state, n), step: make([]state, n-2), system: newBlockTridiagonal(n - 2)}
	for h := range n {
		s.reference = append(s.reference, geom.Vec2{X: r.Float64(), Y: r.Float64()})
		s.states[h] = state{1.1 * r.Float64(), 1.1 * r.Float64(), r.NormFloat64(), r.NormFloat64()}
	}
	return s
}

// The right-hand side is minus the gradient of the objective.
func TestLineariseGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		s := wander(r)
		s.linearise()
		for h := 1; h < len(s.states)-1; h++ {
			for i := range 4 {
				const step = 1e-6
				at := func(d float64) float64 {
					moved := append([]state(nil), s.states...)
					moved[h][i] += d
					return s.objective(moved)
				}
				want := -(at(step) - at(-step)) / (2 * step)
				if got := s.step[h-1][i]; math.Abs(got-want) > 1e-4*(1e4+math.Abs(want)) {
					t.Errorf("right-hand side %d,%d = %v, central difference %v", h, i, got, want)
				}
			}
		}
	}
}

// Without walls the objective is quadratic, so one step reaches its minimum.
func TestOneStepSolvesWithoutWalls(t *testing.T) {
	s := wander(rand.New(rand.NewPCG(6, 6)))
	s.free = Empty().freeSpace(0.1)
	for h := range s.states { // stay clear of the boundary
		for i := range s.states[h] {
			s.states[h][i] *= 0.1
		}
		s.reference[h] = s.reference[h].Scale(0.5)
	}
	s.candidate = make([]state, len(s.states))
	s.linearise()
	if !s.system.solve(s.step) || s.descend() == 0 {
		t.Fatal("no step")
	}
	s.linearise()
	for h, g := range s.step {
		for i, v := range g {
			if math.Abs(v) > 1e-7 {
				t.Errorf("gradient %d,%d at the minimum = %v", h, i, v)
			}
		}
	}
}

func TestSmoothKeepsMargins(t *testing.T) {
	free := DropRegion().freeSpace(0.105)
	reference := make([]geom.Vec2, Waypoints)
	for h := range reference { // cuts through a corner of a block
		reference[h] = geom.Vec2{X: 0.1, Y: 0.75}.Lerp(geom.Vec2{X: 0.75, Y: 0.15}, float64(h)/(Waypoints-1))
	}
	reference[0], reference[Waypoints-1] = geom.Vec2{X: 0.05, Y: 0.75}, geom.Vec2{X: 0.75, Y: 0.05}
	states := smooth(free, reference, nil)
	if position(states[0]) != reference[0] || position(states[Waypoints-1]) != reference[Waypoints-1] {
		t.Errorf("ends = %v, %v, want them unchanged", states[0], states[Waypoints-1])
	}
	for h, s := range states {
		if d, _ := free.obstacles.SignedDistance(position(s)); d < free.margin-0.01 {
			t.Errorf("waypoint %d at %v keeps %v, want about %v", h, position(s), d, free.margin)
		}
	}
}

func BenchmarkSmooth(b *testing.B) {
	free := DropRegion().freeSpace(0.105)
	reference := resample([]geom.Vec2{{X: 0, Y: 0.9}, {X: 0.05, Y: 0.05}, {X: 0.9, Y: 0}}, Waypoints-1)
	for b.Loop() {
		smooth(free, reference, nil)
	}
}
