package planner

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/plan"
)

// motionFile is the table of a plan on curves.
const motionFile = "motion.csv"

// motionColumns are those of the table: seconds, a name, lengths, radians, and lengths per
// second and per second squared.
var motionColumns = []string{"t", "robot", "x", "y", "heading", "vx", "vy", "ax", "ay"}

// maxRows bounds the rows of a table.
const maxRows = 10_000_000

// rate returns how many rows a second the table has.
func (t *PlanTask) rate() float64 {
	if r := t.Request.Rate; r != nil {
		return *r
	}
	return min(PlanRate.Default, maxRows/(t.duration()*float64(len(t.Team.Robots))))
}

// duration returns how long the plans of the task take, in seconds.
func (t *PlanTask) duration() float64 {
	return t.Team.Step * float64(t.Team.Robots[0].Model.Waypoints()-1)
}

// checkRate refuses a rate that has no effect, or makes a table too large.
func (t *PlanTask) checkRate() error {
	r := t.Request.Rate
	switch {
	case r == nil:
		return nil
	case t.Team.Motion != plan.Curve:
		return &RequestError{Field: "rate", Value: *r, Reason: "which has no effect on motion polyline: only curves are written as a table"}
	case *r*t.duration()*float64(len(t.Team.Robots)) > maxRows:
		return &RequestError{Field: "rate", Value: *r, Reason: fmt.Sprintf("want at most %d rows: %.3g s at so many a second for %d robots", maxRows, t.duration(), len(t.Team.Robots))}
	}
	return nil
}

// WriteMotion writes where robots are on their curves, how fast and with which acceleration,
// rate times a second and at the end: a row per robot and time, by time. Headings are those
// of velocity, in radians from -π to π; a robot that stands keeps that before, or has that
// with which it starts.
func WriteMotion(w io.Writer, names []string, curves []geom.Curve, rate float64) error {
	out := csv.NewWriter(w)
	if err := out.Write(motionColumns); err != nil {
		return err
	}
	headings := make([]float64, len(curves))
	for i, c := range curves {
		headings[i] = firstHeading(c)
	}
	end := curves[0].Duration()
	row := make([]string, len(motionColumns))
	for k, last := 0, false; !last; k++ {
		t := float64(k) / rate
		last = t >= end
		t = min(t, end)
		for i, c := range curves {
			x, v, a := c.At(t)
			if v.Norm() > 1e-9*(1+a.Norm()*c.Step) {
				headings[i] = math.Atan2(v.Y, v.X)
			}
			row[0], row[1] = number(t), names[i]
			for n, value := range [7]float64{x.X, x.Y, headings[i], v.X, v.Y, a.X, a.Y} {
				row[2+n] = number(value)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// number returns the shortest text that is read as a number again.
func number(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }

// firstHeading returns the heading with which a curve starts to move, 0 if it never does.
func firstHeading(c geom.Curve) float64 {
	for h := range c.X {
		if v := c.V[h]; v != (geom.Vec2{}) {
			if h > 0 {
				_, _, a := c.At(float64(h-1) * c.Step) // from rest along the acceleration
				v = a
			}
			return math.Atan2(v.Y, v.X)
		}
	}
	return 0
}

// saveMotion writes the table of a plan.
func (t *PlanTask) saveMotion(p *plan.Plan) func(path string) error {
	names := make([]string, len(t.Team.Robots))
	for i, r := range t.Team.Robots {
		names[i] = r.Name
	}
	return func(path string) error {
		return atomicfile.Write(path, func(w io.Writer) error { return WriteMotion(w, names, p.Curves, t.rate()) })
	}
}
