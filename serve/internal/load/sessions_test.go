package load

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

var drives = flag.Duration("sessions", 0, "time that teams drive")

// How teams drive: their number, the time between two updates, and how far ahead of now a
// plan takes over, in seconds.
const (
	teams = 20
	every = 100 * time.Millisecond
	ahead = 0.25
)

// session is what is read of the plan in force.
type session struct {
	ID     string
	Number string
	Kind   string
	Plan   struct {
		Times  []float64
		Motion string
		Robots []struct {
			Name         string
			X, Y, Vx, Vy []float64
		}
	}
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

// hall is the scene of every team.
func hall() map[string]any {
	robot := func(name string, x, y, gx, gy float64) map[string]any {
		return map[string]any{"name": name, "start": []any{x, y}, "goal": []any{gx, gy}, "radius": 0.3, "speed": 2.0}
	}
	return map[string]any{
		"units": "m", "duration": 12.6, "bounds": map[string]any{"min": []any{0, 0}, "max": []any{10, 10}},
		"circles": []any{map[string]any{"center": []any{5, 5}, "radius": 0.8}},
		"robots":  []any{robot("ada", 1, 2, 9, 8), robot("bob", 9, 2, 1, 8), robot("cleo", 1, 5, 9, 5)},
	}
}

// team drives: it follows the plan in force on the clock.
type team struct {
	c       *http.Client
	url     string
	random  *rand.Rand
	now     session
	begins  float64 // time at which the plan in force begins
	paths   map[string]*driven
	kinds   map[string]int
	updates int
	late    int
	goals   [][2]float64
	err     error
}

// drive opens a session and drives for a time.
func (d *team) drive(lasts time.Duration) {
	d.paths, d.kinds = map[string]*driven{}, map[string]int{}
	if status, err := call(d.c, d.url, "", "SessionService/OpenSession", map[string]any{"request": map[string]any{"scene": hall()}}, &d.now); err != nil || status != http.StatusOK {
		d.err = fmt.Errorf("opening: %d %v", status, err)
		return
	}
	clock := time.Now()
	for tick := time.NewTicker(every); time.Since(clock) < lasts && d.err == nil; <-tick.C {
		d.update(clock)
	}
	d.follow(len(d.now.Plan.Times) - 1)
}

// update asks for the next plan, and now and then for other goals.
func (d *team) update(clock time.Time) {
	times := d.now.Plan.Times
	step := times[1] - times[0]
	steps := max(1, int(math.Ceil((time.Since(clock).Seconds()+ahead-d.begins)/step)))
	steps = min(steps, len(times)-1)
	m := map[string]any{"id": d.now.ID, "steps": steps}
	if d.updates++; d.updates%20 == 0 { // every two seconds
		g := d.goals[d.random.IntN(len(d.goals))]
		m["goals"] = []any{map[string]any{"robot": []string{"ada", "bob", "cleo"}[d.random.IntN(3)], "x": g[0] + d.random.Float64()/4, "y": g[1]}}
	}
	var next session
	status, err := call(d.c, d.url, "", "SessionService/Update", m, &next)
	deadline := d.begins + float64(steps)*step
	switch {
	case err != nil:
		d.err = err
	case status == http.StatusOK:
		if time.Since(clock).Seconds() > deadline {
			d.late++
		}
		d.kinds[next.Kind]++
		d.follow(steps)
		d.begins, d.now = deadline, next
	case status == http.StatusBadRequest || status == http.StatusTooManyRequests: // a goal that is taken, or no core: the plan goes on
		d.kinds[fmt.Sprint(status)]++
	default:
		d.err = fmt.Errorf("update: %d", status)
	}
}

// follow drives so many waypoints of the plan in force. The next plan begins with the last.
func (d *team) follow(steps int) {
	for _, r := range d.now.Plan.Robots {
		p := d.paths[r.Name]
		if p == nil {
			p = &driven{Robot: r.Name}
			d.paths[r.Name] = p
		}
		for h := range steps + 1 {
			t := d.begins + d.now.Plan.Times[h]
			if n := len(p.Times); n > 0 && t <= p.Times[n-1]+1e-9 {
				continue
			}
			p.Times, p.X, p.Y = append(p.Times, t), append(p.X, r.X[h]), append(p.Y, r.Y[h])
			if d.now.Plan.Motion == "curve" {
				p.Vx, p.Vy = append(p.Vx, r.Vx[h]), append(p.Vy, r.Vy[h])
			}
		}
	}
}

// Teams that drive with sessions, ten updates a second each, never touch: the judge of paths
// says so of what was driven.
func TestSessions(t *testing.T) {
	if *drives == 0 {
		t.Skip("takes a minute: ask for it with -sessions 60s")
	}
	s := start(t, nil, "--waiting", "128")
	var all [teams]team
	var driving sync.WaitGroup
	for i := range all {
		all[i] = team{c: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}, url: s.url, random: rand.New(rand.NewPCG(7, uint64(i))),
			goals: [][2]float64{{1, 1.2}, {9, 1.2}, {1, 8.8}, {9, 8.8}, {1, 5}, {9, 5}, {5, 1}, {5, 9}}}
		driving.Go(func() { all[i].drive(*drives) })
	}
	driving.Wait()
	updates, late, kinds := 0, 0, map[string]int{}
	for i := range all {
		d := &all[i]
		if d.err != nil {
			t.Errorf("team %d: %v", i, d.err)
			continue
		}
		updates, late = updates+d.updates, late+d.late
		for k, n := range d.kinds {
			kinds[k] += n
		}
		var paths []*driven
		for _, name := range []string{"ada", "bob", "cleo"} {
			paths = append(paths, d.paths[name])
		}
		var verdict struct {
			Certified bool
			Contacts  []map[string]any
			Exceeded  []map[string]any
		}
		status, err := call(d.c, s.url, "", "JudgeService/Judge", map[string]any{"scene": hall(), "paths": paths, "anywhere": true, "brief": true}, &verdict)
		if err != nil || status != http.StatusOK || len(verdict.Contacts) > 0 {
			t.Errorf("team %d: %d %v: %d contacts, first %v", i, status, err, len(verdict.Contacts), slices.Concat(verdict.Contacts, []map[string]any{nil})[0])
		}
		if n := len(verdict.Exceeded); n > 0 {
			t.Logf("team %d: %d limits exceeded, first %v", i, n, verdict.Exceeded[0])
		}
	}
	t.Logf("%d teams for %v: %d updates, %.1f a second and team, %d after their deadline (%.2f %%); %v", teams, *drives, updates,
		float64(updates)/drives.Seconds()/teams, late, 100*float64(late)/float64(max(updates, 1)), kinds)
}
