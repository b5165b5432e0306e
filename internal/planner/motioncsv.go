package planner

import (
	"cmp"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/messages"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// motionFile is the table of a plan on curves.
const motionFile = "motion.csv"

// maxRows bounds the rows of a table.
const maxRows = 10_000_000

// rate returns how many rows a second the table has.
func (t *PlanTask) rate() float64 {
	most := maxRows / (t.duration() * float64(len(t.Team.Robots)))
	if r := t.Request.Rate; r != nil && t.Team.Shortest { // of which nobody knew how long it takes
		return min(*r, most)
	} else if r != nil {
		return *r
	}
	return min(PlanRate.Default, most)
}

// duration returns how long the plans of the task take, in seconds.
func (t *PlanTask) duration() float64 {
	return t.Team.Step * float64(cmp.Or(t.Team.Waypoints, t.Team.Robots[0].Model.Waypoints())-1)
}

// checkRate refuses a rate that has no effect, or makes a table too large.
func (t *PlanTask) checkRate() error {
	r, curved := t.Request.Rate, t.Team.Motion == plan.Curve
	switch {
	case r == nil:
		return nil
	case !curved && len(t.formats) == 0:
		return &RequestError{Field: "rate", Value: *r, Reason: "which has no effect on motion polyline: only curves are written as a table"}
	case *r*t.duration()*float64(len(t.Team.Robots)) > maxRows:
		return &RequestError{Field: "rate", Value: *r, Reason: fmt.Sprintf("want at most %d rows: %s s at so many a second for %d robots", maxRows, told.Digits(t.duration(), 3), len(t.Team.Robots))}
	case !curved:
		return rateWithoutEffect(t.formats, curved, r)
	}
	return nil
}

// writeMotion writes where robots are on their curves, how fast and with which acceleration,
// rate times a second and at the end: a row per robot and time, by time. Headings are those
// of velocity, in radians from -π to π; a robot that stands keeps that before, has that
// with which it starts, or turns on the spot.
func writeMotion(w io.Writer, robots []RobotSummary, curves []geom.Curve, rate float64, made messages.Made) error {
	m := &messages.Team{Made: made}
	for i, c := range curves {
		r := robots[i]
		p := &paths.Path{Robot: r.Name, X: c.X, V: c.V}
		for h := range c.X {
			p.Times = append(p.Times, float64(h)*c.Step)
		}
		m.Robots = append(m.Robots, messages.Robot{Name: r.Name, Radius: r.Radius, Path: p, Turns: r.turns()})
	}
	return m.CSV(w, rate)
}

// saveMotion writes the table of a plan.
func (t *PlanTask) saveMotion(robots []RobotSummary, p *plan.Plan, madeOf func() (messages.Made, []byte, error)) func(path string) error {
	return func(path string) error {
		made, _, err := madeOf()
		if err != nil {
			return err
		}
		return atomicfile.Write(path, func(w io.Writer) error { return writeMotion(w, robots, p.Curves, t.rate(), made) })
	}
}

func robotNames(team plan.Team) (names []string) {
	for _, r := range team.Robots {
		names = append(names, r.Name)
	}
	return names
}
