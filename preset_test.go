package pcd_test

import (
	"strings"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

func TestPresetsRun(t *testing.T) {
	for _, preset := range pcd.Presets() {
		d, err := preset.Dynamics()
		if err != nil {
			t.Fatal(err)
		}
		var s *schedule.Schedule
		if ddpm, ok := d.(pcd.DDPM); ok {
			if preset.Name == "images" { // the network timesteps go to 999
				if s, err = schedule.ScaledLinear(1000, 0.00085, 0.012); err != nil {
					t.Fatal(err)
				}
			} else {
				s = ddpm.Schedule
			}
		}
		shape := tensor.Shape{6, 2}
		p, err := preset.Problem([]pcd.Variable{
			{Name: "x", Model: gaussian(t, shape, 0.2, 0.3, s), Project: interval(t, -1, 1)},
			{Name: "y", Model: gaussian(t, shape, -0.2, 0.3, s), Project: interval(t, -1, 1)},
		}, preset.Coupling(cost.LogBarrier{Alpha: 0.1}, 0.02))
		if err != nil {
			t.Fatal(err)
		}
		r := mustSample(t, p, pcd.Options{Samples: 20, Seed: 1})
		if !r.Certificate.Certified || r.Status != pcd.Complete {
			t.Errorf("%s: status %v, certificate %+v", preset.Name, r.Status, r.Certificate)
		}
		if found, err := pcd.PresetByName(preset.Name); err != nil || found.Source != preset.Source {
			t.Errorf("PresetByName(%q) = %v, %v", preset.Name, found.Name, err)
		}
	}
	if _, err := pcd.PresetByName("mdd"); err == nil || !strings.Contains(err.Error(), "mmd") {
		t.Errorf("unknown preset: %v, want a list of the known", err)
	}
}
