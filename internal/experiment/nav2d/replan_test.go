package nav2d

import (
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

func TestMeasureReplans(t *testing.T) {
	thorough.Test(t)
	spec := ReplanSpec{Maps: []string{"highways"}, Robots: []int{4}, Replans: 24, Rate: 10, Seed: 3, Preset: "default"}
	rows, err := MeasureReplans(t.Context(), spec, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := rows[0]
	if n := r.Planned + r.Continued + r.Stopped; n != 24 || r.Planned < 20 || len(r.Reasons) != r.Stopped {
		t.Errorf("%+v, want 24 plans, most of them new", r)
	}
	if r.Warm == 0 || r.Warm == r.Planned {
		t.Errorf("%d of %d plans from the one before, want some: goals wander and jump", r.Warm, r.Planned)
	}
	if !(r.Median > 0 && r.Median <= r.Late && r.Late <= r.Longest) {
		t.Errorf("median %v, p99 %v, longest %v", r.Median, r.Late, r.Longest)
	}
	if r.Draws < 1 || r.Draws > 2 || r.Adherence < 0.5 || r.Adherence > 1 || r.Length < 0.1 {
		t.Errorf("%v draws, adherence %v, length %v", r.Draws, r.Adherence, r.Length)
	}
	more := rows
	spec.Replans = 2
	for spec.Deadline = 0.25; err == nil && more[0].Draws <= r.Draws && spec.Deadline < 200; spec.Deadline *= 4 { // more where the machine is busy
		more, err = MeasureReplans(t.Context(), spec, 0, nil)
	}
	if err != nil || more[0].Draws <= r.Draws {
		t.Errorf("%+v, %v, want more draws than without a deadline", more, err)
	}
	spec.Deadline = 0
	for name, bad := range map[string]func(*ReplanSpec){
		"no replans": func(s *ReplanSpec) { s.Replans = 0 }, "no map": func(s *ReplanSpec) { s.Maps = []string{"moon"} },
		"negative time": func(s *ReplanSpec) { s.Deadline = -1 }, "no rate": func(s *ReplanSpec) { s.Rate = 0 }, "no preset": func(s *ReplanSpec) { s.Preset = "none" },
	} {
		s := spec
		bad(&s)
		if _, err := MeasureReplans(t.Context(), s, 0, nil); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}
