package cost

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// ConstantVelocity penalises what a path of states does beyond moving on at the
// velocity it has:
//
//	c(x) = Σ_h e_hᵀ Q⁻¹ e_h,   e_h = x_h+1 - Φ x_h
//
// A point of the path is a state: positions first, then as many velocities. Φ
// moves a state on by Step at constant velocity, and Q is what white noise of
// spectral density Sigma² on the acceleration adds to it: per axis
//
//	Q⁻¹ = Sigma⁻² ( 12/Step³  -6/Step² )
//	              ( -6/Step²   4/Step  )
//
// Source: the Gaussian-process prior of Mukadam et al., "Continuous-time Gaussian
// process motion planning via probabilistic inference" (IJRR 2018).
type ConstantVelocity struct {
	Step  float64 // time between two states
	Sigma float64 // 0 is 1
}

// precision returns the elements of Q⁻¹: of positions, of both, of velocities.
func (c ConstantVelocity) precision() (pp, pv, vv float64) {
	scale := 1.0
	if c.Sigma != 0 {
		scale = 1 / (c.Sigma * c.Sigma)
	}
	dt := c.Step
	return scale * 12 / (dt * dt * dt), -scale * 6 / (dt * dt), scale * 4 / dt
}

// Add implements [Cost].
func (c ConstantVelocity) Add(_ context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	stride := x[0].Shape[1]
	axes := stride / 2
	pp, pv, vv := c.precision()
	for k := range x[0].N {
		p, total := x[0].Sample(k), 0.0
		for at := 0; at+stride < len(p); at += stride {
			for i := at; i < at+axes; i++ {
				velocity := float64(p[i+axes])
				ep := float64(p[i+stride]) - float64(p[i]) - c.Step*velocity
				ev := float64(p[i+stride+axes]) - velocity
				fp, fv := pp*ep+pv*ev, pv*ep+vv*ev // Q⁻¹ e
				total += ep*fp + ev*fv
				if grad == nil {
					continue
				}
				g := grad[0].Sample(k)
				g[i+stride] += float32(2 * weight * fp)
				g[i+stride+axes] += float32(2 * weight * fv)
				g[i] -= float32(2 * weight * fp)
				g[i+axes] -= float32(2 * weight * (c.Step*fp + fv)) // of -2 Φᵀ Q⁻¹ e
			}
		}
		if value != nil {
			value[k] += weight * total
		}
	}
	return nil
}

// Check implements [Cost].
func (c ConstantVelocity) Check(shapes []tensor.Shape) error {
	const name = "constant velocity"
	if err := checkArity(name, shapes, 1); err != nil {
		return err
	}
	if s := shapes[0]; len(s) != 2 || s[1] < 2 || s[1]%2 != 0 {
		return &ShapeError{Cost: name, Shapes: shapes, Want: "a path of states with as many velocities as positions"}
	}
	if err := checkPositive(name, "Step", c.Step); err != nil {
		return err
	}
	if c.Sigma == 0 {
		return nil
	}
	return checkPositive(name, "Sigma", c.Sigma)
}
