package load

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/serve"
)

var (
	drives = flag.Duration("sessions", 0, "time that teams drive")
	teams  = flag.Int("teams", 20, "teams that drive")
	robots = flag.Int("robots", 3, "robots of a team")
)

// Teams that drive with sessions, ten updates a second each, never touch, whatever is put in their way: the judge
// of paths says so of what was driven. Nothing is promised for the time in which a robot is behind its plan, and for
// plans that say that they are unsafe.
func TestSessions(t *testing.T) {
	if *drives == 0 {
		t.Skip("takes a minute: ask for it with -sessions 60s")
	}
	s := start(t, nil, "--waiting", "128")
	all := make([]team, *teams)
	var driving sync.WaitGroup
	for i := range all {
		all[i] = team{c: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}, url: s.url, random: rand.New(rand.NewPCG(7, uint64(i))), scene: hall(*robots), deadline: deadline}
		driving.Go(func() { all[i].drive(*drives) })
	}
	driving.Wait()
	updates, late, kinds := 0, 0, map[string]int{}
	var took []time.Duration
	for i := range all {
		d := &all[i]
		if d.err != nil {
			t.Errorf("team %d: %v", i, d.err)
			continue
		}
		updates, late, took = updates+d.updates, late+d.late, append(took, d.answered...)
		for k, n := range d.kinds {
			kinds[k] += n
		}
		d.judge(t, fmt.Sprintf("team %d", i))
	}
	slices.Sort(took)
	t.Logf("%d teams of %d for %v: %d updates, %.1f a second and team, %d after their deadline (%.2f %%); answers p50 %v, p99 %v; %v; %.1f s of processor time of the server", *teams, *robots, *drives, updates,
		float64(updates)/drives.Seconds()/float64(*teams), late, 100*float64(late)/float64(max(updates, 1)), part(took, 0.5), part(took, 0.99), kinds, s.processor())
}

// Teams are driven through goals, obstacles, robots that come and go or are late, on a clock of their own.
func TestDisturbances(t *testing.T) {
	thorough.Test(t)
	handler, err := serve.New(serve.Config{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(handler.Handler())
	defer s.Close()
	kinds := map[string]int{}
	for seed := range uint64(2) {
		d := &team{c: s.Client(), url: s.URL, random: rand.New(rand.NewPCG(11, seed)), scene: hall(3)}
		if d.simulate(20 * disturbed / 2); d.err != nil {
			t.Fatal(d.err)
		}
		d.judge(t, fmt.Sprintf("team %d", seed))
		for k, n := range d.kinds {
			kinds[k] += n
		}
	}
	t.Log(kinds)
	if kinds["planned"] == 0 || kinds["continued"] == 0 || kinds["stretches"] < 10 {
		t.Errorf("%v: nothing was driven", kinds)
	}
}

// judge judges what a team has driven, stretch by stretch.
func (d *team) judge(t *testing.T, name string) {
	for k, s := range d.driven {
		var paths []*driven
		for _, p := range s.paths {
			if len(p.Times) > 1 {
				paths = append(paths, p)
			}
		}
		if len(paths) == 0 {
			continue
		}
		var verdict struct {
			Contacts []map[string]any
			Exceeded []map[string]any
		}
		scene := map[string]any{}
		for key, v := range s.scene {
			scene[key] = v
		}
		scene["margin"] = 0
		status, err := call(d.c, d.url, "", "JudgeService/Judge", map[string]any{"scene": scene, "paths": paths, "anywhere": true, "brief": true}, &verdict)
		switch n := len(verdict.Contacts); {
		case err != nil || status != http.StatusOK:
			t.Errorf("%s: stretch %d: %d %v", name, k, status, err)
		case n > 0 && s.unsafe:
			d.kinds["contacts without promise"] += n
		case n > 0:
			t.Errorf("%s: stretch %d: %d contacts, first %v", name, k, n, verdict.Contacts[0])
		}
		d.kinds["stretches"]++
	}
}
