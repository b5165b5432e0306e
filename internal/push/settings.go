package push

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd"
)

// Scale is a convention of the coupling strength γ: what the gradient is
// multiplied by at diffusion step t.
type Scale string

// The conventions.
const (
	Gamma          Scale = "gamma"                  // γ, as the paper and the coupled policy of the reference code
	GammaNoiseRate Scale = "gamma*beta/sqrt(alpha)" // γ β_t/√α_t, as its projected and coupled policy
)

// Settings name the choices that the methods leave open. Every field is a
// difference that a manifest can state.
type Settings struct {
	Name string `json:"name"`
	// Scale and ProjectedScale are the conventions of γ without and with projection.
	Scale          Scale `json:"gamma_scale"`
	ProjectedScale Scale `json:"projected_gamma_scale"`
	// The strengths that a method gets unless it is given one.
	GammaDPP          float64 `json:"gamma_dpp"`
	GammaLB           float64 `json:"gamma_lb"`
	ProjectedGammaDPP float64 `json:"projected_gamma_dpp"`
	ProjectedGammaLB  float64 `json:"projected_gamma_lb"`
	// GuideFrom is the lowest timestep at which the coupling acts.
	GuideFrom int `json:"guide_from"`
	// ForwardNoise adds noise of variance 1-α at every step, also at the last;
	// otherwise the posterior's, and none at the last.
	ForwardNoise bool `json:"forward_noise"`
	// FreeEstimate does not limit the estimate of the clean actions to [-1, 1].
	FreeEstimate bool `json:"free_estimate"`
	// LogCosine replaces the cost of the reference code, orthogonal at its minimum,
	// by the one the paper states, opposite at its minimum.
	LogCosine bool `json:"log_cosine"`
	// EarlyAccept leaves a step of a PS method unguided when the costs of all pairs
	// of the batch lie below 1e-8. Samples then depend on their batch.
	EarlyAccept bool `json:"early_accept"`
	// SkipProjection also leaves such a step unprojected, as the reference code does.
	SkipProjection bool `json:"skip_projection"`
	// PublishedProjection runs the published iteration, 250 times in float32;
	// otherwise the projection is exact and certified.
	PublishedProjection bool `json:"published_projection"`
	// Residue starts each environment on top of a random episode, as the published
	// evaluation does, which can move the block by some pixels.
	Residue bool `json:"residue"`
}

// presets lists the named settings.
func presets() []Settings {
	base := Settings{
		Scale: Gamma, ProjectedScale: GammaNoiseRate, GammaDPP: 0.2, GammaLB: 0.02, ProjectedGammaDPP: 2, ProjectedGammaLB: 0.2, GuideFrom: 2,
	}
	standard, code, unscaled, reference := base, base, base, base
	standard.Name, code.Name, unscaled.Name, reference.Name = "default", "pusht", "unscaled", "reference"
	code.EarlyAccept = true
	unscaled.ProjectedScale, unscaled.ProjectedGammaDPP, unscaled.ProjectedGammaLB = Gamma, 0.2, 0.02
	reference.EarlyAccept, reference.SkipProjection, reference.PublishedProjection, reference.Residue = true, true, true, true
	paper := unscaled
	paper.Name, paper.GuideFrom = "paper", 0
	paper.ForwardNoise, paper.FreeEstimate, paper.LogCosine = true, true, true
	return []Settings{standard, code, unscaled, reference, paper}
}

// PresetNames lists the named settings.
func PresetNames() []string {
	var names []string
	for _, s := range presets() {
		names = append(names, s.Name)
	}
	return names
}

// SettingsByName returns named settings: "default" is the reference code with exact
// projections and without its rule of early acceptance, which a trained policy meets
// next to never; "pusht" keeps that rule, but projects accepted steps too; "unscaled"
// is the default with the paper's convention of γ also under projection; "reference"
// is the code with all that, its iterated and skipped projections and its starts;
// "paper" are the algorithms as the paper prints them. The error for an unknown name
// lists the known.
func SettingsByName(name string) (Settings, error) {
	for _, s := range presets() {
		if s.Name == name {
			return s, nil
		}
	}
	return Settings{}, fmt.Errorf("push: unknown preset %q; the presets are %s", name, strings.Join(PresetNames(), ", "))
}

// Gamma returns the strength that a method gets unless it is given one.
func (s Settings) Gamma(m Method) float64 {
	switch c, p := m.Coupling(), m.Projected(); {
	case c == Determinantal && p:
		return s.ProjectedGammaDPP
	case c == Determinantal:
		return s.GammaDPP
	case c == LogBarrier && p:
		return s.ProjectedGammaLB
	case c == LogBarrier:
		return s.GammaLB
	}
	return 0
}

// ScaleOf returns the convention of a method's strength.
func (s Settings) ScaleOf(m Method) Scale {
	if m.Projected() {
		return s.ProjectedScale
	}
	return s.Scale
}

// sampler returns the name that the sampler has for a convention. β/√α is the scale of the
// prediction's error under DDPM, as which it means the same under the others.
func (s Scale) sampler(ddpm bool) (pcd.Scale, error) {
	switch {
	case s == Gamma:
		return pcd.Unscaled, nil
	case s == GammaNoiseRate && ddpm:
		return pcd.ByNoiseRate, nil
	case s == GammaNoiseRate:
		return pcd.ByPrediction, nil
	}
	return 0, fmt.Errorf("push: unknown convention %q of gamma; the conventions are %q and %q", string(s), string(Gamma), string(GammaNoiseRate))
}
