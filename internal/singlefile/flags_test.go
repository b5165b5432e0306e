package singlefile_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/weights"
)

// flagged is a published layout with tensors without numbers and a prediction in its metadata.
func flagged(t *testing.T, name, metadata string, flags ...string) (*singlefile.Model, error) {
	t.Helper()
	sd := layout(t, name)
	for _, f := range flags {
		if err := sd.Add(weights.New(f, []int{0}, nil)); err != nil {
			t.Fatal(err)
		}
	}
	if metadata != "" {
		sd.Metadata = map[string]string{"modelspec.prediction_type": metadata}
	}
	return singlefile.Parse(sd)
}

// TestFlags reads what tensors without numbers say, and writes it back.
func TestFlags(t *testing.T) {
	for _, name := range []string{"sd1", "sd2"} {
		for _, c := range []struct {
			metadata, flags, prediction string
			zero                        bool
		}{
			{"", "", map[string]string{"sd1": singlefile.Epsilon}[name], false}, {"", "v_pred", singlefile.Velocity, false}, {"", "v_pred ztsnr", singlefile.Velocity, true},
			{"", "ztsnr", singlefile.Velocity, true}, {"v", "ztsnr", singlefile.Velocity, true}, {"epsilon", "", singlefile.Epsilon, false},
		} {
			m, err := flagged(t, name, c.metadata, strings.Fields(c.flags)...)
			if err != nil || m.Prediction != c.prediction || m.ZeroSNR != c.zero {
				t.Errorf("%s with %q and %q: %+v, %v", name, c.metadata, c.flags, m, err)
				continue
			}
			text, err := singlefile.Scheduler(m.Prediction, m.ZeroSNR)
			if err != nil {
				t.Fatal(err)
			}
			var settings map[string]any
			if err := json.Unmarshal(text, &settings); err != nil {
				t.Fatal(err)
			}
			if zero := settings["rescale_betas_zero_snr"] == true && settings["timestep_spacing"] == "trailing"; zero != c.zero {
				t.Errorf("%s with %q: scheduler %s", name, c.flags, text)
			}
			back, err := m.Join()
			if err != nil {
				t.Fatal(err)
			}
			if again, err := singlefile.Parse(back); err != nil || again.ZeroSNR != c.zero || c.prediction != "" && again.Prediction != c.prediction {
				t.Errorf("%s with %q comes back as %+v, %v", name, c.flags, again, err)
			}
		}
		for _, flag := range []string{"v_pred", "ztsnr"} {
			var denied *singlefile.Error
			if _, err := flagged(t, name, "epsilon", flag); !errors.As(err, &denied) || denied.Tensor != flag {
				t.Errorf("%s with %s and metadata that deny it: %v, want an error that names it", name, flag, err)
			}
			m, err := flagged(t, name, "", flag)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.CheckSettings(singlefile.Epsilon, false); !errors.As(err, &denied) || denied.Tensor != flag {
				t.Errorf("%s with %s and settings that deny it: %v, want an error that names it", name, flag, err)
			}
			if err := m.CheckSettings(singlefile.Velocity, flag == "ztsnr"); err != nil {
				t.Errorf("%s with %s and settings that say so: %v", name, flag, err)
			}
		}
	}
}

// TestFlagsOfBareNetworks takes them for none of the network's tensors where a file has no other part.
func TestFlagsOfBareNetworks(t *testing.T) {
	sd := layout(t, "sd2").Sub("model.diffusion_model.")
	if err := sd.Add(weights.New("ztsnr", []int{0}, nil)); err != nil {
		t.Fatal(err)
	}
	if m, err := singlefile.Parse(sd); err != nil || !m.ZeroSNR {
		t.Errorf("a denoising network alone with ztsnr: %+v, %v", m, err)
	}
}
