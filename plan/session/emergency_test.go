//go:build unix

package session

import (
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

var (
	emergencies = flag.Int("session.emergencies", 0, "emergencies that teams get into (default: a few)")
	firstOne    = flag.Int("session.emergency", 0, "number of the first emergency")
	updates     = flag.Int("session.updates", 3, "plans for a team at ten a second")
	within      = flag.Duration("session.within", 100*time.Millisecond, "processor time for a plan in an emergency")
)

// recorded is what a team has driven: plans, each from one time to the next.
type recorded struct {
	*Session
	t      *testing.T
	pieces []recordedPiece
	clock  float64
	solids []timedSolid
}

type recordedPiece struct {
	plan     *Plan
	from, to float64 // on the clock of the execution
}

// timedSolid is an obstacle that is there from one time to another.
type timedSolid struct {
	geom.Convex
	since, until float64
}

func record(t *testing.T, team plan.Team) *recorded {
	t.Helper()
	s, err := New(team, plan.Options{Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	s.clock = processorTime
	d := &recorded{Session: s, t: t}
	w, err := team.World()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range w.Obstacles {
		d.solids = append(d.solids, timedSolid{Convex: c, until: math.Inf(1)})
	}
	return d
}

// after drives for some seconds and plans again.
func (d *recorded) after(seconds float64, u Update) *Plan {
	d.t.Helper()
	if u.Steps == 0 {
		u.Seconds = seconds
	}
	d.pieces = append(d.pieces, recordedPiece{d.Plan(), d.clock, d.clock + seconds})
	d.clock += seconds
	p, err := d.Replan(d.t.Context(), u)
	if err != nil {
		d.t.Fatal(err)
	}
	if p.Certificate.Certified == (p.Kind == Unsafe) {
		d.t.Fatalf("a plan that is %s and certified %v", p.Kind, p.Certificate.Certified)
	}
	for i, r := range d.team.Robots {
		x, v := wayOf(p, i).at(p.From)
		if was, fast, there := d.state(r.Name, d.clock); there && u.States == nil && (x.Dist(was) > 2e-6 || d.team.Motion == plan.Curve && v.Dist(fast) > 1e-6) {
			d.t.Fatalf("%s jumps from %v, %v to %v, %v", r.Name, was, fast, x, v)
		}
	}
	return p
}

// state returns where a robot is at a time of what has been driven.
func (d *recorded) state(name string, t float64) (x, v geom.Vec2, there bool) {
	for k := len(d.pieces) - 1; k >= 0; k-- {
		if p := d.pieces[k]; t >= p.from {
			for i, r := range p.plan.Team.Robots {
				if r.Name == name {
					x, v := wayOf(p.plan, i).at(p.plan.From + t - p.from)
					return x, v, true
				}
			}
			return x, v, false
		}
	}
	return x, v, false
}

// judged judges all that has been driven from a time on with the judge of paths from anywhere, which shares nothing with
// plans: piece by piece, as pieces begin where those before end. It returns the deepest contact, when the first one
// is, and the largest excess over a limit, as a part of it.
func (d *recorded) judged(since float64) (deepest, first, excess float64) {
	d.t.Helper()
	first = math.Inf(1)
	for _, p := range d.pieces {
		v, err := d.world(p, since).Judge(d.t.Context())
		if err != nil {
			d.t.Fatal(err)
		}
		for _, f := range v.Faults {
			switch f.Kind {
			case judge.Separation, judge.Obstacles, judge.Border:
				if p.to > since {
					deepest, first = max(deepest, f.By), min(first, f.From)
				}
			default:
				excess = max(excess, f.By)
			}
		}
	}
	return deepest, first, excess
}

// rounding is what robots may be off where one plan takes over from another, in metres.
const rounding = 4e-6

// world returns a piece of what has been driven with the obstacles that are there then.
func (d *recorded) world(p recordedPiece, since float64) *judge.World {
	w := &judge.World{}
	for _, s := range d.solids {
		if p.from >= s.since-1e-9 && p.from < s.until {
			w.Obstacles = append(w.Obstacles, s.Convex)
		}
	}
	for i, r := range p.plan.Team.Robots {
		unit := d.team.LengthUnit() * max(r.Model.HalfRange()[0], r.Model.HalfRange()[1])
		path := &paths.Path{Robot: r.Name}
		times := []float64{p.from}
		for k := 0; ; k++ {
			t := p.from + float64(k)*d.team.Step - p.plan.From
			if t > p.to-1e-6 {
				break
			} else if t > p.from+1e-6 {
				times = append(times, t)
			}
		}
		for _, t := range append(times, p.to) {
			is := p.plan.At(i, t-p.from)
			path.Times, path.X, path.V = append(path.Times, t), append(path.X, is.Position), append(path.V, is.Velocity)
		}
		n := len(path.V)
		w.Robots = append(w.Robots, judge.Robot{
			Name: r.Name, Radius: d.team.RadiusOf(r) - rounding, Path: path, Before: path.V[0], After: path.V[n-1],
			Speed: r.Limit * unit * (1 + 1e-3), Acceleration: r.Acceleration * unit * (1 + 5e-3),
		})
	}
	return w
}

// emergency gets a team on its way into trouble and returns the update that says so.
func (d *recorded) emergency(r *rand.Rand, kind int, after float64) Update {
	i := r.IntN(len(d.team.Robots))
	name := d.team.Robots[i].Name
	x, v := wayOf(d.Plan(), i).at(d.Plan().From + after)
	ahead := v.Unit()
	if v.Norm() < 0.05 {
		ahead = geom.Vec2{X: 1}
	}
	block := func(at geom.Vec2) Update {
		c := geom.Convex{Core: geom.Rectangle(at, geom.Vec2{X: 0.4, Y: 0.8}, math.Atan2(ahead.Y, ahead.X))}
		d.solids = append(d.solids, timedSolid{c, d.clock + after, math.Inf(1)})
		return Update{Obstacles: append(slices.Clone(d.extra), c)}
	}
	switch kind {
	case 0: // an obstacle ahead
		return block(x.Add(ahead.Scale(0.6 + 2.4*r.Float64())))
	case 1: // a robot breaks down and stands where it is, or it is told to stop
		if r.IntN(2) == 0 {
			return Update{Stop: []string{name}}
		}
		u := Update{Stop: []string{name}}
		for k := range d.team.Robots {
			u.States = append(u.States, d.Plan().At(k, after))
		}
		u.States[i].Velocity = geom.Vec2{}
		return u
	default: // a goal is covered
		return block(d.team.TaskFrame().FromMap(d.team.Robots[i].Goal))
	}
}

// over ends an emergency: obstacles of updates are gone, and robots that were told to stop may go. The team has as
// long as it takes for a plan.
func (d *recorded) over() *Plan {
	for k := range d.solids {
		if d.solids[k].since > 0 {
			d.solids[k].until = d.clock + 1 - 1e-9
		}
	}
	return d.after(1, Update{Obstacles: []geom.Convex{}, Stop: []string{}})
}

// Teams on curves get into emergencies of all kinds. What is certified touches nothing, what is
// not says what and when, and the team goes on without a jump and within its limits: whoever may goes to its goal,
// and when the emergency is over everybody does.
func TestEmergencies(t *testing.T) {
	count, goOn := map[Kind]int{}, 0
	var late, longest time.Duration
	told := 0
	if *emergencies == 0 {
		*emergencies = thorough.Cases(1, 3)
	}
	for n := *firstOne; n < *firstOne+*emergencies; n++ {
		r := rand.New(rand.NewPCG(11, uint64(n)))
		d := record(t, hallOf(t, plan.Curve, 500_000*float64(n%2), 5_000_000*float64(n%2)))
		d.after(0, Update{})
		calm := d.after(1+2*r.Float64(), Update{Within: *within})
		if calm.Kind == Unsafe {
			t.Fatalf("emergency %d: unsafe before it", n)
		}
		after := 0.2 + 1.5*r.Float64()
		u := d.emergency(r, n%3, after)
		u.Within = *within
		happened := d.clock + after
		p := d.after(after, u)
		count[p.Kind]++
		goOn += len(d.team.Robots) - len(p.Halted)
		if p.Kind == Stopped || p.Kind == Unsafe {
			goOn -= len(d.team.Robots) - len(p.Halted)
		}
		took := time.Duration(p.Elapsed * float64(time.Second))
		longest, late = max(longest, took), max(late, took-*within)
		if n%3 == 2 && p.Kind == Planned && len(p.Halted) != 1 {
			t.Errorf("emergency %d: %d halted, want the robot whose goal is covered", n, len(p.Halted))
		}
		d.after(1+r.Float64(), Update{Within: *within}) // and on
		d.after(10, Update{})
		last := d.over()
		d.after(30, Update{})
		d.arrived(n, p, last)
		deepest, first, excess := d.judged(happened)
		switch {
		case p.Kind != Unsafe && deepest > 0:
			t.Errorf("emergency %d: %s, and %.3g deep in contact at %.4g s", n, p.Kind, deepest, first-happened)
		case p.Kind == Unsafe && len(p.Contacts) == 0:
			t.Errorf("emergency %d: unsafe, and it does not say why: %v", n, p.Reason)
		case p.Kind == Unsafe:
			told++
			if math.Abs(p.Contacts[0].Seconds-(first-happened)) > 0.05 {
				t.Errorf("emergency %d: touches after %.4g s, it says %.4g", n, first-happened, p.Contacts[0].Seconds)
			}
		}
		if excess > 0 {
			t.Errorf("emergency %d: a limit is exceeded by %.3g", n, excess)
		}
	}
	t.Logf("%v, %d robots go on; %d unsafe ones say what they touch; longest %v, %v after its time", count, goOn, told, longest, late)
}

// arrived looks whether all robots are at their goals after an emergency is over; those that touch something at rest
// cannot leave it.
func (d *recorded) arrived(n int, p, last *Plan) {
	d.t.Helper()
	if p.Kind == Unsafe {
		return
	}
	for i, want := range d.Goals() {
		if at := d.Plan().At(i, 0); at.Position.Dist(want) > 1e-3 || at.Velocity.Norm() > 1e-9 {
			d.t.Errorf("emergency %d (%s, then %s): robot %d ends at %v with %v, want %v: %v", n, p.Kind, last.Kind, i, at.Position, at.Velocity, want, last.Reason)
		}
	}
}

// Six robots with accelerations among obstacles are planned for ten times a second while their goals
// wander; all of them arrive where they should be in the end.
func TestTenTimesASecond(t *testing.T) {
	if testing.Short() {
		t.Skip("drives for half a minute of its own time")
	}
	d := record(t, hallOf(t, plan.Curve, 0, 0))
	wanted := d.Goals()
	d.after(0, Update{})
	began := processorTime()
	kinds := map[Kind]int{}
	for k := range *updates {
		goals := slices.Clone(wanted)
		s, c := math.Sincos(float64(k) / 3)
		for i := range goals {
			goals[i] = goals[i].Add(geom.Vec2{X: c, Y: s}.Scale(0.2))
		}
		kinds[d.after(0.1, Update{Goals: goals}).Kind]++
	}
	spent := processorTime() - began
	d.after(0.1, Update{Goals: wanted})
	d.after(25, Update{})
	if deepest, first, excess := d.judged(0); deepest > 0 || excess > 0 {
		t.Errorf("%.3g deep in contact at %.4g s, a limit exceeded by %.3g", deepest, first, excess)
	}
	for i := range d.team.Robots {
		if at := d.Plan().At(i, 0); at.Position.Dist(wanted[i]) > 1e-3 || at.Velocity.Norm() > 1e-9 {
			t.Errorf("robot %d ends at %v with %v, want %v", i, at.Position, at.Velocity, wanted[i])
		}
	}
	t.Logf("%v; %v of processor time a plan", kinds, spent/time.Duration(*updates))
}

// processorTime is what the process has used, so that tests are told apart from what else a machine
// does.
func processorTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return time.Since(epoch)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
