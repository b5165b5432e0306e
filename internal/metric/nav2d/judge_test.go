package nav2d_test

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/tensor"
)

// The reference case: 4 samples, 3 trials, 3 robots.
const samples, trials, robots, waypoints = 4, 3, 3, 64

type reference struct {
	MaxSpeed float64        `json:"v_max"`
	Min      []float64      `json:"limits_min"`
	Max      []float64      `json:"limits_max"`
	Summary  map[string]any `json:"summary"`
}

func (r reference) number(t *testing.T, key string) float64 {
	t.Helper()
	v, ok := r.Summary[key].(float64)
	if !ok {
		t.Fatalf("no number %q in the reference", key)
	}
	return v
}

func references(t *testing.T) map[string]reference {
	t.Helper()
	data, err := os.ReadFile("testdata/metrics.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]reference
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func navigation(m *nav2d.Map, r reference) navmetric.Criteria {
	return navmetric.Criteria{
		World: m, Pattern: m.Pattern, Step: nav2d.Step,
		Radii:     []float64{nav2d.RobotRadius, nav2d.RobotRadius, nav2d.RobotRadius},
		HalfRange: [2]float64{(r.Max[0] - r.Min[0]) / 2, (r.Max[1] - r.Min[1]) / 2},
	}
}

// trial gathers the batches of one trial from [sample, trial, robot, waypoint].
func trial(t *testing.T, all []float32, i int) []tensor.Batch {
	t.Helper()
	const size = waypoints * 4
	var out []tensor.Batch
	for p := range robots {
		b := tensor.New(samples, waypoints, 4)
		for k := range samples {
			at := ((k*trials+i)*robots + p) * size
			copy(b.Sample(k), all[at:at+size])
		}
		out = append(out, b)
	}
	return out
}

func TestJudgeAgainstReference(t *testing.T) {
	for name, ref := range references(t) {
		t.Run(name, func(t *testing.T) {
			m, err := nav2d.MapByName(name)
			if err != nil {
				t.Fatal(err)
			}
			n := navigation(m, ref)
			a := golden.Open(t, "testdata/metrics_"+name+".npz")
			all := a.Float32("trajs")
			meet, hit, speedOK := a.Ints("robot_collision"), a.Ints("obstacle_collision_waypoints"), a.Ints("speed_ok")
			contacts, adherence, speed := a.Ints("n_colliding_waypoints"), a.Float64("data_adherence"), a.Float64("speed")
			for i := range trials {
				batches := trial(t, all, i)
				judged, err := n.Judge(batches)
				if err != nil {
					t.Fatal(err)
				}
				for b, s := range judged {
					pairs, touching := 0, 0
					for p := range robots {
						row := (b*trials+i)*robots + p
						for q := range p {
							pairs += meet[row*robots+q]
							touching += contacts[row*robots+q]
						}
						wantHit := false
						for _, h := range hit[row*waypoints : (row+1)*waypoints] {
							wantHit = wantHit || h != 0
						}
						if s.Hit[p] != wantHit || s.Within(p, ref.MaxSpeed) != (speedOK[row] != 0) {
							t.Errorf("trial %d sample %d robot %d: hit %v, within %v", i, b, p, s.Hit[p], s.Within(p, ref.MaxSpeed))
						}
						golden.Close(t, "adherence", s.Adherence[p:p+1], adherence[row:row+1], 1e-6, 0)
						path := geom.Points(nil, batches[p].Sample(b), 4)
						// The vectors ask for 1e-5, relative. Where a path is slow, that is less than
						// their own rounding: the reference normalises in float32, three roundings
						// of 3e-8 per position near 1, and the time step of 0.078 magnifies the
						// difference of two to 3e-6.
						golden.Close(t, "speed", n.Speeds(path), speed[row*waypoints:(row+1)*waypoints], 3e-6, 1e-5)
					}
					if s.Meeting != pairs || s.Contacts != touching {
						t.Errorf("trial %d sample %d: %d pairs meet at %d waypoints, want %d at %d", i, b, s.Meeting, s.Contacts, pairs, touching)
					}
				}
			}
		})
	}
}

// Every pair of robots by itself: whether it meets and at how many waypoints.
func TestPairsAgainstReference(t *testing.T) {
	for name, ref := range references(t) {
		m, err := nav2d.MapByName(name)
		if err != nil {
			t.Fatal(err)
		}
		a := golden.Open(t, "testdata/metrics_"+name+".npz")
		meet, contacts := a.Ints("robot_collision"), a.Ints("n_colliding_waypoints")
		n := navigation(m, ref)
		n.Radii = n.Radii[:2]
		for i := range trials {
			batches := trial(t, a.Float32("trajs"), i)
			for p := range robots {
				for q := range p {
					judged, err := n.Judge([]tensor.Batch{batches[p], batches[q]})
					if err != nil {
						t.Fatal(err)
					}
					for b, s := range judged {
						at := ((b*trials+i)*robots+p)*robots + q
						if s.Meeting != meet[at] || s.Contacts != contacts[at] {
							t.Errorf("%s, trial %d, sample %d, robots %d and %d: meet %d at %d waypoints, want %d at %d",
								name, i, b, p, q, s.Meeting, s.Contacts, meet[at], contacts[at])
						}
					}
				}
			}
		}
	}
}

func TestSummaryAgainstReference(t *testing.T) {
	for name, ref := range references(t) {
		m, err := nav2d.MapByName(name)
		if err != nil {
			t.Fatal(err)
		}
		n := navigation(m, ref)
		all := golden.Open(t, "testdata/metrics_"+name+".npz").Float32("trajs")
		var judged [][]navmetric.Sample
		for i := range trials {
			j, err := n.Judge(trial(t, all, i))
			if err != nil {
				t.Fatal(err)
			}
			judged = append(judged, j)
		}
		s := navmetric.Summarise(judged, []float64{ref.MaxSpeed, ref.MaxSpeed, ref.MaxSpeed})
		for label, e := range map[string]metric.Estimate{
			"Strict Inter-Agent Safe Rate":     s.Safe,
			"Loose Inter-Agent Safe Rate":      s.PairSafe,
			"Static Obstacle Safe Rate":        s.Clear,
			"All Safe Rate":                    s.SafeAndClear,
			"Collision Count":                  s.Contacts,
			"Data Adherence":                   s.AdherenceRobots,
			"Velocity Constraint Satisfaction": s.WithinLimitRobots,
		} {
			got := []float64{e.Mean, e.Std, e.Within, e.Between}
			want := []float64{ref.number(t, "Overall Mean "+label), ref.number(t, "Overall Std "+label),
				ref.number(t, "Within Init Std "+label), ref.number(t, "Between Init Std "+label)}
			golden.Close(t, name+" "+label, got, want, 1e-6, 0)
		}
		golden.Close(t, name+" success", []float64{s.Success.Mean, s.Success.Std},
			[]float64{ref.number(t, "Overall Success Rate"), ref.number(t, "Overall Std Success Rate")}, 1e-6, 0)
		comparePerRobot(t, name+" adherence", s.Adherence, ref.Summary["Overall Agent Data Adherence"], ref.Summary["Std Agent Data Adherence"])
		comparePerRobot(t, name+" speed limit", s.WithinLimit, ref.Summary["Mean Velocity Constraint Satisfaction per Player"],
			ref.Summary["Std Velocity Constraint Satisfaction per Player"])
	}
}

func comparePerRobot(t *testing.T, what string, got []metric.Estimate, means, stds any) {
	t.Helper()
	for p, e := range got {
		want := []float64{means.([]any)[p].(float64), stds.([]any)[p].(float64)}
		golden.Close(t, what, []float64{e.Mean, e.Std}, want, 1e-6, 0)
	}
}

// Two robots drive towards each other; the third is far away and fast.
func TestSummaryByHand(t *testing.T) {
	n := navmetric.Criteria{World: nav2d.Empty(), Radii: []float64{0.1, 0.05, 0.05}, HalfRange: [2]float64{1, 0.5}, Step: 0.5}
	path := func(xy ...float32) tensor.Batch {
		b, err := tensor.Of(xy, 3, 2)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	judged, err := n.Judge([]tensor.Batch{
		path(0, 0, 0.3, 0, 0.6, 0, 0, 0, 0, 0, 0, 0),
		path(0.6, 0, 0.44, 0, 0.6, 0.5, 0.6, 0, 0.6, 0, 0.6, 0),
		path(-0.5, 0, -0.5, 0.5, -0.5, 0.5, -0.5, 0, -0.5, 0, -1.04, 0),
	})
	if err != nil {
		t.Fatal(err)
	}
	first, second := judged[0], judged[1]
	if first.Meeting != 1 || first.Contacts != 1 || !first.Clear() || first.Success() {
		t.Errorf("first sample = %+v, want one meeting (0.14 apart, radii 0.15)", first)
	}
	if first.TopSpeed[2] != 2 || math.Abs(first.TopSpeed[0]-0.6) > 1e-6 {
		t.Errorf("top speeds = %v, want 2 for robot 2 and 0.6 for robot 0", first.TopSpeed)
	}
	if !second.Safe() || second.Clear() || !second.Hit[2] {
		t.Errorf("second sample = %+v, want robot 2 at the boundary", second)
	}
	limits := []float64{1, 1, 1}
	good := navmetric.Sample{Hit: make([]bool, 3), Adherence: []float64{1, 1, 0}, TopSpeed: []float64{1, 1, 1 + 4e-5}}
	s := navmetric.Summarise([][]navmetric.Sample{{first, good}, {second, navmetric.NoResult(3)}}, limits)
	if s.Success.Mean != 0.5 || s.Feasible.Mean != 0.25 || s.FirstFeasible[0] != 1 || s.FirstFeasible[1] != -1 ||
		s.SamplesPerTrialUsed.Mean != 2 || s.FeasibleTrials.Mean != 0.5 {
		t.Errorf("summary = %+v", s)
	}
}

func TestNoResultIsLeftOutOfSpeeds(t *testing.T) {
	good := navmetric.Sample{Hit: []bool{false}, Adherence: []float64{1}, TopSpeed: []float64{0.5}}
	s := navmetric.Summarise([][]navmetric.Sample{{good}, {navmetric.NoResult(1)}}, []float64{1})
	if s.WithinLimit[0].Mean != 1 || s.LimitTrials != 1 || s.Success.Mean != 0.5 || s.Adherence[0].Mean != 0.5 {
		t.Errorf("summary = %+v, want the failed trial in all measures but the speed", s)
	}
	if empty := navmetric.Summarise(nil, []float64{1}); empty.Trials != 0 {
		t.Errorf("summary of nothing = %+v", empty)
	}
}

func TestJudgeRefuses(t *testing.T) {
	n := navmetric.Criteria{World: nav2d.Empty(), Radii: []float64{0.05, 0.05}, HalfRange: [2]float64{1, 1}, Step: 1}
	good := tensor.New(2, 3, 4)
	bad := tensor.New(2, 3, 4)
	bad.Data[5] = float32(math.NaN())
	var shape *navmetric.ShapeError
	var finite *tensor.NonFiniteError
	for name, robots := range map[string][]tensor.Batch{
		"one batch":       {good},
		"other samples":   {good, tensor.New(3, 3, 4)},
		"other waypoints": {good, tensor.New(2, 4, 4)},
		"one channel":     {good, tensor.New(2, 3, 1)},
		"no batch":        nil,
	} {
		if _, err := n.Judge(robots); !errors.As(err, &shape) {
			t.Errorf("%s: Judge = %v, want a ShapeError", name, err)
		}
	}
	if _, err := n.Judge([]tensor.Batch{good, bad}); !errors.As(err, &finite) {
		t.Errorf("NaN: Judge = %v, want a NonFiniteError", err)
	}
}

func BenchmarkJudge(b *testing.B) {
	m := nav2d.Highways()
	n := navmetric.Criteria{World: m, Pattern: m.Pattern, Radii: []float64{0.05, 0.05, 0.05, 0.05}, HalfRange: [2]float64{1, 1}, Step: nav2d.Step}
	var batches []tensor.Batch
	for range 4 {
		x := tensor.New(128, waypoints, 4)
		for i := range x.Data {
			x.Data[i] = 0.4 + 0.001*float32(i%97)
		}
		batches = append(batches, x)
	}
	for b.Loop() {
		if _, err := n.Judge(batches); err != nil {
			b.Fatal(err)
		}
	}
}

var _ navmetric.Pattern = nav2d.Pattern(nil)
