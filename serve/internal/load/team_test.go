package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"sort"
	"time"
)

// How teams drive: the time between two updates, how far ahead of now a plan takes over, and how long a search for
// one may take, in seconds.
const (
	every    = 100 * time.Millisecond
	ahead    = 0.25
	deadline = 0.2
)

// disturbed is the number of updates between two disturbances.
const disturbed = 20

// session is what is read of the plan in force.
type session struct {
	ID     string
	Number string
	Kind   string
	From   float64
	Plan   struct {
		Times  []float64
		Robots []planned
	}
}

// planned is the way of a robot: cubics between waypoints.
type planned struct {
	Name         string
	X, Y, Vx, Vy []float64
}

// state is where a robot is, and how fast.
type state struct{ x, y, vx, vy float64 }

// at returns where the robot is when the clock of the plan shows t.
func (p planned) at(times []float64, t float64) state {
	last := len(times) - 1
	if t >= times[last] {
		return state{x: p.X[last], y: p.Y[last]}
	}
	k := max(sort.SearchFloat64s(times, t), 1)
	if times[k] == t {
		return state{p.X[k], p.Y[k], p.Vx[k], p.Vy[k]}
	}
	h := times[k] - times[k-1]
	u := (t - times[k-1]) / h
	cubic := func(x, v []float64) (at, speed float64) {
		a, b := v[k-1]*h, v[k]*h
		d := x[k] - x[k-1]
		c2, c3 := 3*d-2*a-b, a+b-2*d
		return x[k-1] + u*(a+u*(c2+u*c3)), (a + u*(2*c2+u*3*c3)) / h
	}
	var s state
	s.x, s.vx = cubic(p.X, p.Vx)
	s.y, s.vy = cubic(p.Y, p.Vy)
	return s
}

// driven is a motion as it was driven.
type driven struct {
	Robot string    `json:"robot"`
	Times []float64 `json:"times"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Vx    []float64 `json:"vx,omitempty"`
	Vy    []float64 `json:"vy,omitempty"`
}

func (d *driven) add(t float64, s state) {
	d.Times, d.X, d.Y = append(d.Times, t), append(d.X, s.x), append(d.Y, s.y)
	d.Vx, d.Vy = append(d.Vx, s.vx), append(d.Vy, s.vy)
}

// stretch is what was driven while nothing else changed.
type stretch struct {
	scene map[string]any
	paths map[string]*driven
	// free of promises: a robot was behind the plan, or the plan was unsafe and said so.
	unsafe bool
}

// robot is one of a scene.
func robot(name string, x, y, gx, gy float64) map[string]any {
	return map[string]any{"name": name, "start": []any{x, y}, "goal": []any{gx, gy}, "radius": 0.3, "speed": 2.0}
}

// hall is the scene of a team: half of it drives from either side, past a pillar.
func hall(robots int) map[string]any {
	all := []any{robot("r0", 1, 2, 9, 8), robot("r1", 9, 2, 1, 8), robot("r2", 1, 5, 9, 5)}[:min(robots, 3)]
	for i := 3; i < robots; i++ {
		y := 0.8 + 8.4*float64(i-3)/float64(max(robots-4, 1))
		all = append(all, robot(fmt.Sprintf("r%d", i), 2.2, y, 7.8, 10-y))
	}
	return map[string]any{
		"units": "m", "duration": 12.6, "margin": 0.05, "bounds": map[string]any{"min": []any{0, 0}, "max": []any{10, 10}},
		"circles": []any{circle(5, 5, 0.8)}, "robots": all,
	}
}

func circle(x, y, radius float64) map[string]any {
	return map[string]any{"center": []any{x, y}, "radius": radius}
}

// team follows the plan in force on the clock.
type team struct {
	c        *http.Client
	url      string
	random   *rand.Rand
	scene    map[string]any
	clock    func() float64 // seconds since it set out
	deadline float64        // of an update; 0 is none
	now      session
	begins   float64 // time at which the plan in force takes over
	driven   []*stretch
	kinds    map[string]int
	updates  int
	late     int
	answered []time.Duration
	err      error
}

// open opens a session.
func (d *team) open() {
	d.kinds = map[string]int{}
	if status, err := call(d.c, d.url, "", "SessionService/OpenSession", map[string]any{"request": map[string]any{"scene": d.scene}}, &d.now); err != nil || status != http.StatusOK {
		d.err = fmt.Errorf("opening: %d %v", status, err)
		return
	}
	d.begin()
}

// drive opens a session and drives for a time.
func (d *team) drive(lasts time.Duration) {
	d.open()
	began := time.Now()
	d.clock = func() float64 { return time.Since(began).Seconds() }
	for tick := time.NewTicker(every); time.Since(began) < lasts && d.err == nil; <-tick.C {
		d.update()
	}
	d.arrive()
}

// simulate is drive for so many updates on a clock of its own.
func (d *team) simulate(updates int) {
	d.open()
	now := 0.0
	d.clock = func() float64 { return now }
	for ; d.updates < updates && d.err == nil; now += every.Seconds() {
		d.update()
	}
	d.arrive()
}

// arrive drives the plan in force to its end.
func (d *team) arrive() {
	if d.err != nil {
		return
	}
	d.follow(d.begins+d.now.Plan.Times[len(d.now.Plan.Times)-1]-d.now.From, "", 0)
}

// begin begins a stretch.
func (d *team) begin() {
	scene := map[string]any{}
	for k, v := range d.scene {
		scene[k] = v
	}
	d.driven = append(d.driven, &stretch{scene: scene, paths: map[string]*driven{}, unsafe: d.now.Kind == "unsafe"})
}

// update asks for the next plan, and now and then for other goals, obstacles or robots, or because one is late.
func (d *team) update() {
	asked := d.clock()
	takeover := max(asked+ahead, d.begins)
	m := map[string]any{"id": d.now.ID, "number": d.now.Number, "seconds": takeover - d.begins, "deadline": d.deadline}
	then := func() {}
	if d.updates++; d.updates%disturbed == 0 {
		then = d.disturb(m, takeover)
	}
	var next session
	status, err := call(d.c, d.url, "", "SessionService/Update", m, &next)
	took := d.clock() - asked
	switch {
	case err != nil:
		d.err = err
	case status == http.StatusOK:
		if d.answered = append(d.answered, time.Duration(took*float64(time.Second))); asked+took > takeover {
			d.late++
		}
		d.kinds[next.Kind]++
		name, late := "", 0.0
		if l, ok := m["late"].([]any); ok {
			name, late = l[0].(map[string]any)["robot"].(string), l[0].(map[string]any)["seconds"].(float64)
			d.follow(max(asked, d.begins), "", 0)
			d.begin()
			d.driven[len(d.driven)-1].unsafe = true
		}
		d.follow(takeover, name, late)
		before := d.now.Kind
		d.begins, d.now = takeover, next
		if then(); d.updates%disturbed == 0 || before != next.Kind {
			d.begin()
		}
	case status == http.StatusBadRequest || status == http.StatusTooManyRequests || status == http.StatusGatewayTimeout: // the plan goes on
		d.kinds[fmt.Sprint(status)]++
		if asked+took > takeover {
			d.late++
		}
	default:
		d.err = fmt.Errorf("update: %d", status)
	}
}

// follow drives the plan in force up to a time, while a robot falls behind by some seconds.
func (d *team) follow(until float64, late string, by float64) {
	times, now := d.now.Plan.Times, d.driven[len(d.driven)-1]
	for _, r := range d.now.Plan.Robots {
		p := now.paths[r.Name]
		if p == nil {
			p = &driven{Robot: r.Name}
			now.paths[r.Name] = p
		}
		from := d.begins
		if n := len(p.Times); n > 0 {
			from = p.Times[n-1]
		} else {
			if last := len(d.driven) - 2; last >= 0 { // where the stretch before ended
				if was := d.driven[last].paths[r.Name]; was != nil && len(was.Times) > 0 {
					from = was.Times[len(was.Times)-1]
				}
			}
			p.add(from, r.at(times, from-d.begins+d.now.From))
		}
		if r.Name == late {
			const pieces = 20
			for k := 1; k <= pieces; k++ {
				t, back := from+(until-from)*float64(k)/pieces, by*float64(k)/pieces
				p.add(t, r.at(times, math.Max(t-back-d.begins+d.now.From, 0)))
			}
			p.Vx, p.Vy = nil, nil
			continue
		}
		for _, t := range times {
			if at := t - d.now.From + d.begins; at > from+1e-9 && at < until-1e-9 {
				p.add(at, r.at(times, t))
			}
		}
		if until > from+1e-9 {
			p.add(until, r.at(times, until-d.begins+d.now.From))
		}
	}
}
