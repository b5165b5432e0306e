package plan

import (
	"context"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/tensor"
)

// heldMeans writes the conditions of variables on the means of a step, too, as the
// multi-robot reference does where it guides them. Projections then see states whose
// held waypoints are noise around their values.
type heldMeans []pcd.Variable

// Correct implements [pcd.Corrector].
func (h heldMeans) Correct(_ context.Context, means []tensor.Batch, i, _ int) error {
	for v, x := range means {
		for _, c := range h[v].Conditions {
			c.Write(x, i)
		}
	}
	return nil
}
