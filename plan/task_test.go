package plan

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
)

// A team that is no task, and options that nobody can follow, are refused before any compute: they made [Run] panic, or were
// passed over.
func TestTeamsThatAreNoTask(t *testing.T) {
	for want, c := range map[string]func(*Team, *Options){
		"no robots":          func(x *Team, _ *Options) { *x = Team{} },
		"no map":             func(x *Team, _ *Options) { x.Map = nil },
		"margin is NaN":      func(x *Team, _ *Options) { x.Margin = math.NaN() },
		"lateness of NaN":    func(x *Team, _ *Options) { x.Lateness = math.NaN() },
		"lateness of -1":     func(x *Team, _ *Options) { x.Lateness = -1 },
		"-1 waypoints":       func(x *Team, _ *Options) { x.Waypoints = -1 },
		`preference "short"`: func(_ *Team, o *Options) { o.Prefer = "short" },
		"time limit is -1s":  func(_ *Team, o *Options) { o.TimeLimit = -time.Second }, // as what is left until a moment may be
	} {
		team, o := pairOnEmpty(t), Options{Samples: 1}
		c(&team, &o)
		if r, err := Run(t.Context(), team, o); err == nil || r != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want an error with %q", r != nil, err, want)
		}
	}
	if err := (Team{}).Check(settings(t, "default")); !errors.Is(err, nav2d.ErrNoRobots) {
		t.Error(err)
	}
}
