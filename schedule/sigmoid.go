package schedule

import (
	"fmt"
	"math"
)

// sigmoidReach is where the sigmoid of [Sigmoid] begins and ends.
const sigmoidReach = 6

// Sigmoid returns n betas that rise from betaStart to betaEnd along a sigmoid between -6 and
// 6, as in the library diffusers. Betas are rounded to float32, ᾱ is their running product.
func Sigmoid(n int, betaStart, betaEnd float64) (*Schedule, error) {
	name := fmt.Sprintf("sigmoid(%d, %g, %g)", n, betaStart, betaEnd)
	if n < 2 || n > maxSteps {
		return nil, fmt.Errorf("schedule: %s: want at least 2 steps, at most %d", name, maxSteps)
	}
	betas := make([]float32, n)
	for i := range betas {
		v := sigmoidReach * (2*float64(i)/float64(n-1) - 1)
		betas[i] = float32((betaEnd-betaStart)/(1+math.Exp(-v)) + betaStart)
	}
	return fromFloat32(name, betas)
}
