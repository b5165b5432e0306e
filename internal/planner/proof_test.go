package planner

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// planFile is what a stranger reads of plan.json, in float64.
type planFile struct {
	Version int `json:"version"`
	Robots  []struct {
		Name   string
		Radius float64
	} `json:"robots"`
	Motion string    `json:"motion"`
	Times  []float64 `json:"times"`
	Plan   struct {
		Trajectories map[string][][]float64 `json:"trajectories"`
		Proof        proofOfFile            `json:"proof"`
	} `json:"plan"`
}

type proofOfFile struct {
	Robots []struct {
		Inset, Step, Change float64
		Unit, Before, After [2]float64
	}
	Traffic []struct {
		Name   string
		Radius float64
		Path   [][2]float64
		Times  []float64
	}
	Solids []struct {
		Core   [][2]float64
		Radius float64
	}
	Border           *[2][2]float64
	Pairs, Obstacles [][6]float64
	Late             []lateRow
	Lateness         float64
}

// at returns where a robot is at a time that counts waypoints.
func at(path [][2]float64, t float64) point {
	h := min(int(t), len(path)-1) // it rests after the last one
	t = min(t, float64(h+1))
	p := exactly(path[h])
	if h == len(path)-1 {
		return p
	}
	if t == float64(h) {
		return p
	}
	u := new(big.Rat).Sub(rat(t), rat(float64(h)))
	step := exactly(path[h+1]).minus(p)
	for c := range p {
		p[c] = new(big.Rat).Add(p[c], step[c].Mul(step[c], u))
	}
	return p
}

// check checks a plan as its file describes it, in rationals: that the directions of every
// pair hold at all moments that they name and leave out none, and border, steps and their
// changes.
func (f *planFile) check() error {
	p, last := f.Plan.Proof, len(f.Times)-1
	if p.Border == nil {
		return errors.New("no border")
	}
	if f.Motion == "curve" {
		return f.checkCurves()
	}
	if f.Version != PlanVersion || len(f.Robots) != len(p.Robots) || len(f.Robots) != len(f.Plan.Trajectories) {
		return fmt.Errorf("version %d, %d robots, %d in the proof, %d trajectories", f.Version, len(f.Robots), len(p.Robots), len(f.Plan.Trajectories))
	}
	var paths [][][2]float64
	for _, r := range f.Robots {
		var path [][2]float64
		for _, s := range f.Plan.Trajectories[r.Name] {
			path = append(path, [2]float64{s[0], s[1]})
		}
		if len(path) != last+1 {
			return fmt.Errorf("%s has %d waypoints", r.Name, len(path))
		}
		paths = append(paths, path)
	}
	for i, r := range f.Robots {
		for j := i + 1; j < len(p.Robots)+len(p.Traffic); j++ {
			var moved [][]point
			size := rat(r.Radius)
			if j < len(p.Robots) {
				for h := range last + 1 {
					moved = append(moved, []point{exactly(paths[i][h]).minus(exactly(paths[j][h]))})
				}
				size.Add(size, rat(f.Robots[j].Radius))
			} else {
				m := p.Traffic[j-len(p.Robots)]
				times, err := moments(m.Times, last)
				if err != nil || len(times) != len(m.Path) {
					return fmt.Errorf("%s has %d points: %w", m.Name, len(m.Path), err)
				}
				for k, q := range m.Path {
					moved = append(moved, []point{at(paths[i], times[k]).minus(exactly(q))})
				}
				size.Add(size, rat(m.Radius))
			}
			if err := covers(p.Pairs, i, j, moved, size, nil); err != nil {
				return fmt.Errorf("robots %d and %d: %w", i, j, err)
			}
		}
		for o, s := range p.Solids {
			if len(s.Core) == 0 || s.Radius < 0 {
				return fmt.Errorf("obstacle %d has %d vertices and the radius %v", o, len(s.Core), s.Radius)
			}
			corners := make([][]point, last+1)
			for h := range corners {
				for _, v := range s.Core {
					corners[h] = append(corners[h], exactly(paths[i][h]).minus(exactly(v)))
				}
			}
			size := new(big.Rat).Add(rat(r.Radius), rat(s.Radius))
			free := func(h int) bool { return beyond([]point{exactly(paths[i][h]), exactly(paths[i][h+1])}, s.Core, size) }
			if err := covers(p.Obstacles, i, o, corners, size, free); err != nil {
				return fmt.Errorf("robot %d and obstacle %d: %w", i, o, err)
			}
		}
		if err := f.checkMotion(i, paths[i]); err != nil {
			return err
		}
	}
	return nil
}

// moments returns the times of traffic, in order, all waypoints among them.
func moments(times []float64, last int) ([]float64, error) {
	all := slices.Clone(times)
	for h := range last + 1 {
		all = append(all, float64(h))
	}
	slices.Sort(all)
	all = slices.Compact(all)
	if times != nil && !slices.Equal(times, all) || all[0] != 0 || all[len(all)-1] < float64(last) {
		return nil, errors.New("its times are not in order, or leave out waypoints")
	}
	return all, nil
}

// covers checks the rows of two bodies; free says whether a segment needs none.
func covers(rows [][6]float64, i, j int, differences [][]point, size *big.Rat, free func(h int) bool) error {
	var own [][6]float64
	for _, w := range rows {
		if w[0] == float64(i) && w[1] == float64(j) {
			own = append(own, w)
		}
	}
	slices.SortFunc(own, func(a, b [6]float64) int { return cmp.Compare(a[2], b[2]) })
	last := len(differences) - 1
	end := untilNeeded(0, last, free)
	if size.Sign() <= 0 {
		return errors.New("no size")
	}
	for _, w := range own {
		if w[2] < 0 || int(w[3]) >= len(differences) {
			return fmt.Errorf("a row from %v to %v", w[2], w[3])
		}
		if w[2] > end {
			return fmt.Errorf("a gap in the proof after %v", end)
		}
		direction := separatorOf([2]float64{w[4], w[5]}, size)
		for k := int(w[2]); k <= int(w[3]); k++ {
			for _, d := range differences[k] {
				if !direction.parts(d) {
					return fmt.Errorf("contact at %d", k)
				}
			}
		}
		end = untilNeeded(max(end, w[3]), last, free)
	}
	if end != float64(last) {
		return fmt.Errorf("a gap in the proof after %v of %d", end, last)
	}
	return nil
}

func most(all ...*big.Rat) *big.Rat { return new(big.Rat).Set(slices.MaxFunc(all, (*big.Rat).Cmp)) }

func least(all ...*big.Rat) *big.Rat { return new(big.Rat).Set(slices.MinFunc(all, (*big.Rat).Cmp)) }

// checkMotion checks border, speed and acceleration of a robot.
func (f *planFile) checkMotion(i int, path [][2]float64) error {
	proof, robot := f.Plan.Proof, f.Robots[i]
	r := proof.Robots[i]
	low, high := exactly(proof.Border[0]), exactly(proof.Border[1])
	steps := []point{exactly(r.Before)}
	room := make([]*big.Rat, len(path))
	for h := range path {
		p := exactly(path[h])
		room[h] = least(p.minus(low)[0], p.minus(low)[1], high.minus(p)[0], high.minus(p)[1])
		if room[h].Cmp(rat(r.Inset)) < 0 {
			return fmt.Errorf("%s is outside at waypoint %d", robot.Name, h)
		}
		if h > 0 {
			steps = append(steps, p.minus(exactly(path[h-1])))
		}
	}
	steps = append(steps, exactly(r.After))
	if want := least(rat(robot.Radius), room[0], room[len(room)-1]); rat(r.Inset).Cmp(want.Mul(want, rat(1-1e-9))) < 0 {
		return fmt.Errorf("%s is asked to keep %v from the border, its radius is %v", robot.Name, r.Inset, robot.Radius)
	}
	within := func(limit float64, d point) bool {
		sum := new(big.Rat)
		for c := range 2 {
			x := new(big.Rat).Quo(d[c], rat(r.Unit[c]))
			sum.Add(sum, x.Mul(x, x))
		}
		return limit == 0 || sum.Cmp(new(big.Rat).Mul(rat(limit), rat(limit))) <= 0
	}
	for h, s := range steps {
		if h > 0 && h < len(steps)-1 && !within(r.Step, s) {
			return fmt.Errorf("%s is too fast after waypoint %d", robot.Name, h-1)
		}
		if h > 0 && !within(r.Change, s.minus(steps[h-1])) {
			return fmt.Errorf("%s accelerates too much at waypoint %d", robot.Name, h-1)
		}
	}
	return nil
}

// parsed returns plan.json as a stranger reads it.
func parsed(t *testing.T, data []byte) *planFile {
	t.Helper()
	f := &planFile{}
	if err := json.Unmarshal(data, f); err != nil {
		t.Fatal(err)
	}
	return f
}

// The plans of the examples, from a corridor with one bay to twenty carts where more is asked for, convince
// a stranger who has plan.json.
func TestPlanFilesConvinceAStranger(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "*.yaml"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, error %v", len(files), err)
	}
	files = thorough.Part(files, 4)
	plans, names := map[plan.Motion][][]byte{}, map[plan.Motion][]string{} // for the documented check
	for k := range 2 * len(files) {
		file, motion, samples := files[k/2], plan.Motions()[k%2], new(1)
		switch filepath.Base(file) {
		case "doorway.yaml":
			samples = nil // as many as everybody has
		case "carts.yaml":
			if !thorough.Asked() {
				continue // twenty robots take rationals, and Python, their time
			}
		}
		t.Run(filepath.Base(file)+" "+string(motion), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			o := planned(t, PlanRequest{Task: filepath.Base(file), Scene: new(string(text)), Motion: string(motion), Samples: samples})
			if o.Verdict != nil {
				t.Fatal(o.Verdict)
			}
			data, err := json.Marshal(o.Summary)
			if err != nil {
				t.Fatal(err)
			}
			f := parsed(t, data)
			if p := f.Plan.Proof; len(p.Robots) != len(o.Summary.Robots) || len(p.Solids) == 0 {
				t.Fatalf("%d robots, %d obstacles", len(p.Robots), len(p.Solids))
			}
			// Rationals take their time: of the two checks the faster one has the large teams.
			if motion == plan.Polyline || len(f.Robots) <= 8 {
				if err := f.check(); err != nil {
					t.Error(err)
				}
			}
			if motion == plan.Curve || len(f.Robots) <= 8 {
				plans[motion], names[motion] = append(plans[motion], data), append(names[motion], filepath.Base(file))
			}
		})
	}
	for _, motion := range plan.Motions() {
		if len(plans[motion]) < len(files)/2 {
			t.Errorf("%d plans of %d examples, motion %s", len(plans[motion]), len(files), motion)
		}
		for k, err := range documentedChecks(t, plans[motion]) {
			if err != nil {
				t.Errorf("%s, motion %s: %v", names[motion][k], motion, err)
			}
		}
	}
}

// checkPlans runs the check of the documentation in folders, one after the other.
const checkPlans = `import os, sys
program = compile(sys.stdin.read(), "check", "exec")
for folder in sys.argv[1:]:
    os.chdir(folder)
    try:
        exec(program, {"__name__": "__main__"})
        print("convinced")
    except AssertionError as e:
        print("the documented check:", repr(e))
`

// documentedChecks runs the check of the documentation on plans of one motion, and returns what it says
// against each; nothing where there is no Python.
func documentedChecks(t *testing.T, plans [][]byte) []error {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil || len(plans) == 0 {
		t.Log("the documented check is not run: ", err)
		return nil
	}
	page := "nav2d.md"
	if parsed(t, plans[0]).Motion == "curve" {
		page = "driving.md"
	}
	c := exec.Command(python, "-c", checkPlans)
	for _, data := range plans {
		dir := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "out", "plan"), 0o755), os.WriteFile(filepath.Join(dir, "out", "plan", "plan.json"), data, 0o644)); err != nil {
			t.Fatal(err)
		}
		c.Args = append(c.Args, dir)
	}
	c.Stdin = strings.NewReader(checkInDocs(t, page))
	said, err := c.CombinedOutput()
	lines := strings.Split(strings.TrimSpace(string(said)), "\n")
	if err != nil || len(lines) != len(plans) {
		t.Fatalf("the documented check does not run: %v\n%s", err, said)
	}
	against := make([]error, len(plans))
	for k, line := range lines {
		if line != "convinced" {
			against[k] = errors.New(line)
		}
	}
	return against
}

// checkInDocs returns the program of the documentation that checks a plan.
func checkInDocs(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```python\nimport json\nfrom math import")
	program, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal(page, " has no check of a plan")
	}
	return "import json\nfrom math import" + program
}
