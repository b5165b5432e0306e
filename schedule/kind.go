package schedule

import "fmt"

// Kind says what a model predicts about a noisy state x_t = √ᾱ x_0 + √(1-ᾱ) ε.
type Kind int

// The prediction kinds.
const (
	Epsilon Kind = iota // the noise ε
	X0                  // the clean sample x_0
	V                   // the velocity √ᾱ ε - √(1-ᾱ) x_0 (Salimans and Ho 2022)
	Score               // the gradient of the log density of x_t, -ε/√(1-ᾱ)
	Flow                // the velocity of a straight line, ε - x_0 (Lipman et al. 2023)
)

var kindNames = [...]string{"epsilon", "x0", "v", "score", "flow"}

// String returns the name of the kind as it appears in manifests.
func (k Kind) String() string {
	if !k.Valid() {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return kindNames[k]
}

// Valid reports whether k is one of the kinds.
func (k Kind) Valid() bool { return k >= 0 && int(k) < len(kindNames) }

// Coefficients returns the numbers a and b with which a prediction p of one kind
// becomes one of another at this step: a x_t + b p.
func (s Step) Coefficients(from, to Kind) (a, b float64) {
	if from == to {
		return 0, 1
	}
	a1, b1 := s.toEpsilon(from)
	a2, b2 := s.fromEpsilon(to)
	return a2 + b2*a1, b2 * b1
}

// toEpsilon solves the definitions of the kinds for ε.
func (s Step) toEpsilon(from Kind) (a, b float64) {
	switch from {
	case X0:
		return 1 / s.Sigma, -s.SqrtAlphaBar / s.Sigma
	case V:
		return s.Sigma, s.SqrtAlphaBar
	case Score:
		return 0, -s.Sigma
	case Flow:
		d := s.SqrtAlphaBar + s.Sigma
		return 1 / d, s.SqrtAlphaBar / d
	default:
		return 0, 1
	}
}

func (s Step) fromEpsilon(to Kind) (a, b float64) {
	switch to {
	case X0:
		return s.InvSqrtAlphaBar, -s.NoiseToSignal
	case V:
		return -s.Sigma * s.InvSqrtAlphaBar, s.InvSqrtAlphaBar
	case Score:
		return 0, -1 / s.Sigma
	case Flow:
		return -s.InvSqrtAlphaBar, 1 + s.NoiseToSignal
	default:
		return 0, 1
	}
}
