package plan

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan/internal/profile"
	"github.com/go-pcd/pcd/tensor"
)

// CertifyCurves is [Team.Certify] of a joint motion along curves, in the units of the task and
// seconds: one per robot with a knot for every waypoint, as a plan of such a team holds them.
func (t Team) CertifyCurves(ctx context.Context, curves []geom.Curve) (*Plan, error) {
	t, _, err := Complete(t, Options{})
	if err != nil {
		return nil, err
	}
	if !t.curved() {
		return nil, &TeamError{Reason: "a motion along curves for a team along polylines"}
	}
	w, err := t.world(0)
	if err != nil {
		return nil, err
	}
	for i := range min(len(w.Robots), len(curves)) { // which may begin between decimals
		if n := len(curves[i].X); n > 0 {
			w.Robots[i].Ends = &[2]geom.Vec2{curves[i].X[0], curves[i].X[n-1]}
		}
	}
	if err := w.CheckCurves(curves); err != nil {
		return nil, err
	}
	p := &Plan{Sample: -1, Curves: curves}
	for h := range t.waypoints() {
		p.Times = append(p.Times, float64(h)*t.Step)
	}
	shape := make([]tensor.Batch, len(curves))
	for i, c := range curves {
		shape[i] = tensor.New(1, len(c.X), channels)
		p.Length += profile.Length(c)
	}
	p.Trajectories = states(shape, curves, w.Origin)
	p.Certificate = t.certificateOf(w, w.JudgeCurves(curves), p.Trajectories, 0)
	if p.Certificate.Certified {
		if p.Certificate.Proof, _, err = w.WitnessCurves(ctx, curves); err != nil {
			return nil, err
		}
	}
	return p, t.measure(p)
}
