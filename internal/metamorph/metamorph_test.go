package metamorph

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/metamorph/scenes"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	_ "github.com/go-pcd/pcd/plan/bundled"
	"github.com/go-pcd/pcd/tensor"
)

var (
	cases = flag.Int("metamorph.cases", 1, "random requests of each kind")
	seed  = flag.Uint64("metamorph.seed", 1, "seed of the requests")
	keep  = flag.String("metamorph.keep", "", "folder for scenes that failed")
)

// answer is what came of a request.
type answer struct {
	verdict string // certified, not certified, or why it was refused
	robots  []tensor.Batch
	samples []tensor.Batch // of every robot, as drawn
	curved  bool
}

// ask plans for a scene.
func ask(t *testing.T, text string, change func(*plan.Options)) answer {
	t.Helper()
	task, err := planner.PlanRequest{Scene: &text}.Check()
	if err != nil {
		return answer{verdict: fmt.Sprintf("refused: %T", cause(err))}
	}
	if change != nil {
		change(&task.Options)
	}
	r, err := plan.Run(t.Context(), task.Team, task.Options)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	a := answer{"not certified", r.Nearest().Trajectories, r.Samples, task.Team.Motion != plan.Polyline}
	if r.Plan != nil {
		a.verdict = "certified"
	}
	if err := judgeAgain(t.Context(), task, r, text); err != nil {
		a.verdict = fmt.Sprintf("%s, but %v", a.verdict, err)
	}
	return a
}

// cause returns the innermost of one error.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// judgeAgain asks the other judges about a certified plan: the one of paths from anywhere, which
// reads it where others would, and for straight motion among boxes that of the measures, which
// computes in rational numbers.
func judgeAgain(ctx context.Context, task *planner.PlanTask, r *plan.Result, text string) error {
	if r.Plan == nil {
		return nil
	}
	s, err := task.Summarise(ctx, r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	q := planner.JudgeRequest{Scene: &text, Paths: []planner.PathFile{{Name: "plan.json", Data: data}}}
	out, err := planner.Do(ctx, &planner.JudgeTask{Request: q}, planner.Watch{}, nil)
	if err != nil {
		return fmt.Errorf("the judge of paths cannot read it: %w", err)
	}
	if out.Verdict != nil {
		return fmt.Errorf("by the judge of paths: %w", out.Verdict)
	}
	if task.Team.Motion == plan.Curve {
		return nil
	}
	return judgeInRationals(task.Team, r.Plan)
}

func judgeInRationals(team plan.Team, d *plan.Plan) error {
	frame := team.TaskFrame()
	judge := navmetric.Continuous{Bounds: team.Map.Bounds, Step: team.Step}
	for _, o := range team.Map.Obstacles {
		box, ok := o.(geom.RoundedBox)
		if !ok {
			return nil // it knows boxes
		}
		judge.Obstacles = append(judge.Obstacles, box)
	}
	var paths [][]geom.Vec2
	for i := range d.Trajectories {
		var path []geom.Vec2
		x, _ := team.States(d, i)
		for _, p := range x {
			path = append(path, frame.ToMap(p))
		}
		paths = append(paths, path)
		// A hair less: places come back from the units of the scene.
		judge.Radii = append(judge.Radii, team.Robots[i].Radius*(1-1e-6))
		judge.Limits = append(judge.Limits, math.Inf(1))
	}
	m, err := judge.Judge(paths)
	if err == nil && !m.Kept() {
		err = fmt.Errorf("in rational numbers: %+v", m)
	}
	return err
}

// same compares answers as a relation promises.
func (v relation) same(a, b answer) error {
	if v.samples {
		return sameSamples(a.samples, b.samples)
	}
	if a.verdict != b.verdict {
		return fmt.Errorf("%s, but %s", a.verdict, b.verdict)
	}
	// Curves are rounded to decimals, which are other numbers of another scale, and repairs go on
	// from there. That nothing else depends on the scale is tested in plan, of random scenes as well, with
	// binary digits.
	if v.scale == 0 || a.curved && v.scale != 1 {
		return nil
	}
	for i := range a.robots {
		for j, x := range a.robots[i].Data {
			if got, want := b.robots[i].Data[j], x*float32(v.scale); got != want {
				return fmt.Errorf("number %d of robot %d is %v, want %v", j, i, got, want)
			}
		}
	}
	return nil
}

// sameSamples wants the samples that both have to be the same, bit for bit.
func sameSamples(a, b []tensor.Batch) error {
	if len(a) != len(b) {
		return fmt.Errorf("samples of %d robots, and of %d", len(a), len(b))
	}
	for i := range a {
		n := min(len(a[i].Data), len(b[i].Data))
		if !slices.Equal(a[i].Data[:n], b[i].Data[:n]) {
			return fmt.Errorf("samples of robot %d differ", i)
		}
	}
	return nil
}

// check asks for a scene as the relation changes it, and compares with the answer for the scene
// itself. What the judges say of a certified plan is part of the verdict, and must be nothing.
func (v relation) check(t *testing.T, s scenes.Scene, a answer, seed uint64) error {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	other := s
	if v.scene != nil {
		other = v.scene(r, s)
	}
	var change func(*plan.Options)
	if v.options != nil {
		change = func(o *plan.Options) { v.options(r, o) }
	}
	b := ask(t, other.Text(), change)
	for _, x := range []answer{a, b} {
		if strings.Contains(x.verdict, ", but") {
			return errors.New(x.verdict)
		}
	}
	return v.same(a, b)
}

func TestScenes(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 1))
	verdicts := map[string]int{}
	for i := range *cases {
		s := scenes.Draw(r)
		if len(s.Robots) == 0 {
			continue
		}
		a := ask(t, s.Text(), nil)
		verdicts[a.verdict]++
		for _, v := range relations {
			t.Run(v.name, func(t *testing.T) {
				if err := v.check(t, s, a, uint64(i)); err != nil {
					small := scenes.Reduced(s, func(s scenes.Scene) bool { return v.check(t, s, ask(t, s.Text(), nil), uint64(i)) != nil })
					t.Errorf("case %d of seed %d, %s: %v\n%s", i, *seed, v.name, err, small.Text())
					write(t, fmt.Sprintf("%d-%d.yaml", *seed, i), small.Text())
				}
			})
		}
	}
	t.Logf("seed %d: %v", *seed, verdicts)
	if verdicts["certified"] == 0 {
		t.Error("no request has a plan: nothing was compared")
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if *keep == "" {
		return
	}
	if err := os.MkdirAll(*keep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*keep, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
