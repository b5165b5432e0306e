package push

import (
	"fmt"
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// The parts of a checkpoint of the published policy that evaluation uses: the
// averaged weights, and the normaliser, which the average copies.
const (
	publishedWeights    = "state_dicts.ema_model.model."
	publishedNormalizer = "state_dicts.model.normalizer.params_dict."
)

// fromCheckpoint reads a checkpoint of the published policy: a zip archive whose
// pickle holds objects beside the tensors. The tensors are extracted and nothing is
// executed. The number of diffusion steps is not among them: it is [PublishedSteps].
func fromCheckpoint(path string, sd *weights.StateDict) (*Model, error) {
	found, err := nn.Recognise(sd)
	if err != nil {
		return nil, &ModelError{Path: path, Reason: "its network is not that of the policy", Err: err}
	}
	for _, a := range found {
		if a.Prefix != publishedWeights || a.Conditional == nil {
			continue
		}
		spec, err := publishedSpec(path, sd, a)
		if err != nil {
			return nil, &ModelError{Path: path, Reason: "its normaliser cannot be used", Err: err}
		}
		return load(path, spec, sd, weights.KeyMap{weights.StripPrefix(publishedWeights), weights.DropOthers()})
	}
	return nil, &ModelError{Path: path, Reason: fmt.Sprintf("it has neither the description of a model of this program nor a network under %q, as checkpoints of the published policy have", publishedWeights)}
}

func publishedSpec(path string, sd *weights.StateDict, a nn.Architecture) (Spec, error) {
	u := a.Conditional
	s := Spec{
		Network: Network{Widths: u.DownDims, Kernel: u.KernelSize, Groups: PublishedNetwork.Groups, Time: u.StepEmbedDim},
		Steps:   PublishedSteps, Card: Card{Data: "checkpoint " + filepath.Base(path)},
	}
	if !u.CondPredictScale || u.InputDim != 2 || u.GlobalCondDim != conditionSize {
		return s, fmt.Errorf("the network has %d inputs, %d conditions and scaling %v, want 2, %d and true", u.InputDim, u.GlobalCondDim, u.CondPredictScale, conditionSize)
	}
	lookup := func(name string) ([]float32, bool) {
		t, ok := sd.Tensor(name)
		if !ok {
			return nil, false
		}
		v, err := t.Float32s(nil)
		if err != nil {
			return []float32{float32(math.NaN())}, true // refused as not finite
		}
		return v, true
	}
	var err error
	if s.Observation, err = dataset.LinearFrom(publishedNormalizer+"obs.", lookup); err != nil {
		return s, err
	}
	s.Action, err = dataset.LinearFrom(publishedNormalizer+"action.", lookup)
	return s, err
}
