package latent

import (
	"context"
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Free says how the steps without a projection are taken where others have one.
//
// A projection maps a state of any noise to a mixture of clean latents, and the settings
// under projection are made for that: they multiply the noise because the projection
// takes it away, and the push because the projection holds against it. A step without one
// is that of the model: its noise stays, and none is missing. Such steps therefore have
// dynamics and a strength of their own, and the first of them begins at what the forward
// process makes of the projected latent z, √ᾱ z + √(1-ᾱ) ε, from where the model draws
// the clean latents that z may have been.
type Free struct {
	Dynamics pcd.DDPM
	Gamma    float64
	Noise    noise.Source // of ε; a step is its draw, so that the field is of its own
}

// byProjection are the dynamics of an ensemble some of whose steps are free.
type byProjection struct {
	pcd.Dynamics // of steps with a projection
	free         pcd.Dynamics
	projects     func(i int) bool
}

// Transition implements [pcd.Dynamics].
func (d byProjection) Transition(i int, kind schedule.Kind) pcd.Transition {
	if d.projects(i) {
		return d.Dynamics.Transition(i, kind)
	}
	return d.free.Transition(i, kind)
}

// String describes the dynamics for messages and manifests.
func (d byProjection) String() string {
	return fmt.Sprintf("%v where latents are projected, otherwise %v", d.Dynamics, d.free)
}

// renoising gives projected latents the noise of the first free step.
type renoising struct {
	Free
	members  []Member
	projects func(i int) bool
}

// Correct implements [pcd.Corrector].
func (r renoising) Correct(_ context.Context, x []tensor.Batch, i, _ int) error {
	if i+1 >= r.Dynamics.Steps() || !r.projects(i+1) || r.projects(i) {
		return nil
	}
	step := r.Dynamics.Schedule.At(i)
	for v, b := range x {
		if r.members[v].Exemplars.N == 0 {
			continue // was never projected
		}
		eps := make([]float32, len(b.Data))
		r.Noise.Normal(eps, b.Size(), noise.Address{Variable: v, Sample: b.First, Draw: i})
		step.Diffuse(b.Data, b.Data, eps)
	}
	return nil
}

// projects reports whether step i projects.
func (p Projection) projects(d pcd.Dynamics, i int) bool {
	return (p.Steps == nil || p.Steps.Contains(pcd.Timestep(d, i))) && !(p.FreeEnd && i == 0)
}

// Everywhere reports whether every step projects.
func (p Projection) Everywhere(d pcd.Dynamics) bool {
	for i := range d.Steps() {
		if !p.projects(d, i) {
			return false
		}
	}
	return true
}

// release gives the free steps of a problem what they are taken with.
func (e Ensemble) release(p *pcd.Problem) {
	if e.Free == nil || e.Project.Everywhere(e.Dynamics) {
		return
	}
	at := func(i int) bool { return e.Project.projects(e.Dynamics, i) }
	p.Dynamics = byProjection{e.Dynamics, e.Free.Dynamics, at}
	p.Before = renoising{*e.Free, e.Members, at}
	couplings := p.Couplings
	p.Couplings = nil
	for from := 0; from < e.Dynamics.Steps(); {
		to := from + 1
		for to < e.Dynamics.Steps() && at(to) == at(from) {
			to++
		}
		for _, c := range couplings {
			c.Name, c.Window = fmt.Sprintf("%s of steps %d to %d", c.Name, from, to-1), pcd.Window{From: from, To: to}
			if !at(from) {
				c.Strength = e.Free.Gamma
			}
			p.Couplings = append(p.Couplings, c)
		}
		from = to
	}
}
