package latent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/schedule"
)

// Sampler says how to get from noise to a latent.
type Sampler struct {
	Steps int // 0 is 100
	// Method is a name of [Methods], or [Published]: what the scheduler of the model
	// names. Empty is ddim where Deterministic, otherwise ddpm.
	Method string
	// Deterministic samples by DDIM: Eta is the noise of a step relative to that of
	// DDPM, 0 for none. Otherwise steps are those of DDPM.
	Deterministic bool
	Eta           float64 // of ddim and tcd
	// NoiseScale multiplies the noise of DDPM; 0 is 1.
	NoiseScale float64
	// Spacing and Sigmas replace what the scheduler of the model says: leading, linspace or
	// trailing; timestep, karras, exponential or beta. Empty is as it says.
	Spacing, Sigmas string
}

// Published is the method that the scheduler of a model names.
const Published = "published"

// methods are the classes whose rules the methods follow.
var methods = map[string]string{
	"ddpm": "DDPMScheduler", "ddim": "DDIMScheduler", "plms": "PNDMScheduler", "euler": "EulerDiscreteScheduler",
	"euler-ancestral": "EulerAncestralDiscreteScheduler", "heun": "HeunDiscreteScheduler", "dpm++2m": "DPMSolverMultistepScheduler",
	"lcm": "LCMScheduler", "tcd": "TCDScheduler",
}

// equivalents are the methods that stand for classes that are not sampled as they are: of
// the same order, for the same models.
var equivalents = map[string]string{
	"UniPCMultistepScheduler": "dpm++2m", "DEISMultistepScheduler": "dpm++2m", "DPMSolverSinglestepScheduler": "dpm++2m", "DPMSolverSDEScheduler": "dpm++2m",
	"LMSDiscreteScheduler": "dpm++2m", "IPNDMScheduler": "plms", "KDPM2DiscreteScheduler": "heun", "KDPM2AncestralDiscreteScheduler": "euler-ancestral",
}

// Methods lists the names of the samplers.
func Methods() []string { return slices.Sorted(maps.Keys(methods)) }

// Published returns the method that the scheduler names, ddpm for one without a class, and
// the class where it is another one that the method stands for.
func (n Noise) Published() (method, standsFor string) {
	if m := equivalents[n.file.class]; m != "" {
		return m, n.file.class
	}
	for m, class := range methods {
		if class == n.file.class {
			return m, ""
		}
	}
	return "ddpm", ""
}

// method returns the name of the method of a sampler.
func (s Sampler) method(n Noise) string {
	switch {
	case s.Method == Published:
		m, _ := n.Published()
		return m
	case s.Method != "":
		return s.Method
	case s.Deterministic:
		return "ddim"
	}
	return "ddpm"
}

// publishedSteps is the number of steps of the published runs.
const publishedSteps = 100

// Dynamics returns the steps of a sampler over the schedule of a model. It returns a [SettingError] for
// what the scheduler of the model says to the class of this sampler that is not sampled here; what only
// other classes read does not count.
func (m *Model) Dynamics(s Sampler) (pcd.Dynamics, error) {
	if s.Steps == 0 {
		s.Steps = publishedSteps
	}
	method := s.method(m.Noise)
	class, ok := methods[method]
	if !ok {
		return nil, &SettingError{Name: "sampler", Value: method, Want: strings.Join(append(Methods(), Published), ", ")}
	}
	if !settings.NoiseScale.Allows(s.NoiseScale) {
		return nil, &SettingError{Name: "noise scale", Value: s.NoiseScale, Want: settings.NoiseScale.Range()}
	}
	if !settings.Eta.Allows(s.Eta) {
		return nil, &SettingError{Name: "eta", Value: s.Eta, Want: settings.Eta.Range()}
	}
	c, err := m.Noise.file.as(class)
	if err != nil {
		return nil, err
	}
	if err := s.override(&c, class); err != nil {
		return nil, err
	}
	return m.Noise.dynamics(s, method, c)
}

// override replaces settings of the scheduler by those of a sampler.
func (s Sampler) override(c *schedulerSettings, class string) error {
	if s.Spacing != "" {
		if schedulerClasses[class].reads("original_inference_steps") {
			return &SettingError{Name: "spacing", Value: s.Spacing, Want: "none, for lcm and tcd: they visit some of the timesteps that their models were distilled at"}
		}
		if !slices.Contains(spacings, s.Spacing) {
			return &SettingError{Name: "spacing", Value: s.Spacing, Want: strings.Join(spacings, ", ")}
		}
		c.Spacing = s.Spacing
	}
	if s.Sigmas != "" {
		if s.Sigmas != "timestep" && !schedulerClasses[class].reads("use_karras_sigmas") {
			return &SettingError{Name: "sigmas", Value: s.Sigmas, Want: "none, for a sampler that visits timesteps: euler, heun and dpm++2m space sigmas"}
		}
		c.Karras, c.Exponential, c.Beta = s.Sigmas == "karras", s.Sigmas == "exponential", s.Sigmas == "beta"
		if s.Sigmas != "timestep" && boolsOf(c.Karras, c.Exponential, c.Beta) == 0 {
			return &SettingError{Name: "sigmas", Value: s.Sigmas, Want: "timestep, karras, exponential or beta"}
		}
	}
	return c.check()
}

// dynamics makes the steps of a method by settings.
func (n Noise) dynamics(s Sampler, method string, c schedulerSettings) (pcd.Dynamics, error) {
	clip := 0.0
	if c.Clip {
		clip = c.ClipRange
	}
	if (method == "ddpm" || method == "ddim") && !c.ZeroSNR {
		return n.overTimesteps(s, method, c, clip)
	}
	if method != "ddpm" && s.NoiseScale != 0 && s.NoiseScale != 1 || c.ZeroSNR && s.NoiseScale != 0 && s.NoiseScale != 1 {
		return nil, &SettingError{Name: "noise scale", Value: s.NoiseScale, Want: "1: only ddpm of a schedule that keeps some signal has another"}
	}
	options := c.grid(s.Steps, method)
	start := method == "plms" && n.startsByRungeKutta(c)
	if start {
		if options.Halved = rungeKuttaSteps; s.Steps <= rungeKuttaSteps {
			return nil, &SettingError{Name: "steps", Value: s.Steps, Want: fmt.Sprintf("more than %d: the model's scheduler begins with a Runge-Kutta start (skip_prk_steps)", rungeKuttaSteps)}
		}
	}
	g, err := n.Schedule.Grid(options)
	if err != nil {
		return nil, &SettingError{Name: "steps", Value: s.Steps, Want: "another number" + n.suchAs(options) + ": " + err.Error()}
	}
	if g.From(0).Signal == 0 && n.Prediction == schedule.Epsilon {
		return nil, &SettingError{Where: "scheduler", Name: "rescale_betas_zero_snr", Value: true,
			Want: "false, or a network that predicts velocities or clean images: about the pure noise that sampling begins at, predicted noise says nothing"}
	}
	switch method {
	case "ddpm":
		return clippedFirst(pcd.Euler{Grid: g, Eta: 1, Clip: clip}, g, clip), nil
	case "euler-ancestral":
		return pcd.Euler{Grid: g, Eta: 1}, nil
	case "ddim":
		return pcd.Euler{Grid: g, Eta: s.Eta, Clip: clip}, nil
	case "euler":
		return pcd.Euler{Grid: g}, nil
	case "heun":
		return pcd.Heun{Grid: g, Clip: clip}, nil
	case "dpm++2m":
		return pcd.DPMSolver{Grid: g, Order: c.Order, Taylor: c.Solver == "heun", SDE: c.Algorithm == "sde-dpmsolver++", EulerFinal: c.EulerFinal, HighFinal: !c.LowerFinal}, nil
	case "lcm":
		return pcd.LCM{Grid: g, TimeScale: c.TimeScale, Clip: clip}, nil
	case "tcd":
		training, err := n.levels(c.ZeroSNR)
		return pcd.TCD{Grid: g, Training: training, Eta: s.Eta, Clip: clip}, err
	}
	return pcd.PNDM{Grid: g, RungeKutta: start}, nil
}

// suchAs names the most steps below those of a grid that an offset moves out of the training, if there are some that it does not.
func (n Noise) suchAs(o schedule.GridOptions) string {
	total, steps := n.Schedule.Len(), o.Steps
	for o.Steps = min(steps, total) - 1; o.Steps > 0 && o.Offset > 0 && o.Spacing == schedule.Leading; o.Steps-- {
		first := total/o.Steps*(o.Steps-1) + o.Offset // looked at before all of a grid is made
		if o.Family == schedule.Interior {
			first = total/(o.Steps+1)*o.Steps + o.Offset
		}
		if first >= total {
			continue
		}
		if _, err := n.Schedule.Grid(o); err != nil {
			return ""
		}
		return fmt.Sprintf(", such as %d", o.Steps)
	}
	return ""
}

// rungeKuttaSteps are the steps at the beginning of PNDM that its Runge-Kutta start divides.
const rungeKuttaSteps = 3

// startsByRungeKutta reports whether a scheduler says that it is PNDM with its first start. Files of
// other classes are read as PLMS.
func (n Noise) startsByRungeKutta(c schedulerSettings) bool {
	return n.file.class == methods["plms"] && !c.SkipPRK
}

// overTimesteps returns DDPM and DDIM over whole timesteps.
func (n Noise) overTimesteps(s Sampler, method string, c schedulerSettings, clip float64) (pcd.Dynamics, error) {
	visited, err := n.visit(s.Steps, c)
	if err != nil {
		return nil, err
	}
	if method == "ddpm" {
		d := pcd.DDPM{Schedule: visited, NoiseScale: s.NoiseScale, Clip: clip}
		if c.Variance == largeNoise {
			return withLargeNoise(d), nil
		}
		return d, nil
	}
	if !c.AlphaToOne {
		if visited, err = visited.EndAt(n.Schedule.At(0).AlphaBar); err != nil {
			return nil, err
		}
	}
	return pcd.DDIM{Schedule: visited, Eta: s.Eta, Clip: clip}, nil
}

// grid returns the levels that a method visits.
func (c *schedulerSettings) grid(steps int, method string) schedule.GridOptions {
	o := schedule.GridOptions{Steps: steps, Offset: c.Offset, ZeroSNR: c.ZeroSNR, SigmaMin: c.SigmaMin, SigmaMax: c.SigmaMax}
	o.Spacing = map[string]schedule.Spacing{"linspace": schedule.Linspace, "trailing": schedule.Trailing}[c.Spacing]
	switch {
	case c.Karras:
		o.Sigmas = schedule.Karras
	case c.Exponential:
		o.Sigmas = schedule.Geometric
	case c.Beta:
		o.Sigmas = schedule.BetaQuantiles
	}
	switch method {
	case "euler", "euler-ancestral", "heun":
		o.Family, o.EndAtFirst = schedule.Continuous, c.Final == "sigma_min"
	case "dpm++2m":
		o.Family, o.EndAtFirst = schedule.Interior, c.Final == "sigma_min"
	case "lcm", "tcd":
		o.Family, o.Original, o.EndAtFirst = schedule.Distilled, c.Original, method == "tcd"
	default:
		o.EndAtFirst = !c.AlphaToOne
	}
	return o
}
