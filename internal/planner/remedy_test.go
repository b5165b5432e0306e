package planner

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
)

// refusal returns what a scene without a plan is answered.
func refusal(t *testing.T, scene string) string {
	t.Helper()
	o := planned(t, PlanRequest{Task: "s.yaml", Scene: &scene, Samples: new(1)})
	var refused *InfeasibleError
	if !errors.As(o.Verdict, &refused) {
		t.Fatalf("verdict %v, want infeasible", o.Verdict)
	}
	return refused.Error()
}

// Whoever does what is advised has a certified plan.
func TestRemediesHelp(t *testing.T) {
	t.Parallel()
	door := "bounds: {min: [0, 0], max: [10, 10]}\nboxes: [{center: [5, 2.3], size: [0.4, 4.6]}, {center: [5, 7.7], size: [0.4, 4.6]}]\n" +
		"robots: [{name: ada, start: [1, 5], goal: [9, 5], radius: 0.35, speed: 3.6}, {name: bob, start: [9, 5], goal: [1, 5], radius: 0.35, speed: 3.6}]\n"
	parked := "bounds: {min: [0, 0], max: [10, 10]}\nduration: 12\nboxes: [{center: [5, 2.2], size: [0.4, 4.4]}, {center: [5, 7.8], size: [0.4, 4.4]}]\n" +
		"robots: [{name: ada, start: [1, 5], goal: [9, 5], radius: 0.35, speed: 3}]\n"
	for name, c := range thorough.Named(map[string]struct{ refused, advice, mended string }{
		"more time":       {door + "duration: 2.3", "; with a duration of 4.6 s there is a certified plan", door + "duration: 4.6"},
		"without a robot": {parked + "traffic: [{name: van, radius: 0.4, path: [[0, 5, 5.1]]}]", "; without van there is a certified plan", parked},
	}, "without a robot") {
		t.Run(name, func(t *testing.T) {
			if got := refusal(t, c.refused); !strings.HasSuffix(got, c.advice) {
				t.Errorf("%q, want the advice %q", got, c.advice)
			}
			if o := planned(t, PlanRequest{Task: "s.yaml", Scene: &c.mended}); o.Verdict != nil || o.Summary.Plan == nil {
				t.Errorf("who does what is advised is told %v", o.Verdict)
			}
		})
	}
}

// refuseAdvice fails the test for a message that advises what does not help.
func refuseAdvice(t *testing.T, message string) {
	t.Helper()
	for _, advice := range []string{"s there is a certified plan", "widen", "step aside", "must wait", "more time", "1.4 wide"} {
		if strings.Contains(message, advice) {
			t.Errorf("%q advises %q", message, advice)
		}
	}
}

// Neither time nor room is advised where they do not help; [TestHopelessScenes] has another.
func TestNoRemedyThatDoesNotHelp(t *testing.T) {
	t.Parallel()
	for name, scene := range thorough.Named(map[string]string{
		"pinned between traffic and the border": "bounds: {min: [0, 0], max: [10, 2]}\nduration: 8\n" +
			"robots: [{name: ada, start: [9, 1], goal: [9.4, 1], radius: 0.4, speed: 1}]\ntraffic: [{name: truck, radius: 0.95, path: [[0, 1, 1], [4, 9, 1], [8, 1, 1]]}]",
		"corridor a hair too narrow for two": "bounds: {min: [0, 0], max: [12, 3]}\nduration: 12\nboxes: [{center: [6, 0.7004], size: [11.9, 0.2]}, {center: [6, 2.2996], size: [11.9, 0.2]}]\n" +
			"robots: [{name: ada, start: [1, 1.5], goal: [11, 1.5], radius: 0.35, speed: 3}, {name: bob, start: [11, 1.5], goal: [1, 1.5], radius: 0.35, speed: 3}]",
	}, "pinned between traffic and the border") {
		t.Run(name, func(t *testing.T) {
			got := refusal(t, scene)
			t.Log(got)
			refuseAdvice(t, got)
		})
	}
}

// Where a vehicle cannot keep its headings, it is told so: in a corridor in which it cannot turn round.
func TestHeadingsThatCannotBeKept(t *testing.T) {
	thorough.Test(t)
	corridor := "bounds: {min: [0, 0], max: [10, 1]}\nduration: 30\n" +
		"robots: [{name: cart, start: [1, 0.5], goal: [9, 0.5], radius: 0.3, speed: 1, turning_radius: 0.5, goal_heading: 3.1}]\n"
	if got := refusal(t, corridor); !strings.HasSuffix(got, "; without the headings of cart there is a certified plan") {
		t.Errorf("%q", got)
	}
	free := strings.Replace(corridor, ", goal_heading: 3.1", "", 1)
	if o := planned(t, PlanRequest{Task: "s.yaml", Scene: &free}); o.Verdict != nil {
		t.Errorf("who does what is advised is told %v", o.Verdict)
	}
}

// A search that its limit ends is refused as infeasible, also where it ended before anything was drawn.
func TestSearchLimitRefuses(t *testing.T) {
	t.Parallel()
	task, err := PlanRequest{Scene: crossing(1, ""), SearchLimit: new(time.Nanosecond)}.Check()
	if err != nil {
		t.Fatal(err)
	}
	var tried []string
	if _, err = task.Run(t.Context(), Watch{Trying: func(what string) { tried = append(tried, what) }}, nil); ClassOf(err) != Infeasible || !strings.Contains(err.Error(), "time limit of 1ns") {
		t.Errorf("%v", err)
	}
	if len(tried) == 0 || tried[len(tried)-1] != "" {
		t.Errorf("told %q, want that it has ended", tried)
	}
}

// Remedies have as much time as the run took and a little, and stay within a limit as far as it leaves them some.
func TestTimeForRemedies(t *testing.T) {
	task := &PlanTask{}
	for _, c := range []struct{ took, limit, want time.Duration }{
		{time.Minute, 0, time.Minute + remedyTime}, {time.Minute, time.Minute, remedyTime}, {10 * time.Second, time.Minute, 10*time.Second + remedyTime},
		{50 * time.Second, time.Minute, 10 * time.Second}, {3 * time.Second, 3 * time.Second, 300 * time.Millisecond},
	} {
		if got := task.forRemedies(c.took, c.limit); got != c.want {
			t.Errorf("after %v with a limit of %v: %v, want %v", c.took, c.limit, got, c.want)
		}
	}
	if got := task.tryRemedies(t.Context(), make([]remedy, 4), leastRemedy); got != "there was no time to try what may help" {
		t.Errorf("where there is time for none it is said that %s", got)
	}
	if task.Request.RemedyTime = -time.Hour; task.tryRemedies(t.Context(), nil, task.forRemedies(time.Second, 0)) != "" {
		t.Error("without time something is said of remedies")
	}
}

// What was tried to no avail and what there was no time for are told apart.
func TestWordsOfRemedies(t *testing.T) {
	for _, c := range []struct {
		failed, cut []string
		want        string
	}{
		{nil, nil, "nothing is known that would help"},
		{[]string{"without a", "without b"}, nil, "no plan was found either without a, or without b"},
		{nil, []string{"without a"}, "there was too little time to find one without a"},
		{[]string{"without a"}, []string{"without b"}, "no plan was found either without a; there was too little time to find one without b"},
	} {
		if got := noHelp(c.failed, c.cut); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
