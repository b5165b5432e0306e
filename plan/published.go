package plan

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/recorded"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/weights"
)

// publishedHorizon is the number of waypoints of every published model, which
// the tensors of a convolutional network do not tell.
const publishedHorizon = 64

// publishedLimits are the ranges of x, y, vx and vy in the published data sets,
// whose checkpoints were saved without them, by the name of the data set.
var publishedLimits = map[string]dataset.Limits{
	"EnvEmpty2D-RobotPlanarDisk": {
		Min: []float32{-0.9606975317, -0.9320806265, -0.0527713895, -0.0538499355},
		Max: []float32{0.9319950342, 0.9156301022, 0.0521932840, 0.0530412197},
	},
	"EnvEmptyNoWait2D-RobotPlanarDisk": {
		Min: []float32{-0.9748067856, -0.9749809504, -0.0308246613, -0.0308905840},
		Max: []float32{0.9749003649, 0.9748727083, 0.0307971239, 0.0305793285},
	},
	"EnvHighways2D-RobotPlanarDisk": {
		Min: []float32{-0.9752081037, -0.9752177000, -1.2719300985, -1.2841093540},
		Max: []float32{0.9752498269, 0.9752358794, 1.3063583374, 1.4049001932},
	},
	"EnvConveyor2D-RobotPlanarDisk": {
		Min: []float32{-0.9474023581, -0.9471709132, -3.2822318077, -2.0037760735},
		Max: []float32{0.9472891092, 0.9472224712, 3.4330654144, 2.0089559555},
	},
}

// Published returns the weights of a published model and their description from its
// folder; see [OpenModel].
func Published(dir string) (*Weights, error) {
	args, checkpoint, err := recorded.ReadModelArgs(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &ModelError{Path: dir, Reason: "is a folder with neither model.safetensors, as a training leaves it, nor args.yaml, as a published model has it", Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, &ModelError{Path: dir, Reason: "args.yaml cannot be read", Err: err}
	}
	if args.VarianceSchedule != "exponential" || !args.PredictEpsilon {
		return nil, &ModelError{Path: dir, Reason: fmt.Sprintf("args.yaml says schedule %q with predict_epsilon %v, want an exponential schedule and noise prediction",
			args.VarianceSchedule, args.PredictEpsilon)}
	}
	limits, err := findLimits(dir, args.DatasetSubdir)
	if err != nil {
		return nil, &ModelError{Path: dir, Reason: "the limits of its data cannot be had", Err: err}
	}
	sd, err := weights.Open(checkpoint, weights.Options{})
	if err != nil {
		return nil, &ModelError{Path: checkpoint, Reason: "cannot be read", Err: err}
	}
	defer sd.Close()
	network, prefix, err := publishedNetwork(sd, args)
	if err != nil {
		return nil, &ModelError{Path: checkpoint, Reason: "its architecture cannot be used", Err: err}
	}
	return &Weights{Path: checkpoint, Prefix: prefix, Spec: Spec{
		Network:  network,
		Schedule: Exponential{Steps: args.NDiffusionSteps, Start: PublishedSchedule.Start, End: PublishedSchedule.End},
		Limits:   limits,
		Card:     Card{Map: filepath.Base(dir), Data: args.DatasetSubdir},
	}}, nil
}

// publishedNetwork recognises the network in a checkpoint and compares it with
// what args.yaml says, which may say nothing of it.
func publishedNetwork(sd *weights.StateDict, args recorded.ModelArgs) (n Network, prefix string, err error) {
	u, prefix, err := temporalNetwork(sd, "")
	if err != nil {
		return n, "", err
	}
	if w := args.UNetInputDim; w != 0 && w != u.UNetInputDim {
		return n, "", fmt.Errorf("the tensors have a width of %d, but args.yaml says unet_input_dim: %d", u.UNetInputDim, w)
	}
	if o := args.UNetDimMultsOption; o != nil && *o != u.Option {
		return n, "", fmt.Errorf("the tensors have the levels %v, which is not unet_dim_mults_option: %d of args.yaml", u.DimMults, *o)
	}
	if k := args.NDiffusionSteps; u.Steps != 0 && k != u.Steps {
		return n, "", fmt.Errorf("the schedule in the file has %d steps, but args.yaml says n_diffusion_steps: %d", u.Steps, k)
	}
	return networkOf(u), prefix, nil
}

// findLimits returns the limits of a published model's data, from the first
// place that has them; see [OpenModel].
func findLimits(dir, data string) (dataset.Limits, error) {
	l, err := readLimits(filepath.Join(dir, "limits.json"))
	if !errors.Is(err, fs.ErrNotExist) {
		return l, err
	}
	trajectories := filepath.Join(dir, "..", "..", "data_trajectories", data)
	if _, err := os.Stat(trajectories); err == nil && data != "" {
		t, err := recorded.ImportTrajectories(trajectories)
		if err != nil {
			return l, err
		}
		return dataset.FitLimits(t.Batch)
	}
	if l, ok := publishedLimits[data]; ok {
		return dataset.Limits{Min: slices.Clone(l.Min), Max: slices.Clone(l.Max)}, nil
	}
	return l, fmt.Errorf("the limits of data set %q are not known: write them to %s as {\"min\": [4 numbers], \"max\": [4 numbers]}, or put its trajectories in %s",
		data, filepath.Join(dir, "limits.json"), trajectories)
}

// maxLimits bounds a file of a few numbers.
const maxLimits = 64 << 10

func readLimits(path string) (l dataset.Limits, err error) {
	data, err := regular.ReadFile(path, maxLimits)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(data, &l); err != nil {
		return l, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}
