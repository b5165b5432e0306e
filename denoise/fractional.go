package denoise

import "fmt"

// Fractional is a [Denoiser] that can be asked at timesteps between those it was trained
// at, as grids of noise levels have that follow no timesteps.
type Fractional interface {
	Denoiser
	// At returns the model at a timestep, a real number of 0 or more: whatever timestep its
	// methods are then called with, they answer for this one. It is a [VJPer] or a
	// [Linearizer] where the model is. It is nil where a part of the model cannot be asked.
	At(t float64) Denoiser
}

// At returns a model at a real timestep: the model itself for a whole one.
func At(m Denoiser, t float64) (Denoiser, error) {
	if t == float64(int(t)) {
		return m, nil
	}
	if f, ok := m.(Fractional); ok {
		if at := f.At(t); at != nil {
			return at, nil
		}
	}
	return nil, &fractionError{t}
}

// fractionError says that a model knows whole timesteps only.
type fractionError struct{ Timestep float64 }

func (e *fractionError) Error() string {
	return fmt.Sprintf("denoise: the model knows no timestep %v, only whole ones; use a grid that visits those of the training", e.Timestep)
}

// At implements [Fractional].
func (c composition) At(t float64) Denoiser {
	models := make([]Denoiser, len(c.models))
	for i, m := range c.models {
		at, err := At(m, t)
		if err != nil {
			return nil
		}
		models[i] = at
	}
	m, err := compose("composition", models, c.weights)
	if err != nil {
		return nil
	}
	return m
}
