package serve

import (
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/settings"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// fieldError says which field of a request cannot be used.
type fieldError struct {
	Field  string // as in the schema
	Value  any
	Reason string
}

func (e *fieldError) Error() string {
	return fmt.Sprintf("serve: %s is %v, %s", e.Field, e.Value, e.Reason)
}

// noRemedies leaves no time to look for what helps where there is no plan.
const noRemedies = -24 * time.Hour

// planRequest returns what a message asks the planner for.
func (s *Server) planRequest(m *pb.PlanRequest) (planner.PlanRequest, error) {
	r := planner.PlanRequest{Task: "scene", Models: s.models.find, Memory: &s.memory, RemedyTime: noRemedies, Files: opener(m.GetFiles())}
	if !m.GetBrief() && m.GetWithin() == 0 {
		r.RemedyTime = 0
	}
	if w := m.GetWithin(); !(w >= 0 && w <= s.config.Longest.Seconds()) {
		return r, &fieldError{"within", w, fmt.Sprintf("want 0 to %g seconds", s.config.Longest.Seconds())}
	}
	if err := setTask(&r, m); err != nil {
		return r, err
	}
	s.setSettings(&r, m.GetSettings())
	return r, s.checkNumbers(r)
}

// checkNumbers refuses numbers that the service does not take. The planner, which takes more, would name bounds that are not
// those in force.
func (s *Server) checkNumbers(r planner.PlanRequest) error {
	for _, n := range []struct {
		field string
		value *int
		most  int
		row   settings.Number
	}{{"samples", r.Samples, s.config.Samples, planner.PlanSamples}, {"robots", r.Robots, s.config.Robots, planner.PlanRobots}} {
		most := min(n.most, int(n.row.High))
		if v := n.value; v != nil && (*v < 1 || *v > most) {
			return &fieldError{n.field, *v, fmt.Sprintf("want 1 to %d", most)}
		}
	}
	return nil
}

// setTask fills in what is to be planned.
func setTask(r *planner.PlanRequest, m *pb.PlanRequest) error {
	switch task := m.GetTask().(type) {
	case *pb.PlanRequest_Map:
		r.Task = task.Map.GetName()
		r.Robots, r.Trial, r.Radius = whole(task.Map.Robots), whole(task.Map.Trial), task.Map.Radius
		if r.Task == "" {
			return &fieldError{"map.name", `""`, "want the name of a published map"}
		}
	case *pb.PlanRequest_Yaml:
		r.Scene = &task.Yaml
	case *pb.PlanRequest_Scene:
		text, err := protojson.Marshal(task.Scene) // JSON is YAML
		if err != nil {
			return &fieldError{"scene", err, "want numbers, texts and lists of them"}
		}
		r.Scene = new(string(text))
	default:
		return &fieldError{"task", "missing", "want one of scene, yaml and map"}
	}
	if r.Scene != nil && len(*r.Scene) > nav2d.MaxSceneBytes {
		return &fieldError{"scene", fmt.Sprintf("%d bytes", len(*r.Scene)), fmt.Sprintf("want at most %d", nav2d.MaxSceneBytes)}
	}
	return nil
}

// setSettings fills in how to plan.
func (s *Server) setSettings(r *planner.PlanRequest, m *pb.Settings) {
	if m == nil {
		return
	}
	r.Method, r.Preset, r.Prefer, r.Motion, r.Seed = m.GetMethod(), m.GetPreset(), m.GetPrefer(), m.GetMotion(), m.Seed
	r.Samples, r.SeparationSteps = whole(m.Samples), whole(m.SeparationSteps)
	r.Limit, r.Gamma, r.Repair = m.Vmax, m.Gamma, m.Repair
}

// whole returns a number as the planner has it.
func whole(v *int32) *int {
	if v == nil {
		return nil
	}
	return new(int(*v))
}

// size says how large a request is, for the prediction of its time.
func size(r planner.PlanRequest) float64 {
	n := 100.0 * planner.DefaultRobots
	switch {
	case r.Scene != nil:
		n = float64(len(*r.Scene))
	case r.Robots != nil:
		n = 100 * float64(max(*r.Robots, 1))
	}
	if r.Samples != nil {
		n *= float64(max(*r.Samples, 1))
	}
	return n
}

// kind says which requests are alike. Of any number of requests there are few kinds: what is known of them stays in memory.
func kind(m *pb.PlanRequest) string {
	return fmt.Sprintf("%s %s %.0f", m.GetSettings().GetMethod(), m.GetSettings().GetPreset(), math.Ceil(m.GetWithin()))
}

// A request that is the first of its kind is taken to take so many processor seconds.
const firstSeconds = 0.2

// checkSize refuses a task that is larger than the service takes.
func (s *Server) checkSize(t *planner.PlanTask) error {
	if n := len(t.Team.Robots); n > s.config.Robots {
		return &fieldError{"robots", n, fmt.Sprintf("want at most %d", s.config.Robots)}
	}
	if n := t.Options.Samples; n > s.config.Samples {
		return &fieldError{"samples", n, fmt.Sprintf("want at most %d", s.config.Samples)}
	}
	return nil
}
