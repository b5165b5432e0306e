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
	"github.com/go-pcd/pcd/plan"
)

var (
	emergencies = flag.Int("session.emergencies", 3, "emergencies that teams get into")
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

// timedSolid is an obstacle that is there from a time on.
type timedSolid struct {
	geom.Convex
	since float64
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
		d.solids = append(d.solids, timedSolid{Convex: c})
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
		if was, fast, there := d.state(r.Name, d.clock); there && (x.Dist(was) > 2e-6 || d.team.Motion == plan.Curve && v.Dist(fast) > 1e-6) {
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

// touches looks at all that has been driven from a time on, 200 times a second, with formulas of its own: the
// deepest contact, when the first one is, and the largest excess over limits.
func (d *recorded) touches(since float64) (deepest, first, excess float64) {
	const rate = 200
	first = math.Inf(1)
	before := map[string][2]geom.Vec2{}
	for k := int(math.Ceil(since * rate)); float64(k)/rate < d.clock; k++ {
		t := float64(k) / rate
		var all []geom.Vec2
		var radii []float64
		for _, r := range d.team.Robots {
			x, v, there := d.state(r.Name, t)
			if !there {
				continue
			}
			if last, ok := before[r.Name]; ok && d.team.Motion == plan.Curve {
				unit := d.team.LengthUnit() * max(r.Model.HalfRange()[0], r.Model.HalfRange()[1])
				excess = max(excess, x.Dist(last[0])*rate-r.Limit*unit, v.Dist(last[1])*rate-r.Acceleration*unit)
			}
			before[r.Name] = [2]geom.Vec2{x, v}
			all, radii = append(all, x), append(radii, d.team.RadiusOf(r))
		}
		overlap := 0.0
		for i, x := range all {
			for j := range i {
				overlap = max(overlap, radii[i]+radii[j]-x.Dist(all[j]))
			}
			for _, s := range d.solids {
				if t >= s.since {
					gap, _ := s.SignedDistance(x)
					overlap = max(overlap, radii[i]-gap)
				}
			}
		}
		if overlap > 1e-6 {
			deepest, first = max(deepest, overlap), min(first, t)
		}
	}
	return deepest, first, excess
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
		d.solids = append(d.solids, timedSolid{c, d.clock + after})
		return Update{Obstacles: append(slices.Clone(d.extra), c)}
	}
	switch kind {
	case 0: // an obstacle ahead
		return block(x.Add(ahead.Scale(0.6 + 2.4*r.Float64())))
	case 1: // a robot breaks down where it is
		c := geom.Convex{Core: geom.Polygon{x}, Radius: 0.3}
		d.solids = append(d.solids, timedSolid{c, d.clock + after})
		return Update{Leave: []string{name}, Obstacles: append(slices.Clone(d.extra), c)}
	default: // a goal is covered
		return block(d.team.TaskFrame().FromMap(d.team.Robots[i].Goal))
	}
}

// Teams on curves get into emergencies of all kinds. What is certified touches nothing, what is
// not says what and when, and the team goes on without a jump and within its limits.
func TestEmergencies(t *testing.T) {
	count := map[Kind]int{}
	var late, longest time.Duration
	told := 0
	if testing.Short() {
		*emergencies = min(*emergencies, 1)
	}
	for n := range *emergencies {
		r := rand.New(rand.NewPCG(11, uint64(n)))
		team := hallOf(t, plan.Curve, 500_000*float64(n%2), 5_000_000*float64(n%2))
		d := record(t, team)
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
		took := time.Duration(p.Elapsed * float64(time.Second))
		longest, late = max(longest, took), max(late, took-*within)
		if n%3 == 2 && p.Kind == Planned && len(p.Halted) != 1 {
			t.Errorf("emergency %d: %d halted, want the robot whose goal is covered", n, len(p.Halted))
		}
		contacts := p.Contacts
		d.after(1+r.Float64(), Update{Within: *within}) // and on
		d.after(30, Update{})
		deepest, first, excess := d.touches(happened)
		switch {
		case p.Kind != Unsafe && deepest > 0:
			t.Errorf("emergency %d: %s, and %.3g deep in contact at %.4g s", n, p.Kind, deepest, first-happened)
		case p.Kind == Unsafe && len(contacts) == 0:
			t.Errorf("emergency %d: unsafe, and it does not say why: %v", n, p.Reason)
		case p.Kind == Unsafe:
			told++
			if math.Abs(contacts[0].Seconds-(first-happened)) > 0.05 {
				t.Errorf("emergency %d: touches after %.4g s, it says %.4g", n, first-happened, contacts[0].Seconds)
			}
		}
		if excess > 2e-2 {
			t.Errorf("emergency %d: a limit is exceeded by %.3g", n, excess)
		}
	}
	t.Logf("%v; %d unsafe ones say what they touch; longest %v, %v after its time", count, told, longest, late)
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
	if deepest, first, excess := d.touches(0); deepest > 0 || excess > 2e-2 {
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
