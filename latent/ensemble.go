package latent

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Ensemble is several images that are drawn together: each from a model, inside the
// hull of its exemplars if it has some, all coupled by an attribute that has to differ.
//
// Source: Projected Coupled Diffusion, the image-pair experiment.
type Ensemble struct {
	Members  []Member
	Dynamics pcd.Dynamics

	// Attribute is the question whose answers are to differ between any two members;
	// nil couples nothing. Groups are the classes that count as one answer.
	Attribute cost.Classifier
	Groups    [][]int
	Rotation  int     // of the second member's groups; see [cost.XOR]
	Gamma     float64 // strength: the length of the push against the noise, per σ
	// AtEstimate takes the gradient at the clean estimate, through the network, instead
	// of at the noisy latent.
	AtEstimate bool
	// Floor is below which length a gradient is not stretched to 1; 0 is 1e-8.
	Floor float64

	// Project says how hulls are projected on; the zero value is exactly, after every
	// step.
	Project Projection
	// Free says how the steps that are not projected are taken; nil, as published, is as
	// all others. Dynamics must then be those of another [pcd.DDPM] of the same schedule.
	Free *Free
}

// Member is one image of an ensemble.
type Member struct {
	Name      string
	Model     denoise.Denoiser
	Exemplars tensor.Batch // scaled latents that span the hull; none leaves it free
	// Bounds are further constraints on the latent; the projection is then onto the
	// intersection, by Dykstra's algorithm.
	Bounds []project.Projector
}

// MirrorDescent are the settings of the iteration that projections onto hulls were
// published with.
type MirrorDescent = published.MirrorDescentOptions

// Projection says how and when latents are projected.
type Projection struct {
	// MirrorDescent, if not nil, is the published iteration instead of the exact
	// projection.
	MirrorDescent *MirrorDescent
	// Steps selects timesteps; nil is all of them.
	Steps *Selection
	// FreeEnd leaves the last step unprojected.
	FreeEnd bool
	// Rescale stretches a projected latent to the mean length of the exemplars, which
	// leads out of the hull.
	Rescale bool
}

// Problem returns the ensemble as a problem of one variable for each member, and the
// hulls of those that have exemplars.
func (e Ensemble) Problem() (pcd.Problem, []*project.Hull, error) {
	var p pcd.Problem
	if len(e.Members) == 0 {
		return p, nil, &SettingError{Name: "members", Value: 0, Want: "at least one"}
	}
	if e.Gamma != 0 && !settings.Gamma.Positive().Allows(e.Gamma) {
		return p, nil, &SettingError{Name: "gamma", Value: e.Gamma, Want: settings.Gamma.Positive().Range()}
	}
	p.Dynamics = e.Dynamics
	p.Cadence = e.Project.cadence(e.Dynamics)
	hulls := make([]*project.Hull, len(e.Members))
	for i, m := range e.Members {
		v := pcd.Variable{Name: m.Name, Model: m.Model}
		var err error
		if m.Exemplars.N > 0 {
			v.ProjectAt = e.Project.window(e.Dynamics)
			if v.Project, hulls[i], err = e.Project.projector(m); err != nil {
				return p, nil, fmt.Errorf("exemplars of %s: %w", m.Name, err)
			}
		}
		p.Variables = append(p.Variables, v)
	}
	p.Couplings = e.couplings()
	e.release(&p)
	return p, hulls, nil
}

// couplings returns the coupling of all pairs of members.
func (e Ensemble) couplings() []pcd.Coupling {
	if e.Attribute == nil || e.Gamma == 0 || len(e.Members) < 2 {
		return nil
	}
	var edges []cost.Edge
	for i := range e.Members {
		for j := i + 1; j < len(e.Members); j++ {
			edges = append(edges, cost.Edge{I: i, J: j})
		}
	}
	pair := cost.XOR{Classifier: e.Attribute, Groups: e.Groups, Rotation: e.Rotation}
	c := pcd.Coupling{
		Name: "attribute", Cost: cost.Scale(cost.Graph(pair, edges...), 1/float64(len(edges))),
		Strength: e.Gamma, Scale: e.scale(), Transforms: []pcd.Transform{pcd.NormalizeSamples{Floor: e.Floor}},
	}
	if e.AtEstimate {
		c.At = pcd.AtEstimate
	}
	c.Window = e.window(c.Scale)
	return []pcd.Coupling{c}
}

// window leaves out steps at the beginning whose states have no signal, as those of zero terminal SNR: a
// push there would be infinite.
func (e Ensemble) window(by pcd.Scale) pcd.Window {
	if by != pcd.ByPrediction {
		return pcd.Window{}
	}
	n := e.Dynamics.Steps()
	for n > 1 && slices.ContainsFunc(e.Members, func(m Member) bool {
		return m.Model != nil && e.Dynamics.Check(m.Model.Kind()) == nil && math.IsInf(e.Dynamics.Transition(n-1, m.Model.Kind()).PredictionRate, 0)
	}) {
		n--
	}
	if n == e.Dynamics.Steps() {
		return pcd.Window{}
	}
	return pcd.Window{To: n}
}

// scale returns what the strength is multiplied by: as published where the dynamics have it,
// otherwise what is the same under DDPM.
func (e Ensemble) scale() pcd.Scale {
	if d := e.Dynamics; d.Steps() > 0 && d.Transition(d.Steps()-1, schedule.Epsilon).NoiseRate > 0 {
		return pcd.ByNoiseRate
	}
	return pcd.ByPrediction
}

// cadence returns the steps at which timesteps are selected.
func (p Projection) cadence(d pcd.Dynamics) pcd.Cadence {
	if p.Steps == nil {
		return pcd.Cadence{}
	}
	steps := []int{}
	for i := range d.Steps() {
		if p.Steps.Contains(pcd.Timestep(d, i)) {
			steps = append(steps, i)
		}
	}
	return pcd.Cadence{Steps: steps}
}

// window leaves out the last step where it is not to be projected.
func (p Projection) window(d pcd.Dynamics) pcd.Window {
	if p.FreeEnd || p.Steps != nil && !p.Steps.Contains(pcd.Timestep(d, 0)) {
		return pcd.Window{From: 1}
	}
	return pcd.Window{}
}

// projector returns the projection onto the set of a member.
func (p Projection) projector(m Member) (project.Projector, *project.Hull, error) {
	hull, err := project.NewHull(m.Exemplars)
	if err != nil {
		return nil, nil, err
	}
	var out project.Projector = hull
	if p.MirrorDescent != nil {
		if out, err = published.NewMirrorDescent(m.Exemplars, *p.MirrorDescent); err != nil {
			return nil, nil, err
		}
	}
	if len(m.Bounds) > 0 {
		if out, err = project.NewIntersection(project.IntersectionOptions{}, append([]project.Projector{hull}, m.Bounds...)...); err != nil {
			return nil, nil, err
		}
	}
	if p.Rescale {
		out = rescaled{out, out.(weighted), lengths(m.Exemplars)}
	}
	return out, hull, nil
}

// lengths returns the Euclidean length of every sample.
func lengths(b tensor.Batch) []float64 {
	out := make([]float64, b.N)
	for k := range out {
		sum := 0.0
		for _, v := range b.Sample(k) {
			sum += float64(v) * float64(v)
		}
		out[k] = math.Sqrt(sum)
	}
	return out
}
