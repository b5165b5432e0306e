package pcd

import (
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/schedule"
)

// Preset is a published variant of the method: its dynamics, and where, how
// strongly and with which clips a coupling enters.
type Preset struct {
	Name   string
	Source string // what it reproduces

	At            Placement
	Scale         Scale
	Window        Window
	Transforms    []Transform
	ConditionMean bool

	dynamics func() (Dynamics, error)
}

// Dynamics returns the dynamics of the preset, with its published schedule.
func (p Preset) Dynamics() (Dynamics, error) { return p.dynamics() }

// Coupling returns a cost as a coupling with the conventions of the preset,
// between the given variables or all of them.
func (p Preset) Coupling(c cost.Cost, strength float64, variables ...int) Coupling {
	return Coupling{
		Cost: c, Variables: variables, Strength: strength,
		At: p.At, Scale: p.Scale, Window: p.Window, Transforms: p.Transforms,
	}
}

// Problem returns a problem with the dynamics and conventions of the preset.
func (p Preset) Problem(variables []Variable, couplings ...Coupling) (Problem, error) {
	d, err := p.Dynamics()
	if err != nil {
		return Problem{}, err
	}
	return Problem{Variables: variables, Couplings: couplings, Dynamics: d, ConditionMean: p.ConditionMean}, nil
}

// Presets lists the published variants.
func Presets() []Preset {
	return []Preset{
		{
			Name:     "paper-lmc",
			Source:   "algorithm 1 of the paper, as used by the two-blocks example",
			Scale:    ByStepSize,
			dynamics: func() (Dynamics, error) { return LMC{Step: 0.05, Length: 200}, nil },
		}, {
			Name:     "paper-ddpm",
			Source:   "algorithm 2 of the paper: gradient at the state, forward noise, no clipping; on the 32-step squared-cosine schedule",
			dynamics: paperDDPM,
		}, {
			Name:     "paper-dps",
			Source:   "algorithm 3 of the paper: algorithm 2 with the gradient at the clean-sample estimate",
			At:       AtEstimate,
			dynamics: paperDDPM,
		}, {
			Name:          "mmd",
			Source:        "multi-robot reference code: gradient at the posterior mean, clipped per waypoint and dropped at both ends; half the posterior noise",
			At:            AtMean,
			Transforms:    []Transform{ClipPoints{Max: 1}, ZeroPoints{0, -1}},
			ConditionMean: true,
			dynamics: func() (Dynamics, error) {
				s, err := schedule.Exponential(25, 1e-4, 1)
				return DDPM{Schedule: s, Clip: 1, NoiseScale: 0.5}, err
			},
		}, {
			Name:     "pusht",
			Source:   "manipulation reference code, projected and coupled policy: strength times beta/sqrt(alpha), off for the last two steps",
			Scale:    ByNoiseRate,
			Window:   Window{From: 2},
			dynamics: manipulation,
		}, {
			Name:     "pusht-cd",
			Source:   "manipulation reference code, coupled policy without projection: strength as it is, off for the last two steps",
			Window:   Window{From: 2},
			dynamics: manipulation,
		}, {
			Name:       "images",
			Source:     "image-pair reference code: normalised gradient added to the noise prediction, noise scaled by 20",
			Scale:      ByNoiseRate,
			Transforms: []Transform{NormalizeSamples{}},
			dynamics: func() (Dynamics, error) {
				s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
				if err != nil {
					return nil, err
				}
				s, err = s.Leading(100, 1)
				return DDPM{Schedule: s, NoiseScale: 20}, err
			},
		},
	}
}

func paperDDPM() (Dynamics, error) {
	s, err := schedule.SquaredCosine(32)
	return DDPM{Schedule: s, Noise: ForwardNoise}, err
}

func manipulation() (Dynamics, error) {
	s, err := schedule.SquaredCosine(32)
	return DDPM{Schedule: s, Clip: 1}, err
}

// PresetByName returns a preset; the error for an unknown name lists the known.
func PresetByName(name string) (Preset, error) {
	var names []string
	for _, p := range Presets() {
		if p.Name == name {
			return p, nil
		}
		names = append(names, p.Name)
	}
	return Preset{}, fmt.Errorf("pcd: unknown preset %q; the presets are %s", name, strings.Join(names, ", "))
}
