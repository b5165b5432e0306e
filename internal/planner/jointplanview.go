package planner

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/internal/told"
	"github.com/go-pcd/pcd/plan"
)

// planNote says in a line what is shown and whether it is safe.
func planNote(r *plan.Result, asked float64) string {
	d := r.Nearest()
	note := fmt.Sprintf("from sample %d of %d", d.Sample, len(r.Judged))
	for _, c := range d.Changes {
		note += ", " + string(c.Kind)
	}
	if d.Certificate.Certified {
		return note + "; certified in continuous time" + DescribeLateness(asked, d.Certificate.Lateness)
	}
	return note + "; not safe: " + failure(d.Certificate)
}

// DescribeLateness says how late robots may be of so many seconds that are asked for, "" for none.
func DescribeLateness(asked, certified float64) string {
	switch {
	case asked == 0:
		return ""
	case certified >= asked:
		return fmt.Sprintf(", and for robots that are up to %.4g s late", certified)
	case certified > 0:
		return fmt.Sprintf(" and for robots up to %s s late, NOT for the %.4g s that are asked for", told.AtMost(certified, 3), asked)
	}
	return fmt.Sprintf(" for robots on time, NOT for the lateness of %.4g s that is asked for: late robots have to keep the order of passages", asked)
}

// jointPlan returns the plan or what came nearest to one, with its certificate. What is certified
// breaks no rule, also where the sampled distance field of the tables says so.
func (v viewer) jointPlan(r *plan.Result, d *plan.Plan) render.SampleView {
	out := v.paths(r, d.Trajectories, 0, d.Curves)
	if d.Certificate.Certified {
		out.Marks = []render.Mark{}
	}
	out.Name = fmt.Sprint("plan from sample ", d.Sample)
	out.Facts = certificateFacts(d)
	return out
}

// order returns an order whose passages leave no place out, with progress counted in the points that are shown; nil
// for others.
func (v viewer) order(o *OrderSummary) *render.OrderView {
	if o == nil || !o.Certified {
		return nil
	}
	out := &render.OrderView{Robots: len(v.team.Robots), Passages: [][4]float64{}}
	parts := float64(v.parts)
	for _, p := range o.Passages {
		out.Passages = append(out.Passages, [4]float64{p[0], p[1] * parts, p[2], p[3] * parts})
	}
	return out
}

// certificateFacts says what the certificate of a plan says.
func certificateFacts(d *plan.Plan) []render.Fact {
	c := d.Certificate
	out := []render.Fact{{Name: "in continuous time", Value: "certified", Tone: render.Good}}
	if !c.Certified {
		out[0] = render.Fact{Name: "in continuous time", Value: "not safe: " + failure(c), Tone: render.Bad}
	}
	for _, m := range c.Margins {
		text := DescribeMargin(m)
		out = append(out, fact(m.Constraint, m.Kept(c.Margin), text, text))
	}
	for _, change := range d.Changes {
		out = append(out, render.Fact{Name: "changed", Value: change.String()})
	}
	return out
}
