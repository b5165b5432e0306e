package judge

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
)

// A proof is verified, and none is any more from which a row is taken, or in which a row looks another way.
func TestProofsAreVerified(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	verified := 0
	for range 60 {
		w := &World{}
		for i := range 3 { // on lanes of their own
			p := roving(r)
			for k := range p.X {
				p.X[k].Y += 30 * float64(i)
			}
			w.Robots = append(w.Robots, Robot{Name: string(rune('a' + i)), Radius: 0.2, Path: p})
		}
		w.Obstacles = []geom.Convex{{Core: geom.Rectangle(geom.Vec2{X: 6, Y: 16 + 4*r.Float64()}, geom.Vec2{X: 2, Y: 1}, r.Float64())}}
		v, err := w.Judge(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		proof, proven, err := w.Prove(t.Context())
		if err != nil || proven != v.Certified() {
			t.Fatalf("proven %v, certified %v, %v", proven, v.Certified(), err)
		}
		if !proven {
			continue
		}
		verified++
		if err := w.Verify(t.Context(), proof); err != nil {
			t.Fatal(err)
		}
		for k, row := range proof.Pairs {
			missing := &Proof{Pairs: slices.Delete(slices.Clone(proof.Pairs), k, k+1), Obstacles: proof.Obstacles}
			turned := &Proof{Pairs: slices.Clone(proof.Pairs), Obstacles: proof.Obstacles}
			turned.Pairs[k].N = row.N.Scale(-1)
			short := &Proof{Pairs: slices.Clone(proof.Pairs), Obstacles: proof.Obstacles}
			short.Pairs[k].To -= 1e-6
			for what, p := range map[string]*Proof{"misses a row": missing, "looks another way": turned, "ends early": short} {
				e, ok := errors.AsType[*ProofError](w.Verify(t.Context(), p))
				if !ok || e.Robot != row.Robot || e.Other != row.Other || e.Obstacle {
					t.Errorf("a proof that %s of %d and %d: %v", what, row.Robot, row.Other, e)
				}
			}
		}
	}
	if verified < 20 {
		t.Errorf("%d of 60 worlds are proven", verified)
	}
}

// A proof for late robots holds for all pairs of times that differ by no more than the lateness, and for no longer one.
func TestProofsForLateRobotsAreVerified(t *testing.T) {
	straight := func(y float64) *paths.Path {
		return &paths.Path{Times: []float64{0, 10}, X: []geom.Vec2{{Y: y}, {X: 10, Y: y}}}
	}
	w := &World{Robots: []Robot{{Name: "a", Radius: 0.4, Path: straight(0)}, {Name: "b", Radius: 0.5, Path: straight(1)}}}
	up := func(from, to, there, until float64) LateRow {
		return LateRow{Row: Row{Robot: 0, Other: 1, From: from, To: to, N: geom.Vec2{Y: -1}}, There: [2]float64{there, until}}
	}
	for name, c := range map[string]struct {
		rows    []LateRow
		seconds float64
		holds   bool
	}{
		"all times":             {[]LateRow{up(0, 10, 0, 10)}, 10, true},
		"in two parts":          {[]LateRow{up(0, 5, 0, 7), up(5, 10, 3, 10)}, 2, true},
		"in parts that overlap": {[]LateRow{up(0, 6, 0, 8), up(5, 10, 3, 10)}, 2, true},
		"too late":              {[]LateRow{up(0, 5, 0, 7), up(5, 10, 3, 10)}, 2.5, false},
		"a gap in time":         {[]LateRow{up(0, 5, 0, 7), up(5.1, 10, 3, 10)}, 2, false},
		"a gap for the other":   {[]LateRow{up(0, 10, 0, 5), up(0, 10, 5.1, 10)}, 2, false},
		"the end is missing":    {[]LateRow{up(0, 10, 0, 9.9)}, 2, false},
		"another way":           {[]LateRow{{Row: Row{Other: 1, To: 10, N: geom.Vec2{Y: 1}}, There: [2]float64{0, 10}}}, 2, false},
		"no direction":          {[]LateRow{{Row: Row{Other: 1, To: 10}, There: [2]float64{0, 10}}}, 2, false},
		"none":                  {nil, 2, false},
	} {
		if err := w.VerifyLate(t.Context(), c.rows, c.seconds); (err == nil) != c.holds {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Robots[1].Radius = 0.7 // nearer than both are wide
	if err := w.VerifyLate(t.Context(), []LateRow{up(0, 10, 0, 10)}, 2); err == nil {
		t.Error("a direction parts robots that touch")
	}
}
