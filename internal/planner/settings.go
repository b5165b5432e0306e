package planner

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment/toy"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/internal/settings"
)

// The numbers of a [PlanRequest]: what its check, the flags and their help read.
var (
	PlanRobots     = settings.Number{Name: "robots", Default: DefaultRobots, Low: 1, High: 1024, Whole: true, Help: "number of robots of a published map, up to 1024"}
	PlanRadius     = settings.Number{Name: "radius", Default: nav2d.RobotRadius, High: 0.5, Above: true, Unit: "map units", Help: "radius of the robots of a published map; from 24 robots on they are smaller, so that they fit, unless it is given"}
	PlanTrial      = settings.Number{Name: "trial", High: 100_000, Whole: true, Help: "number of the published trial, from 0"} // all before it are drawn
	PlanSamples    = settings.Number{Name: "samples", Low: 1, High: maxTrajectories, Whole: true, Help: "joint samples (default: 4 with repair, fewer of large teams, else 128)"}
	PlanLimit      = settings.Limit.With(0, "speed limit in normalised units per second, or in the units of a scene, whose stricter ones stay (default: the loosest published one of the map)")
	PlanRate       = settings.Number{Name: "rate", Default: 50, Low: 0, High: 100_000, Above: true, Help: "rows a second of motion.csv, the table of a plan on curves"}
	PlanGamma      = settings.Gamma.With(0, "coupling strength (default: that of the map)")
	PlanSeparation = settings.Number{Name: "separation-steps", High: math.Inf(1), Whole: true, Help: "project samples onto those free of contact in continuous time after so many of the last denoising steps, besides repairing them after sampling"}
)

// Those of a [PushRequest].
var (
	PushPairs = settings.Number{Name: "pairs", Default: DefaultPairs, Low: 1, High: maxPairs, Whole: true, Help: "pairs of runs"}
	PushLimit = settings.Limit.With(DefaultPushLimit, "speed limit in normalised units per hundredth of a second")
	PushGamma = settings.Gamma.With(0, "coupling strength (default: that of the preset)")
	PushSteps = settings.Steps.With(0, "diffusion steps (default: all of the training)")
)

// Those of a [ToyRequest].
var (
	ToyPairs = settings.Number{Name: "pairs", Default: toy.DefaultPairs, Low: 1, High: toy.MostPairs, Whole: true, Help: "number of pairs"}
	ToyGamma = settings.Gamma.With(0, "coupling strength (default: 12 for conditional, 32 otherwise)")
)

// Those of a [PairRequest].
var (
	PairExemplars    = settings.Number{Name: "exemplars", Default: 2, Low: 2, High: pair.MostDrawn, Whole: true, Help: fmt.Sprintf("exemplars that are drawn for each image, 2 to %d", pair.MostDrawn)}
	PairVariables    = settings.Number{Name: "variables", Default: 2, Low: 2, High: 10, Whole: true, Help: fmt.Sprintf("images of a pair, 2 to %d; more want exemplars of your own", pair.MostTogether)}
	PairPairs        = settings.Number{Name: "pairs", Default: 4, Low: 1, High: maxPairs, Whole: true, Help: "pairs to draw"}
	PairSteps        = settings.Steps.With(100, "steps of sampling")
	PairGamma        = settings.Gamma.Positive().With(0, "strength of the coupling (default: by the rule)")
	PairNoise        = above0(settings.NoiseScale).With(0, "factor of the noise of every step (default: by the rule; 1 without a projection)")
	PairSyncWeight   = settings.SyncWeight.With(pair.SyncWeight, "weight of the gradient of sync at the first step")
	PairControl      = above0(settings.Control).With(published.ControlScale, "how strongly the edges of cnet-xs steer, 0 to 1 or more")
	PairMDRate       = settings.Number{Name: "md-rate", High: 1e6, Above: true, Help: "learning rate of mirror descent (default: by the rule; published 1e-5)"}
	PairMDIterations = settings.Number{Name: "md-iterations", Default: 10_000, Low: 1, High: 100_000_000, Whole: true, Help: "iterations of mirror descent"}
	PairBox          = settings.Number{Name: "box", High: 1e6, Above: true, Help: "also keep every number of a latent within this of zero (default: no box)"}
	PairGuidance     = settings.Guidance.With(0, fmt.Sprintf("how far the prompt is exaggerated; 1 is the prompt alone (default: %g for sync, %g for cnet-xs, otherwise 1)", published.SyncGuidance, published.ControlGuidance))
	PairRotation     = settings.Number{Name: "rotation", Low: -maxPairs, High: maxPairs, Whole: true, Help: "of the groups of the second image; 1 makes two ages the same"}
	PairFrames       = settings.Number{Name: "frames", High: 200, Whole: true, Help: "steps that the page shows (default: by the size of the model)"}
)

// Those of a [GenerateRequest], an [EncodeTask] and a [DecodeTask].
var (
	ImageImages   = settings.Number{Name: "images", Default: 1, Low: 1, High: 100_000, Whole: true, Help: "images to draw"}
	ImageSteps    = settings.Steps.With(50, "steps of sampling")
	ImageGuidance = settings.Guidance.With(7.5, "how far the prompt is exaggerated; for the portraits that ship 2, unless given")
	ImageEta      = settings.Eta.With(0, "noise of ddim, 0 to 1")
	ImageNoise    = above0(settings.NoiseScale).With(1, "factor of the noise of ddpm") // without noise there is ddim
	ImageControl  = settings.Control.With(published.ControlScale, "how strongly edges steer, 0 to 1 or more")
	ImageHeight   = side("height", "pixels (default: what the model was trained on)")
	ImageWidth    = side("width", "pixels (default: what the model was trained on)")
	ImageSize     = side("size", "both sides of the images in pixels (default: --height and --width)")
	ImageColumns  = settings.Number{Name: "columns", Low: 1, High: 1000, Whole: true, Help: "columns of the grid (default: as many as rows)"}
)

// above0 leaves 0 out of a range.
func above0(n settings.Number) settings.Number {
	n.Above = true
	return n
}

// side is a side of an image under a name of its own.
func side(name, help string) settings.Number {
	n := settings.Side.With(0, help)
	n.Name = name
	return n
}

// within returns a [RequestError] for a value that is out of the range of its row; nil is
// left to the task.
func within[T int | float64](n settings.Number, v *T) error {
	if v == nil || n.Allows(float64(*v)) {
		return nil
	}
	return &RequestError{Field: n.Name, Value: *v, Reason: n.Want()}
}

// first returns the first error.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
