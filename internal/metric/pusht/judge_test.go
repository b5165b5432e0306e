package pusht_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/metric/pusht"
)

// pushTConditions reads arrays of [member, pair, step, ..., condition].
func pushTConditions(t *testing.T) [][]pusht.Pair {
	t.Helper()
	a := golden.Open(t, "testdata/pusht_metrics.npz")
	actions, states, rewards := a.Float64("actions"), a.Float64("states"), a.Float64("rewards")
	shape := a.Shape("actions")
	pairs, steps, conditions := shape[1], shape[2], shape[4]
	out := make([][]pusht.Pair, conditions)
	for c := range out {
		out[c] = make([]pusht.Pair, pairs)
		for i := range out[c] {
			for m := range 2 {
				p, row := &out[c][i][m], m*pairs+i
				for k := range steps {
					p.Actions = append(p.Actions, geom.Vec2{
						X: actions[((row*steps+k)*2)*conditions+c],
						Y: actions[((row*steps+k)*2+1)*conditions+c],
					})
					p.Rewards = append(p.Rewards, rewards[(row*steps+k)*conditions+c])
				}
				for k := range steps + 1 {
					p.Agent = append(p.Agent, geom.Vec2{
						X: states[((row*(steps+1)+k)*5)*conditions+c],
						Y: states[((row*(steps+1)+k)*5+1)*conditions+c],
					})
				}
			}
		}
	}
	return out
}

// judgedConditions judges all of them.
func judgedConditions(t *testing.T, limits []float64) [][]pusht.Sample {
	t.Helper()
	conditions := pushTConditions(t)
	out := make([][]pusht.Sample, len(conditions))
	for c, pairs := range conditions {
		for _, p := range pairs {
			s, err := pusht.Judge(p, limits)
			if err != nil {
				t.Fatal(err)
			}
			out[c] = append(out[c], s)
		}
	}
	return out
}

func TestPushTAgainstReference(t *testing.T) {
	data, err := os.ReadFile("testdata/pusht_metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	type numbers map[string]any
	var want struct {
		numbers
		Velocity map[string]numbers `json:"vel"`
	}
	if err := json.Unmarshal(data, &want.numbers); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	limits := []float64{6.2, 8.4, 10.7}
	s, err := pusht.Summarise(judgedConditions(t, limits), limits)
	if err != nil {
		t.Fatal(err)
	}
	one := func(n numbers, what, format string, got metric.Estimate) {
		t.Helper()
		for _, c := range []struct {
			prefix string
			got    float64
		}{{"Overall Mean ", got.Mean}, {"Overall Std ", got.Std}, {"Within Init Std ", got.Within}, {"Between Init Std ", got.Between}} {
			golden.Close(t, what+": "+c.prefix, []float64{c.got}, []float64{n[c.prefix+format].(float64)}, 1e-9, 1e-9)
		}
	}
	both := func(n numbers, what, format, members string, got [2]metric.Estimate) {
		t.Helper()
		for _, c := range []struct {
			prefix string
			f      func(metric.Estimate) float64
		}{
			{"Mean ", func(e metric.Estimate) float64 { return e.Mean }},
			{"Std ", func(e metric.Estimate) float64 { return e.Std }},
			{"Within Init Std ", func(e metric.Estimate) float64 { return e.Within }},
			{"Between Init Std ", func(e metric.Estimate) float64 { return e.Between }},
		} {
			v := n[c.prefix+format+members].([]any)
			golden.Close(t, what+": "+c.prefix, []float64{c.f(got[0]), c.f(got[1])}, []float64{v[0].(float64), v[1].(float64)}, 1e-9, 1e-9)
		}
	}
	one(want.numbers, "DTW", "DTW Distance", s.DTW)
	one(want.numbers, "DFD", "Frechet Distance", s.DFD)
	one(want.numbers, "TC", "Rewards", s.Completed)
	both(want.numbers, "TC per member", "Paired Rewards", "", s.Completion)
	for i, key := range []string{"6.2", "8.4", "10.7"} {
		const name = "Velocity Constraint Satisfaction"
		one(want.Velocity[key], "CS at "+key, name, s.Limits[i].Both)
		both(want.Velocity[key], "CS per member at "+key, name, " per Player", s.Limits[i].Member)
	}
	if s.Conditions != 2 || s.Pairs != 3 {
		t.Errorf("%d conditions of %d pairs, want 2 of 3", s.Conditions, s.Pairs)
	}
}

// straight is a plan that moves by v px per action, with the agent behind its
// first target by lag.
func straight(start, v, lag geom.Vec2, n int) (p pusht.Trajectory) {
	for i := range n {
		at := start.Add(v.Scale(float64(i)))
		p.Actions = append(p.Actions, at)
		p.Agent = append(p.Agent, at.Sub(lag))
		p.Rewards = append(p.Rewards, float64(i)/100)
	}
	return p
}

// Parallel plans are apart by what separates them; a speed is that in normalised
// units, a half range of 255.978 px wide and 255.83865 px high, per hundredth of a
// second.
func TestPushTClosedForm(t *testing.T) {
	v := geom.Vec2{X: 20}
	x := straight(geom.Vec2{X: 100, Y: 100}, v, v, 19) // three actions are a rest
	y := straight(geom.Vec2{X: 100, Y: 150}, v, geom.Vec2{X: 23}, 19)
	speed := 20 / 255.978 / 0.01
	s, err := pusht.Judge(pusht.Pair{x, y}, []float64{speed - 1e-3, speed + 1e-6, 1.2 * speed})
	if err != nil {
		t.Fatal(err)
	}
	apart := 50 / 255.83865
	if math.Abs(s.DFD-apart) > 1e-8 || math.Abs(s.DTW-8*apart) > 1e-7 {
		t.Errorf("DFD, DTW = %v, %v, want %v, %v", s.DFD, s.DTW, apart, 8*apart)
	}
	want := [][2]float64{{0, 0}, {1, 0}, {1, 1}}
	for i, w := range want {
		if s.Within[i] != w {
			t.Errorf("limit %d: %v of the segments within, want %v", i, s.Within[i], w)
		}
	}
	if s.Completion != [2]float64{0.18, 0.18} {
		t.Errorf("completion = %v, want 0.18 twice", s.Completion)
	}
}

func TestPushTRefusesBadInput(t *testing.T) {
	for name, spoil := range map[string]func(tr *pusht.Trajectory){
		"NaN action":     func(tr *pusht.Trajectory) { tr.Actions[7].X = math.NaN() },
		"infinite agent": func(tr *pusht.Trajectory) { tr.Agent[9].Y = math.Inf(1) },
		"missing agent":  func(tr *pusht.Trajectory) { tr.Agent = tr.Agent[:12] },
		"other length":   func(tr *pusht.Trajectory) { tr.Actions = tr.Actions[:16] },
		"no rewards":     func(tr *pusht.Trajectory) { tr.Rewards = nil },
		"reward above 1": func(tr *pusht.Trajectory) { tr.Rewards[0] = 1.5 },
	} {
		pair := pushTConditions(t)[1][2]
		spoil(&pair[1])
		_, err := pusht.Judge(pair, nil)
		if e, ok := errors.AsType[*pusht.Error](err); !ok || e.Member != 1 {
			t.Errorf("%s: %v, want an Error for member 1", name, err)
		}
	}
	short := straight(geom.Vec2{}, geom.Vec2{X: 1}, geom.Vec2{}, 7)
	_, err := pusht.Judge(pusht.Pair{short, short}, nil)
	if _, ok := errors.AsType[*pusht.Error](err); !ok {
		t.Errorf("less than a segment: %v", err)
	}
}

func TestPushTWantsAsManyPairsOfEveryCondition(t *testing.T) {
	for _, pairs := range []int{0, 2} {
		judged := judgedConditions(t, nil)
		judged[1] = judged[1][:pairs]
		_, err := pusht.Summarise(judged, nil)
		if e, ok := errors.AsType[*pusht.CountError](err); !ok || *e != (pusht.CountError{Condition: 1, Pairs: pairs, Want: 3}) {
			t.Errorf("%d pairs in a condition: %v", pairs, err)
		}
	}
	if s, err := pusht.Summarise(nil, []float64{8.4}); err != nil || s.Conditions != 0 {
		t.Errorf("no conditions: %+v, %v", s, err)
	}
}
