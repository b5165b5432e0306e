package singlefile

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/weights"
)

// Tensors without numbers by which files say what their weights were trained on, as programs that
// train models of velocities agreed.
const (
	velocityFlag = "v_pred" // the network predicts velocities
	zeroFlag     = "ztsnr"  // the noise ends without signal, at a terminal signal-to-noise ratio of zero
)

// isFlag reports whether a tensor says something and holds nothing.
func isFlag(name string) bool { return name == velocityFlag || name == zeroFlag }

// readPrediction finds what the file says that its network predicts, and whether its noise ends
// without signal. A network of such noise predicts velocities unless the metadata say otherwise, which is an error: of
// the state that sampling begins at, predicted noise says nothing.
func (m *Model) readPrediction(sd *weights.StateDict) error {
	_, m.ZeroSNR = sd.Tensor(zeroFlag)
	if _, ok := sd.Tensor(velocityFlag); ok || m.ZeroSNR {
		m.Prediction = Velocity
	}
	m.flagged = m.Prediction == Velocity
	said := map[string]string{"v": Velocity, Velocity: Velocity, Epsilon: Epsilon}[sd.Metadata[predictionKey]]
	if said == Epsilon && m.flagged {
		flag := velocityFlag
		if m.ZeroSNR {
			flag = zeroFlag
		}
		return &Error{Tensor: flag, Reason: fmt.Sprintf("says that the network predicts velocities, and %s in the metadata says %s: want one of the two", predictionKey, said)}
	}
	if said != "" {
		m.Prediction = said
	}
	if m.Prediction == "" && m.Family == SD1 {
		m.Prediction, m.Assumed = Epsilon, true
	}
	return nil
}

// CheckSettings returns an [Error] where settings beside the file, whose prediction_type and rescale_betas_zero_snr
// are given, deny what its tensors say.
func (m *Model) CheckSettings(prediction string, zeroSNR bool) error {
	switch {
	case m.ZeroSNR && !zeroSNR:
		return &Error{Tensor: zeroFlag, Reason: `says that the noise ends without signal: want "rescale_betas_zero_snr": true in the settings beside the file, or none there`}
	case m.flagged && prediction != Velocity:
		return &Error{Tensor: velocityFlag, Reason: fmt.Sprintf(`says that the network predicts velocities, and the settings beside the file say %.40q: want "prediction_type": %q, or none there`, prediction, Velocity)}
	}
	return nil
}

// flags are the tensors that say what a model was trained on where nothing else of a file does.
func (m *Model) flags() []weights.Tensor {
	if !m.ZeroSNR || m.Prediction != Velocity {
		return nil
	}
	return []weights.Tensor{weights.New(velocityFlag, []int{0}, nil), weights.New(zeroFlag, []int{0}, nil)}
}

// withoutFlags returns the tensors that hold numbers.
func withoutFlags(all []weights.Tensor) []weights.Tensor {
	return slices.DeleteFunc(all, func(t weights.Tensor) bool { return isFlag(t.Name) })
}
