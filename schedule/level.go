package schedule

import "math"

// Level is a noise level: states are x = Signal x_0 + Noise ε. Diffusion models keep the
// variance, Signal² + Noise² = 1; flow models keep the sum of the weights, Signal + Noise = 1.
// The level without noise has Signal 1; that without signal, where one is all noise, has Signal 0.
type Level struct {
	// Timestep is what models are told: a real number where a grid lies between the
	// timesteps of the training.
	Timestep      float64
	Signal, Noise float64
}

// levelOf returns the level of a diffusion model that has the share ᾱ of the clean
// sample's variance left.
func levelOf(timestep, alphaBar float64) Level {
	return Level{timestep, math.Sqrt(alphaBar), math.Sqrt(1 - alphaBar)}
}

// levelAt returns the level of a diffusion model whose noise is σ times its signal.
func levelAt(timestep, sigma float64) Level {
	signal := 1 / math.Sqrt(sigma*sigma+1)
	return Level{timestep, signal, sigma * signal}
}

// Clean is the level of the clean sample.
var Clean = Level{Signal: 1}

// Sigma returns σ, the noise over the signal; infinity where there is no signal.
func (l Level) Sigma() float64 { return l.Noise / l.Signal }

// Coefficients returns a and b such that a x + b p is the prediction of kind to that the
// prediction p of kind from implies at x. Where the level has no signal, a noise or a score
// says nothing about the clean sample, and the numbers of other kinds are not finite.
func (l Level) Coefficients(from, to Kind) (a, b float64) {
	if from == to {
		return 0, 1
	}
	if to == X0 {
		return l.toX0(from)
	}
	a1, b1 := l.toNoise(from)
	if l.Signal == 0 && (to == V || to == Flow) { // not through the noise, which is the state
		a, b = l.Coefficients(from, X0)
		if to == V {
			return -l.Noise * a, -l.Noise * b
		}
		return a1 - a, b1 - b
	}
	a2, b2 := l.fromNoise(to)
	return a2 + b2*a1, b2 * b1
}

// toX0 returns the clean sample as a combination of state and prediction.
func (l Level) toX0(from Kind) (a, b float64) {
	switch from {
	case V:
		d := l.Signal*l.Signal + l.Noise*l.Noise
		return l.Signal / d, -l.Noise / d
	case Flow:
		d := l.Signal + l.Noise
		return 1 / d, -l.Noise / d
	case Score:
		return 1 / l.Signal, l.Noise * l.Noise / l.Signal
	default:
		return 1 / l.Signal, -l.Noise / l.Signal
	}
}

// toNoise returns the noise as a combination of state and prediction.
func (l Level) toNoise(from Kind) (a, b float64) {
	switch from {
	case X0:
		return 1 / l.Noise, -l.Signal / l.Noise
	case V:
		d := l.Signal*l.Signal + l.Noise*l.Noise
		return l.Noise / d, l.Signal / d
	case Flow:
		d := l.Signal + l.Noise
		return 1 / d, l.Signal / d
	case Score:
		return 0, -l.Noise
	default:
		return 0, 1
	}
}

// fromNoise returns a prediction as a combination of state and noise.
func (l Level) fromNoise(to Kind) (a, b float64) {
	switch to {
	case V:
		return -l.Noise / l.Signal, l.Signal + l.Noise*l.Noise/l.Signal
	case Flow:
		return -1 / l.Signal, 1 + l.Noise/l.Signal
	case Score:
		return 0, -1 / l.Noise
	default:
		return 0, 1
	}
}
