package latent

import (
	"fmt"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/schedule"
)

// largeNoise is the variance_type of schedulers whose steps add the noise of the forward process, of variance β: right
// for clean samples that are normals themselves, where that of the posterior, the default, is right for a single one.
// Source: Ho, Jain and Abbeel (2020), section 3.2.
const largeNoise = "fixed_large"

// quietAtZero is DDPM of which the step from timestep 0 adds no noise, as in the library; that of [pcd.ForwardNoise] does.
type quietAtZero struct{ pcd.DDPM }

// Transition implements [pcd.Dynamics].
func (d quietAtZero) Transition(i int, kind schedule.Kind) pcd.Transition {
	t := d.DDPM.Transition(i, kind)
	if t.Timestep == 0 {
		t.Std = 0
	}
	return t
}

// String describes the dynamics for messages and manifests.
func (d quietAtZero) String() string { return fmt.Sprint(d.DDPM) + " but at timestep 0" }

// withLargeNoise lets the steps of DDPM add the noise of the forward process.
func withLargeNoise(d pcd.DDPM) pcd.Dynamics {
	d.Noise = pcd.ForwardNoise
	if d.Schedule.At(0).Timestep == 0 {
		return quietAtZero{d}
	}
	return d
}
