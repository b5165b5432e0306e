package teams

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// Plans along curves and in the shortest time convince the judge that samples them, and a
// row says how they compare with straight ones.
func TestMeasureMotion(t *testing.T) {
	thorough.Test(t)
	spec := small()
	spec.Maps, spec.Robots, spec.Trials = []string{"dropregion"}, []int{4}, 2
	rows, err := MeasureMotion(t.Context(), spec, nil, plan.Bundled, 0, nil)
	if err != nil || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	r := rows[0]
	if r.Certified != [3]int{2, 2, 2} || r.Denied != 0 || !r.Sampled.Kept() || r.Factor.Most > 0.9 || r.Factor.Least <= 0 {
		t.Errorf("%+v", r)
	}
}

// The judge that samples sees what is wrong.
func TestSampleSees(t *testing.T) {
	spec := small()
	spec.Maps, spec.Robots, spec.Trials = []string{"highways"}, []int{4}, 1
	cells, err := spec.Cells()
	if err != nil {
		t.Fatal(err)
	}
	model, err := plan.Bundled("highways")
	if err != nil {
		t.Fatal(err)
	}
	teams, err := cells[0].teams(model)
	if err != nil {
		t.Fatal(err)
	}
	team := teams[0]
	team.Motion = plan.Curve
	for i := range team.Robots {
		team.Robots[i].Acceleration = 8
	}
	r, err := plan.Run(t.Context(), team, plan.Options{})
	if err != nil || r.Plan == nil {
		t.Fatalf("%v, %+v", err, r)
	}
	if s := Sample(team, r.Plan); !s.Kept() || s.Speed < 0.3 || s.Acceleration < 0.1 {
		t.Fatalf("%+v of a certified plan", s)
	}
	for name, change := range map[string]func(c *geom.Curve){
		"speed":        func(c *geom.Curve) { c.V[20] = c.V[20].Scale(9).Add(geom.Vec2{X: 9}) },
		"acceleration": func(c *geom.Curve) { c.V[20] = c.V[20].Scale(-1).Add(geom.Vec2{Y: 0.3}) },
		"gap":          func(c *geom.Curve) { c.X[30] = r.Plan.Curves[1].X[30] },
		"ends":         func(c *geom.Curve) { c.X[0].X += 1e-4 },
		"rest":         func(c *geom.Curve) { c.V[63].X += 1e-3 },
	} {
		p := *r.Plan
		p.Curves = slices.Clone(p.Curves)
		c := p.Curves[0]
		c.X, c.V = slices.Clone(c.X), slices.Clone(c.V)
		change(&c)
		p.Curves[0] = c
		if s := Sample(team, &p); s.Kept() {
			t.Errorf("another %s is not seen: %+v", name, s)
		}
	}
}
