package planner

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

// Whoever takes the duration that a refusal names has a plan.
func TestRefusalsOfTimeNameADuration(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the tests of package plan")
	}
	const scene = "bounds: {min: [0, 0], max: [10, 10]}\nduration: %s\n%s"
	for name, rest := range map[string]string{
		"speed":        "robots: [{start: [1, 1], goal: [9, 9], radius: 0.5, speed: 1}]",
		"acceleration": "acceleration: 0.3\nrobots: [{start: [1, 1], goal: [9, 9], radius: 0.5}]",
		"velocities":   "acceleration: 1\nboxes: [{center: [5, 5], size: [1, 1]}]\nrobots: [{start: [1, 4], goal: [9, 4], radius: 0.4, speed: 2, start_velocity: [1, 0]}, {start: [9, 6], goal: [1, 6], radius: 0.4, speed: 2}]",
	} {
		t.Run(name, func(t *testing.T) {
			short := fmt.Sprintf(scene, "3", rest)
			_, err := PlanRequest{Task: "s.yaml", Scene: &short, RemedyTime: time.Hour}.Check()
			var found *TimeError
			if !errors.As(err, &found) || ClassOf(err) != Infeasible {
				t.Fatalf("%v, want a duration", err)
			}
			mended := fmt.Sprintf(scene, fmt.Sprint(found.Seconds), rest)
			if o := planned(t, PlanRequest{Task: "s.yaml", Scene: &mended}); o.Verdict != nil {
				t.Errorf("%v; with it: %v", err, o.Verdict)
			}
		})
	}
}
