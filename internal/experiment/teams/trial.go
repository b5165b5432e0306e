package teams

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/cputime"
	"github.com/go-pcd/pcd/internal/metric"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// Trial is what one trial gave.
type Trial struct {
	// Certified says that the plan keeps all constraints in continuous time, Free that no
	// two robots and no robot and obstacle touch.
	Certified bool `json:"certified"`
	Free      bool `json:"free"`
	// Fails lists the constraints that fail.
	Fails []string `json:"fails,omitempty"`
	// Differ lists the constraints that the second judge has another opinion of.
	Differ []string `json:"differ,omitempty"`
	// Seconds is the time from task to plan, Processor that of all processors together,
	// Repair the part of Seconds after sampling.
	Seconds   float64           `json:"seconds"`
	Processor float64           `json:"processor"`
	Repair    float64           `json:"repair"`
	Search    plan.SearchStatus `json:"search,omitempty"`  // how a search ended
	Changes   []plan.ChangeKind `json:"changes,omitempty"` // beyond a repair and a faster drive along the same ways
	Plan      *Paths            `json:"plan,omitempty"`    // nil when a search found no paths
}

// Paths says what the paths of a plan are like. Lengths are in map units.
type Paths struct {
	// Before and After are the adherence to the motion pattern of the sample that the
	// plan was made from and of the plan, means over robots.
	Before       float64 `json:"da_before"`
	After        float64 `json:"da_after"`
	Displacement float64 `json:"displacement"` // the largest of a waypoint
	Length       float64 `json:"length"`       // mean over robots
	// Clearance is the smallest gap of robots to each other and to obstacles at any
	// moment, negative in contact.
	Clearance float64 `json:"clearance"`
	// Acceleration is the mean over robots and waypoints of the change of velocity, per
	// second squared: what smooth paths have little of.
	Acceleration float64 `json:"acceleration"`
}

// stopwatch measures both times.
type stopwatch struct {
	began time.Time
	busy  time.Duration
}

func startWatch() stopwatch { return stopwatch{time.Now(), cputime.Process()} }

func (s stopwatch) stop() (seconds, processor float64) {
	return time.Since(s.began).Seconds(), (cputime.Process() - s.busy).Seconds()
}

// describe fills a trial from the result of a run.
func (t *Trial) describe(team plan.Team, r *plan.Result) error {
	if r.Search != nil {
		t.Search = r.Search.Status
	}
	d := r.Nearest()
	if d == nil {
		t.Fails = []string{"no path"}
		return nil
	}
	t.Certified, t.Repair = d.Certificate.Certified, d.Seconds
	for _, m := range d.Certificate.Margins {
		if !m.Kept(d.Certificate.Margin) {
			t.Fails = append(t.Fails, m.Constraint)
		}
	}
	t.Free = !slices.Contains(t.Fails, separation.Bodies.String()) && !slices.Contains(t.Fails, separation.Obstacles.String())
	for _, c := range d.Changes {
		if c.Kind != plan.Moved && c.Kind != plan.Hastened {
			t.Changes = append(t.Changes, c.Kind)
		}
	}
	t.Plan = describePaths(team, r)
	var err error
	t.Differ, err = differences(team, d)
	return err
}

func describePaths(team plan.Team, r *plan.Result) *Paths {
	d := r.Nearest()
	mean := func(v []float64) float64 { m, _ := metric.Moments(v); return m }
	p := &Paths{
		Before: mean(r.Judged[d.Sample].Adherence), After: mean(d.Judged.Adherence), Displacement: d.Displacement,
		Length: d.Length / float64(len(team.Robots)), Clearance: *d.Certificate.Gap(separation.Bodies),
	}
	if gap := d.Certificate.Gap(separation.Obstacles); gap != nil {
		p.Clearance = min(p.Clearance, *gap)
	}
	for _, path := range pathsOf(d.Trajectories) {
		p.Acceleration += acceleration(path, team.Step) / float64(len(team.Robots))
	}
	return p
}

// acceleration returns the mean change of velocity along a path, per second squared.
func acceleration(path []geom.Vec2, step float64) (sum float64) {
	for h := 1; h+1 < len(path); h++ {
		sum += path[h+1].Sub(path[h]).Sub(path[h].Sub(path[h-1])).Norm()
	}
	return sum / float64(max(len(path)-2, 1)) / (step * step)
}

// pathsOf returns the positions of trajectories of one joint sample.
func pathsOf(x []tensor.Batch) (paths [][]geom.Vec2) {
	for _, b := range x {
		paths = append(paths, geom.Points(nil, b.Sample(0), b.Shape[1]))
	}
	return paths
}

// differences lists the constraints of which the certificate of a plan and the second
// judge say different things. A certificate may refuse what is a tie.
func differences(team plan.Team, d *plan.Plan) (differ []string, err error) {
	if d.Curves != nil {
		if d.Certificate.Certified && !Sample(team, d).Kept() {
			differ = []string{"samples of the curves"}
		}
		return differ, nil
	}
	rules := team.Rules()
	judge := navmetric.Continuous{Bounds: team.Map.Bounds, Radii: rules.Radii, HalfRange: rules.HalfRange, Step: team.Step}
	for _, r := range team.Robots {
		judge.Limits = append(judge.Limits, r.Limit)
	}
	if judge.Obstacles, err = boxesOf(team.Map); err != nil {
		return nil, err
	}
	m, err := judge.Judge(pathsOf(d.Trajectories))
	if err != nil {
		return nil, err
	}
	for kind, f := range map[separation.Kind]navmetric.Finding{
		separation.Speed: m.Speed, separation.Bodies: m.Separation, separation.Obstacles: m.Obstacles, separation.Border: m.Border,
	} {
		if kept := keptBy(d.Certificate, kind); kept != (f.Broken == 0) && (kept || f.Ties == 0) {
			differ = append(differ, kind.String())
		}
	}
	slices.Sort(differ)
	return differ, nil
}

// keptBy reports whether a certificate says that a constraint is kept.
func keptBy(c plan.Certificate, kind separation.Kind) bool {
	return !slices.ContainsFunc(c.Margins, func(m plan.ConstraintMargin) bool {
		return m.Constraint == kind.String() && !m.Kept(c.Margin)
	})
}

// boxesOf returns the obstacles of a published map as they are defined.
func boxesOf(m *nav2d.Map) (boxes []geom.RoundedBox, err error) {
	for _, o := range m.Obstacles {
		b, ok := o.(geom.RoundedBox)
		if !ok {
			return nil, fmt.Errorf("teams: an obstacle of %s is no rounded box: %v", m.Name, o)
		}
		boxes = append(boxes, b)
	}
	return boxes, nil
}
