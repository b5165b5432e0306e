package planner

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/judge"
	"github.com/go-pcd/pcd/internal/told"
)

// judgeLate judges for robots that are late: by as much as the scene asks for, and as the file
// says that it is certified for.
func (t *JudgeTask) judgeLate(ctx context.Context, s *JudgeSummary) error {
	claimed, asked := 0.0, 0.0
	if t.scene != nil {
		asked = t.scene.Lateness
	}
	if len(t.files) == 1 && t.files[0].Claim != nil {
		claimed = t.files[0].Claim.Lateness
	}
	if !s.Certificate.Certified || slices.ContainsFunc(t.world.Robots, func(r judge.Robot) bool { return r.Path.Times == nil }) {
		return nil
	}
	for _, seconds := range slices.Compact([]float64{claimed, asked}) {
		if seconds <= s.Certificate.Lateness {
			continue
		}
		l, err := t.world.JudgeLate(ctx, seconds)
		if err != nil {
			return err
		}
		if l.Gap >= t.world.Margin {
			s.Certificate.Lateness = seconds
			continue
		}
		other, _ := t.other(judge.Separation, l.Other)
		where := fmt.Sprintf("%s and %s come %.3g too near to each other when one is where it is to be at %s s and the other where it is to be at %s s",
			t.world.Robots[l.Robot].Name, other, t.world.Margin-l.Gap, told.Seconds(l.At[0]), told.Seconds(l.At[1]))
		if seconds == claimed {
			s.Contradictions = append(s.Contradictions, fmt.Sprintf("%s says that it is certified for robots up to %.4g s late, and %s", t.Request.Paths[0].Name, seconds, where))
		} else {
			s.Notes = append(s.Notes, fmt.Sprintf("not certified for the lateness of %.4g s that the scene asks for: %s", seconds, where))
		}
	}
	return nil
}
