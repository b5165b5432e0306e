package serve

import (
	"encoding/json"

	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/serve/internal/gate"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// answer returns the message of a certified plan.
func (p planning) answer(o *planner.Outcome[planner.PlanSummary]) (*pb.Plan, error) {
	s := o.Summary
	out := &pb.Plan{
		Name: s.Name, Units: &pb.Units{Length: s.Units.Length, Time: s.Units.Time, Speed: s.Units.Speed},
		Times: s.Times, Certificate: certificate(s.Plan.Certificate), Length: s.Plan.Length, Seed: s.Seed, Motion: string(s.Motion),
		Seconds: secondsOf(s, p.pass),
	}
	for _, robot := range s.Robots {
		path := &pb.Path{Name: robot.Name, Radius: robot.Radius}
		for _, state := range s.Plan.Trajectories[robot.Name] {
			path.X, path.Y = append(path.X, float64(state[0])), append(path.Y, float64(state[1]))
			path.Vx, path.Vy = append(path.Vx, float64(state[2])), append(path.Vy, float64(state[3]))
		}
		out.Robots = append(out.Robots, path)
	}
	if p.brief {
		return out, nil
	}
	text, err := json.MarshalIndent(s, "", "  ")
	out.Document = string(text) + "\n"
	return out, err
}

// secondsOf says where the time of a plan went.
func secondsOf(s *planner.PlanSummary, pass *gate.Pass) *pb.Seconds {
	return &pb.Seconds{
		Waiting: pass.Waited.Seconds(), Model: s.Seconds.Model, Coupling: s.Seconds.Coupling, Projection: s.Seconds.Projection,
		Repair: s.Plan.Seconds, Total: s.Seconds.Total + s.Plan.Seconds,
	}
}

// certificate returns the message of a certificate.
func certificate(c plan.Certificate) *pb.Certificate {
	out := &pb.Certificate{Certified: c.Certified, Margin: c.Margin}
	for _, m := range c.Margins {
		margin := &pb.Margin{
			Constraint: m.Constraint, Margin: m.Margin, Robot: m.Robot, Other: m.Other, Segment: int32(m.Segment), X: m.At[0], Y: m.At[1],
		}
		if m.Nearest != nil {
			margin.Obstacle = new(int32(*m.Nearest))
		}
		out.Margins = append(out.Margins, margin)
	}
	return out
}
