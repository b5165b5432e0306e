package planner

import (
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"testing"
)

// planFile is what a stranger reads of plan.json.
type planFile struct {
	Best struct {
		Feasible     bool                   `json:"feasible"`
		Trajectories map[string][][]float32 `json:"trajectories"`
	} `json:"best"`
	Proof struct {
		Robots, Traffic []struct {
			Name                        string
			Radius, Inset, Step, Change float64
			Unit                        [2]float64
			Path                        [][2]float64
		}
		Solids []struct {
			Core   [][2]float64
			Radius float64
		}
		Border           [2][2]float64
		Pairs, Obstacles [][6]float64
	} `json:"proof"`
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// apart reports whether n·(p − q) ≥ (r + s) ‖n‖, without rounding.
func apart(n, p, q [2]float64, r, s float64) bool {
	d, square := new(big.Rat), new(big.Rat)
	for c := range 2 {
		d.Add(d, new(big.Rat).Mul(rat(n[c]), new(big.Rat).Sub(rat(p[c]), rat(q[c]))))
		square.Add(square, new(big.Rat).Mul(rat(n[c]), rat(n[c])))
	}
	need := new(big.Rat).Add(rat(r), rat(s))
	return d.Sign() >= 0 && new(big.Rat).Mul(d, d).Cmp(square.Mul(square, need.Mul(need, need))) >= 0
}

// check checks a plan as its file describes it: every witness at every waypoint that it
// names, that witnesses leave out no segment, and the border, steps and their changes.
func (f *planFile) check(t *testing.T) {
	t.Helper()
	p := f.Proof
	var paths [][][2]float64
	var radii []float64
	for _, r := range p.Robots {
		var path [][2]float64
		for _, s := range f.Best.Trajectories[r.Name] {
			path = append(path, [2]float64{float64(s[0]), float64(s[1])})
		}
		paths, radii = append(paths, path), append(radii, r.Radius)
	}
	for _, r := range p.Traffic {
		paths, radii = append(paths, r.Path), append(radii, r.Radius)
	}
	last := len(paths[0]) - 1
	covered := map[[3]int]int{}
	for _, w := range p.Pairs {
		i, j, n := int(w[0]), int(w[1]), [2]float64{w[4], w[5]}
		covered[[3]int{0, i, j}] += int(w[3] - w[2])
		for h := int(w[2]); h <= int(w[3]); h++ {
			if !apart(n, paths[i][h], paths[j][h], radii[i], radii[j]) {
				t.Errorf("pair %v fails at waypoint %d", w, h)
			}
		}
	}
	for _, w := range p.Obstacles {
		i, o, n := int(w[0]), int(w[1]), [2]float64{w[4], w[5]}
		covered[[3]int{1, i, o}] += int(w[3] - w[2])
		for h := int(w[2]); h <= int(w[3]); h++ {
			for _, v := range p.Solids[o].Core {
				if !apart(n, paths[i][h], v, radii[i], p.Solids[o].Radius) {
					t.Errorf("obstacle %v fails at waypoint %d", w, h)
				}
			}
		}
	}
	for i := range p.Robots {
		for j := i + 1; j < len(paths); j++ {
			if covered[[3]int{0, i, j}] != last {
				t.Errorf("pair %d, %d: %d of %d segments", i, j, covered[[3]int{0, i, j}], last)
			}
		}
		for o := range p.Solids {
			if covered[[3]int{1, i, o}] != last {
				t.Errorf("robot %d, obstacle %d: %d of %d segments", i, o, covered[[3]int{1, i, o}], last)
			}
		}
		f.checkMotion(t, i, paths[i])
	}
}

// checkMotion checks border, speed and acceleration of a robot from rest to rest.
func (f *planFile) checkMotion(t *testing.T, i int, path [][2]float64) {
	t.Helper()
	r := f.Proof.Robots[i]
	at := func(h, c int) *big.Rat { return rat(path[min(max(h, 0), len(path)-1)][c]) }
	within := func(limit float64, d func(c int) *big.Rat) bool {
		sum := new(big.Rat)
		for c := range 2 {
			x := new(big.Rat).Quo(d(c), rat(r.Unit[c]))
			sum.Add(sum, x.Mul(x, x))
		}
		return limit == 0 || sum.Cmp(new(big.Rat).Mul(rat(limit), rat(limit))) <= 0
	}
	for h := range path {
		for c := range 2 {
			low, high := new(big.Rat).Sub(at(h, c), rat(f.Proof.Border[0][c])), new(big.Rat).Sub(rat(f.Proof.Border[1][c]), at(h, c))
			if low.Cmp(rat(r.Inset)) < 0 || high.Cmp(rat(r.Inset)) < 0 {
				t.Errorf("%s leaves the border at waypoint %d", r.Name, h)
			}
		}
		if !within(r.Step, func(c int) *big.Rat { return new(big.Rat).Sub(at(h+1, c), at(h, c)) }) {
			t.Errorf("%s is too fast after waypoint %d", r.Name, h)
		}
		if !within(r.Change, func(c int) *big.Rat {
			d := new(big.Rat).Add(at(h-1, c), at(h+1, c))
			return d.Sub(d, new(big.Rat).Add(at(h, c), at(h, c)))
		}) {
			t.Errorf("%s accelerates too much at waypoint %d", r.Name, h)
		}
	}
}

// The plans of the examples, from a corridor with one bay to twenty carts, convince a
// stranger who has plan.json.
func TestPlanFilesConvinceAStranger(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "examples", "*.yaml"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := planned(t, PlanRequest{Task: filepath.Base(file), Scene: new(string(text))})
			if o.Verdict != nil {
				t.Fatal(o.Verdict)
			}
			data, err := json.Marshal(o.Summary)
			if err != nil {
				t.Fatal(err)
			}
			var f planFile
			if err := json.Unmarshal(data, &f); err != nil {
				t.Fatal(err)
			}
			if !f.Best.Feasible || len(f.Proof.Robots) != o.Summary.Robots || len(f.Proof.Solids) == 0 {
				t.Fatalf("feasible %v, %d robots, %d obstacles", f.Best.Feasible, len(f.Proof.Robots), len(f.Proof.Solids))
			}
			f.check(t)
		})
	}
}
