package session

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/tensor"
)

// drive is a session in simulated time and what its robots and the traffic have done.
type drive struct {
	*Session
	t       *testing.T
	driven  [][]float32 // states of every robot
	traffic [][]geom.Vec2
	first   plan.Team
}

func newDrive(t *testing.T, team plan.Team) *drive {
	t.Helper()
	s, err := New(team, sessionOptions())
	if err != nil {
		t.Fatal(err)
	}
	d := &drive{Session: s, t: t, first: team, driven: make([][]float32, len(team.Robots)), traffic: make([][]geom.Vec2, len(team.Traffic))}
	if p := s.Plan(); p.Kind != Stopped || !p.Certificate.Certified {
		t.Fatalf("it begins with %v, certified %v", p.Kind, p.Certificate.Certified)
	}
	for i, x := range s.Plan().Trajectories {
		d.driven[i] = append(d.driven[i], x.Data[:channels]...)
	}
	for i, m := range team.Traffic {
		d.traffic[i] = append(d.traffic[i], team.PathOf(m)[0])
	}
	return d
}

func sessionOptions() plan.Options {
	return plan.Options{Seed: 7}
}

// replan drives some steps of the plan in force and plans again.
func (d *drive) replan(ctx context.Context, u Update) *Plan {
	d.t.Helper()
	for i, x := range d.Plan().Trajectories {
		for h := 1; h <= u.Steps; h++ {
			d.driven[i] = append(d.driven[i], x.Data[h*channels:(h+1)*channels]...)
		}
	}
	for i, m := range d.team.Traffic {
		d.traffic[i] = append(d.traffic[i], d.team.PathOf(m)[1:u.Steps+1]...)
	}
	p, err := d.Replan(ctx, u)
	if err != nil {
		d.t.Fatal(err)
	}
	if !p.Certificate.Certified {
		d.t.Fatalf("%s plan in force is not certified", p.Kind)
	}
	for i, x := range p.Trajectories {
		if at := d.driven[i][len(d.driven[i])-channels:]; !slices.Equal(x.Data[:2], at[:2]) {
			d.t.Fatalf("the plan of robot %d begins at %v, it is at %v", i, x.Data[:2], at[:2])
		}
		if n := len(x.Data); !slices.Equal(x.Data[n-2:], []float32{0, 0}) {
			d.t.Fatalf("the plan of robot %d ends at velocity %v", i, x.Data[n-2:])
		}
	}
	return p
}

// check judges all that was driven, as one plan, twice: by the judge and at instants.
func (d *drive) check() {
	d.t.Helper()
	team := d.first
	var x []tensor.Batch
	for i := range d.driven {
		n := len(d.driven[i]) / channels
		x = append(x, tensor.Batch{N: 1, Shape: tensor.Shape{n, channels}, Data: d.driven[i]})
	}
	team.Traffic = slices.Clone(team.Traffic)
	for i := range team.Traffic {
		if team.Traffic[i].Times == nil {
			team.Traffic[i].Path = d.traffic[i]
		}
	}
	w, err := team.World()
	if err != nil {
		d.t.Fatal(err)
	}
	for i, m := range team.Traffic { // on its timetable from the first moment on
		w.Traffic[i] = inTask(team, m, x[0].Shape[0])
	}
	for i := range w.Robots {
		n := len(d.driven[i])
		a, b := d.driven[i][n-2*channels:], d.driven[i][n-channels:]
		w.Robots[i].After = geom.Vec2{X: float64(b[0]) - float64(a[0]), Y: float64(b[1]) - float64(a[1])}
	}
	if v := w.Judge(x, 0); !v.Certified(w.Margin) {
		d.t.Errorf("what was driven fails: %v: %+v", v.Worst(w.Margin), v[v.Worst(w.Margin)])
	}
	checkAtInstants(d.t, d.first, x)
}

func goalsOf(t plan.Team) (out []geom.Vec2) {
	for _, r := range t.Robots {
		out = append(out, r.Goal)
	}
	return out
}

func TestSessionDrivesWithoutAGap(t *testing.T) {
	thorough.Test(t)
	m := nav2d.Highways()
	d := newDrive(t, drawnTeam(t, m, 4, 41))
	wanted := d.replan(t.Context(), Update{})
	if wanted.Kind != Planned || wanted.Warm {
		t.Fatalf("first plan: %s, warm %v, %v", wanted.Kind, wanted.Warm, wanted.Reason)
	}
	for k := range 6 { // other goals while on the way, far away and near by in turns
		goals := goalsOf(drawnTeam(t, m, 4, uint32(42+k)))
		if k%2 == 1 {
			goals = goalsOf(d.team)
			goals[k%4].Y += math.Copysign(0.02, -goals[k%4].Y)
		}
		p := d.replan(t.Context(), Update{Steps: 3 + k, Goals: goals})
		if p.Kind != Planned || p.Reason != nil || p.Warm != (k%2 == 1) {
			t.Errorf("replan %d: %s, warm %v: %v", k, p.Kind, p.Warm, p.Reason)
		}
	}
	hopeless := goalsOf(d.team)
	hopeless[1] = hopeless[0]
	if p := d.replan(t.Context(), Update{Steps: 5, Goals: hopeless}); len(p.Halted) != 1 || p.Halted[0].Robot != d.team.Robots[1].Name || !isCollision(p.Halted[0].Reason) {
		t.Errorf("%s, halted %v, want the second robot because two goals overlap", p.Kind, p.Halted)
	}
	if p := d.replan(t.Context(), Update{Steps: 63}); len(p.Halted) != 1 || p.Kind == Stopped {
		t.Errorf("%s, %d halted while one goal is out of the question", p.Kind, len(p.Halted))
	}
	p := d.replan(t.Context(), Update{Steps: 2, Goals: goalsOf(d.first)})
	if p.Kind != Planned {
		t.Errorf("%s when goals can be reached again: %v", p.Kind, p.Reason)
	}
	d.replan(t.Context(), Update{Steps: 63})
	d.check()
	for i, r := range d.first.Robots {
		n := len(d.driven[i])
		if at := d.driven[i][n-channels:]; at[0] != float32(r.Goal.X) || at[1] != float32(r.Goal.Y) {
			t.Errorf("%s ends at %v, its goal is %v", r.Name, at[:2], r.Goal)
		}
	}
}

func isCollision(err error) bool {
	var c *plan.CollisionError
	return errors.As(err, &c)
}

// Robots that cannot stop at once brake within their accelerations, keep their distance
// from traffic and carry their velocity from plan to plan.
func TestSessionWithAccelerationsAmongTraffic(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 3, 5)
	for i := range team.Robots {
		team.Robots[i].Acceleration = 1.5
	}
	path := make([]geom.Vec2, 64)
	for h := range path {
		path[h] = geom.Vec2{X: -0.95 + 0.03*float64(h), Y: -0.93}
	}
	team.Traffic = []plan.Mover{{Name: "tram", Radius: 0.05, Path: path}}
	team.Margin = 0.01
	d := newDrive(t, team)
	if p := d.replan(t.Context(), Update{Steps: 1}); p.Kind != Planned {
		t.Fatalf("%s: %v", p.Kind, p.Reason)
	}
	if p := d.replan(t.Context(), Update{Steps: 20}); p.Kind == Stopped {
		t.Errorf("stopped on the way to its goals: %v", p.Reason)
	}
	far := goalsOf(team)
	far[2] = geom.Vec2{X: 40, Y: 0}
	p := d.replan(t.Context(), Update{Steps: 4, Goals: far})
	if len(p.Halted) != 1 || p.Halted[0].Robot != team.Robots[2].Name {
		t.Errorf("%s, halted %v, want the third robot because its goal is out of reach", p.Kind, p.Halted)
	}
	moving := 0
	for _, r := range p.Team.Robots {
		if r.StartVelocity.Norm() > 0.05 {
			moving++
		}
	}
	if moving == 0 {
		t.Error("no robot moves when it has to stop")
	}
	d.replan(t.Context(), Update{Steps: 30})
	d.check()
}

// A context that has ended leaves the plan before in force where it leads to the goals,
// and a stop where it does not.
func TestSessionAtADeadline(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	d := newDrive(t, drawnTeam(t, nav2d.Empty(), 4, 8))
	if p := d.replan(ended, Update{}); p.Kind != Stopped || !errors.Is(p.Reason, context.Canceled) {
		t.Errorf("%s because of %v, want a stop because time is over", p.Kind, p.Reason)
	}
	d.replan(t.Context(), Update{})
	if p := d.replan(ended, Update{Steps: 10}); p.Kind != Continued || p.Reason != nil {
		t.Errorf("%s because of %v, want the plan before", p.Kind, p.Reason)
	}
	if p := d.replan(ended, Update{Steps: 10, Goals: goalsOf(drawnTeam(t, nav2d.Empty(), 4, 9))}); p.Kind != Stopped {
		t.Errorf("%s, want a stop: no plan leads to the new goals", p.Kind)
	}
	d.check()
}

// A team that is planned for again and again arrives when its first plan does: a plan
// that arrives later does not replace it.
func TestSessionArrives(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 3, 6)
	d := newDrive(t, team)
	d.replan(t.Context(), Update{})
	for range 7 {
		if p := d.replan(t.Context(), Update{Steps: 9}); p.Kind == Stopped {
			t.Errorf("stopped: %v", p.Reason)
		}
	}
	d.check()
	for i, r := range team.Robots {
		n := len(d.driven[i])
		if at := d.driven[i][n-channels:]; at[0] != float32(r.Goal.X) || at[1] != float32(r.Goal.Y) {
			t.Errorf("%s is at %v after 63 steps, its goal is %v", r.Name, at[:2], r.Goal)
		}
	}
}

func TestSessionIsDeterministic(t *testing.T) {
	var want []tensor.Batch
	for _, workers := range []int{1, 3} {
		team := drawnTeam(t, nav2d.Conveyor(), 4, 12)
		o := sessionOptions()
		o.Workers = workers
		s, err := New(team, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []Update{{}, {Steps: 6, Goals: goalsOf(drawnTeam(t, nav2d.Conveyor(), 4, 13))}} {
			if _, err := s.Replan(t.Context(), u); err != nil {
				t.Fatal(err)
			}
		}
		for i, x := range s.Plan().Trajectories {
			if want != nil && !slices.Equal(x.Data, want[i].Data) {
				t.Errorf("the path of robot %d depends on the number of goroutines", i)
			}
		}
		want = s.Plan().Trajectories
	}
}

// Traffic that parks on a robot leaves no safe plan: the least bad stop is in force, and says what it
// touches.
func TestSessionWithoutAnyWayOut(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of TestSessionIsDeterministic")
	}
	team := drawnTeam(t, nav2d.Empty(), 2, 3)
	d := newDrive(t, team)
	path := make([]geom.Vec2, 64)
	for h := range path {
		path[h] = team.Robots[1].Start
	}
	p, err := d.Replan(t.Context(), Update{Traffic: []plan.Mover{{Name: "truck", Radius: 0.2, Path: path}}})
	if err != nil || p.Kind != Unsafe || p.Certificate.Certified || d.Plan() != p || p.Reason == nil {
		t.Fatalf("%+v, %v, want an unsafe stop", p, err)
	}
	if len(p.Contacts) != 1 || p.Contacts[0].Robot != team.Robots[1].Name || p.Contacts[0].Other != "truck" || p.Contacts[0].Seconds != 0 || p.Contacts[0].Speed != 0 {
		t.Errorf("contacts %+v, want robot 1 and the truck at once, at rest", p.Contacts)
	}
	if p, err = d.Replan(t.Context(), Update{Traffic: []plan.Mover{}}); err != nil || p.Kind != Planned {
		t.Errorf("%s, %v when the truck is gone", p.Kind, err)
	}
}

// The plan begins where the robots are measured to be, not where the one before had them.
func TestSessionFromMeasuredStates(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 2, 3)
	d := newDrive(t, team)
	d.replan(t.Context(), Update{})
	states := []State{{Position: geom.Vec2{X: -0.5, Y: 0.25}}, {Position: geom.Vec2{X: 0.5, Y: 0.25}, Velocity: geom.Vec2{X: 0.25}}}
	p, err := d.Replan(t.Context(), Update{Steps: 4, States: states})
	if err != nil || p.Kind != Planned || p.Warm {
		t.Fatalf("%+v, %v", p, err)
	}
	if got := p.Trajectories[1].Data[:channels]; !slices.Equal(got, []float32{0.5, 0.25, 0.25, 0}) {
		t.Errorf("begins in state %v", got)
	}
}

func TestSessionRefusesWhatMakesNoSense(t *testing.T) {
	team := drawnTeam(t, nav2d.Empty(), 2, 3)
	s, err := New(team, sessionOptions())
	if err != nil {
		t.Fatal(err)
	}
	nan := geom.Vec2{X: math.NaN()}
	for name, u := range map[string]Update{
		"steps":             {Steps: -1},
		"time":              {Within: -1},
		"states":            {States: make([]State, 1)},
		"goals":             {Goals: make([]geom.Vec2, 3)},
		"seconds":           {Seconds: -1},
		"no obstacle":       {Obstacles: []geom.Convex{{}}},
		"nobody stops":      {Stop: []string{"eve"}},
		"nobody leaves":     {Leave: []string{"eve"}},
		"all leave":         {Leave: []string{team.Robots[0].Name, team.Robots[1].Name}},
		"joins twice":       {Join: []Newcomer{{Name: team.Robots[0].Name, Radius: 0.05}}},
		"joins in another":  {Join: []Newcomer{{Name: "eve", Radius: 0.05, Start: team.Robots[0].Start}}},
		"joins outside":     {Join: []Newcomer{{Name: "eve", Radius: 0.05, Start: geom.Vec2{X: 2}}}},
		"joins on lines":    {Join: []Newcomer{{Name: "eve\nada", Radius: 0.05, Start: geom.Vec2{X: 0.9, Y: -0.9}}}},
		"joins unseen":      {Join: []Newcomer{{Name: "eve\u202e", Radius: 0.05, Start: geom.Vec2{X: 0.9, Y: -0.9}}}},
		"state not finite":  {States: []State{{Position: nan}, {}}},
		"short path":        {Traffic: []plan.Mover{{Radius: 1, Path: make([]geom.Vec2, 3)}}},
		"negative radius":   {Traffic: []plan.Mover{{Radius: -1, Path: make([]geom.Vec2, 64)}}},
		"path not finite":   {Traffic: []plan.Mover{{Radius: 1, Path: slices.Repeat([]geom.Vec2{nan}, 64)}}},
		"map of other size": {Map: nav2d.NewMap("half", geom.Box{Max: geom.Vec2{X: 1, Y: 1}}, nil, nil)},
	} {
		var refused *UpdateError
		if _, err := s.Replan(t.Context(), u); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want an UpdateError", name, err)
		}
	}
	late := team
	late.Lateness = 0.5
	if _, err := New(late, sessionOptions()); !errors.As(err, new(*UpdateError)) {
		t.Errorf("%v for a team that may be late, want an UpdateError", err)
	}
	o := sessionOptions()
	o.Method = plan.PP
	if _, err := New(team, o); err == nil {
		t.Error("a method that searches is taken")
	}
	o = sessionOptions()
	paper, err := plan.SettingsByName("paper")
	if err != nil {
		t.Fatal(err)
	}
	o.Settings = paper
	if _, err := New(team, o); err == nil {
		t.Error("a preset without repair is taken")
	}
}
