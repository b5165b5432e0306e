package toy

import (
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// The world of the example: a corridor between two walls and the half-lengths of
// the blocks.
const (
	WallLeft   = 0.0
	WallRight  = 9.0
	Middle     = 4.5
	HalfBig    = 3.0
	HalfSmall  = 1.0
	MinSpacing = HalfBig + HalfSmall // centres nearer than this overlap
)

// The published numbers: priors, coupling and dynamics.
const (
	varianceBig      = 0.6
	varianceSmall    = 1.0
	barrierOffset    = 1.5
	barrierSmoothing = 1e-6
	stepSize         = 0.05
	Steps            = 200
	jointStrength    = 32.0 // of the coupled methods
	sequenceStrength = 12.0 // of the conditional baseline
	DefaultSeed      = 3407
	DefaultPairs     = 500000
	MostPairs        = 20_000_000 // that are drawn at once; they take 16 bytes each
)

// pairBytes is what a pair takes at its peak, as measured.
const pairBytes = 48

// CheckPairs returns an error for more pairs than a limit on the memory of the process
// has room for.
func CheckPairs(n int) error { return experiment.CheckRoom(float64(n), pairBytes, "pairs") }

// FeasibleBig and FeasibleSmall are the intervals in which the centres of the
// blocks may lie.
var (
	FeasibleBig   = [2]float64{WallLeft + HalfBig, WallRight - HalfBig}
	FeasibleSmall = [2]float64{WallLeft + HalfSmall, WallRight - HalfSmall}
)

// between returns the set of centres in an interval.
func between(bounds [2]float64) project.Projector {
	set, err := project.NewInterval(bounds[0], bounds[1])
	if err != nil {
		panic(err) // the bounds are constants
	}
	return set
}

// Dynamics are those of every published run.
var Dynamics = pcd.LMC{Step: stepSize, Length: Steps}

// block returns a variable with a Gaussian prior, started from that prior.
func block(name string, variance float64) pcd.Variable {
	model, err := analytic.NewGaussian(tensor.Shape{1}, []float64{Middle}, []float64{variance}, nil)
	if err != nil {
		panic(err) // the parameters are constants
	}
	return pcd.Variable{Name: name, Model: model, Init: pcd.Normal{Mean: Middle, Std: math.Sqrt(variance)}}
}

func bigBlock() pcd.Variable { return block("big block", varianceBig) }

func smallBlock() pcd.Variable { return block("small block", varianceSmall) }

// barrier returns the log-barrier coupling of two centres.
func barrier(strength float64) pcd.Coupling {
	return pcd.Coupling{
		Name:     "log barrier",
		Cost:     cost.LogBarrier{Alpha: barrierOffset, Smoothing: barrierSmoothing},
		Strength: strength,
		Scale:    pcd.ByStepSize,
	}
}

// at is a value given to all samples.
func at(v float32) tensor.Batch {
	b := tensor.New(1, 1)
	b.Data[0] = v
	return b
}
