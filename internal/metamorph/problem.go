package metamorph

import (
	"math/rand/v2"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/denoise/analytic"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// drawProblem draws a problem for the engine: two to four variables with mixtures for
// models, costs between them, sets around some of them, and one of three dynamics.
func drawProblem(r *rand.Rand) (p pcd.Problem, err error) {
	shape := tensor.Shape{1 + r.IntN(9), 2}
	noised, err := schedule.SquaredCosine(12 + r.IntN(20))
	if err != nil {
		return p, err
	}
	placements, scale := []pcd.Placement{pcd.AtState, pcd.AtMean}, pcd.Unscaled
	switch r.IntN(3) {
	case 0:
		p.Dynamics, noised = pcd.LMC{Step: 0.05, Length: 20 + r.IntN(20)}, nil
		placements, scale = placements[:1], pcd.ByStepSize
	case 1:
		p.Dynamics = pcd.DDPM{Schedule: noised}
	default:
		p.Dynamics, placements = pcd.DDIM{Schedule: noised, Eta: float64(r.IntN(3)) / 2}, append(placements, pcd.AtEstimate)
	}
	for range 2 + r.IntN(3) {
		v := pcd.Variable{Init: pcd.Normal{Std: 1}}
		if v.Model, err = drawModel(r, shape, noised); err != nil {
			return p, err
		}
		if v.Project, err = drawSet(r, shape); err != nil {
			return p, err
		}
		p.Variables = append(p.Variables, v)
	}
	for range 1 + r.IntN(2) {
		p.Couplings = append(p.Couplings, pcd.Coupling{Cost: drawCost(r), Strength: 0.5 * r.Float64(), Scale: scale, At: placements[r.IntN(len(placements))]})
	}
	return p, nil
}

func drawModel(r *rand.Rand, shape tensor.Shape, s *schedule.Schedule) (denoise.Denoiser, error) {
	var parts []analytic.Component
	for range 1 + r.IntN(3) {
		parts = append(parts, analytic.Component{Weight: 0.2 + r.Float64(), Mean: []float64{r.NormFloat64()}, Variance: []float64{0.1 + r.Float64()}})
	}
	return analytic.NewMixture(shape, parts, s)
}

func drawSet(r *rand.Rand, shape tensor.Shape) (project.Projector, error) {
	switch r.IntN(4) {
	case 0:
		return nil, nil
	case 1:
		return project.NewInterval(-1-r.Float64(), 1+r.Float64())
	case 2:
		return project.NewSpeedLimit(0.1+r.Float64(), project.Path{Start: tensor.New(1, 2)})
	default:
		return project.NewBall(tensor.New(1, shape...), 0.5+r.Float64())
	}
}

func drawCost(r *rand.Rand) cost.Cost {
	all := []cost.Cost{cost.Pairwise(cost.LogBarrier{Alpha: 0.5}), cost.Pairwise(cost.Hinge{Range: 1.5})}
	return all[r.IntN(len(all))]
}
