package plan

import (
	"fmt"
	"reflect"
	"strings"
)

// Settings name the choices that the methods leave open. Every field is a
// difference that a manifest can state.
type Settings struct {
	Name string `json:"name"`
	// ExactProjection projects onto the exact nearest path, certified in float32;
	// otherwise by the published iteration, which keeps the limit up to a tolerance.
	ExactProjection bool `json:"exact_projection"`
	// PinGoal makes the goal part of the constraint set and holds it until the
	// end; otherwise it is let go at the last step, as published.
	PinGoal bool `json:"pin_goal"`
	// GuideAll keeps also the methods without coupling away from obstacles.
	GuideAll bool `json:"guide_all"`
	// SquaredObstacles guides by the squared hinge on distances to obstacles, which
	// ends at the margin; otherwise by the hinge, with steps of a fixed size, as
	// published.
	SquaredObstacles bool `json:"squared_obstacles"`
	// BarrierObstacles guides away from obstacles with weight 0.1 on every map beside
	// the barrier, as the paper states: its push does not fade with distance, and more
	// robots end in walls with less. Otherwise the weight is that of the reference
	// configuration, 0.05 on the conveyor and in the drop region.
	BarrierObstacles bool `json:"barrier_obstacles"`
	// ReferenceDistances looks distances to obstacles up in the field of the reference
	// implementation, which is made in float32; see [nav2d.Map.Reference].
	ReferenceDistances bool `json:"reference_distances"`
	// BatchClip limits states to the range of the data for the whole batch as soon
	// as one element exceeds it, as published; otherwise element by element.
	BatchClip bool `json:"batch_clip"`
	// FreeRange does not limit states to the range of the data at all.
	FreeRange bool `json:"free_range"`
	// Velocities replaces the velocity channels of the result by the differences of
	// its positions; otherwise they are what the model made of them.
	Velocities bool `json:"velocities"`
	// NoiseScale multiplies the noise of every step.
	NoiseScale float64 `json:"noise_scale"`
	// ProjectEvery projects at steps that are multiples of it, and at the last.
	ProjectEvery int `json:"project_every"`
	// Steps is the number of denoising steps, spread evenly over those of the model; 0
	// is all of them.
	Steps int `json:"steps"`
	// Sampler is how steps are taken: one of [Samplers]; empty is ddpm.
	Sampler string `json:"sampler,omitempty"`
	// ProjectEstimate projects the estimates of the clean trajectories before steps instead of
	// the noisy trajectories after them; see [pcd.Cadence].
	ProjectEstimate bool `json:"project_estimate,omitempty"`
	// Between is the number of points on every segment, beside its waypoints, that the
	// costs of robots and obstacles see; see [cost.Swept].
	Between int `json:"between"`
	// SeparationSteps is the number of the last denoising steps after which joint samples
	// are projected onto those that are certified in continuous time, as far as one is
	// found; 0 leaves that to the repair.
	SeparationSteps int `json:"separation_steps"`
	// Repair moves the best joint samples until they are certified in continuous time;
	// otherwise the one that is offered is judged as it is.
	Repair bool `json:"repair"`
}

// DefaultSamples returns the number of joint samples that are drawn when nobody says:
// a few that are repaired, fewer of large teams, or as many as published.
func (s Settings) DefaultSamples(robots int) int {
	if s.Repair {
		return max(1, min(repairedSamples, sampledRobots/robots))
	}
	return DefaultSamples
}

// presets lists the named settings.
func presets() []Settings {
	return []Settings{
		{Name: "default", ExactProjection: true, PinGoal: true, SquaredObstacles: true, FreeRange: true, Velocities: true, NoiseScale: 0.5, ProjectEvery: 1, Steps: repairedSteps, Between: 1, Repair: true},
		{Name: "paper", ExactProjection: true, BarrierObstacles: true, NoiseScale: 0.5, ProjectEvery: 1},
		{Name: "mmd", ReferenceDistances: true, BatchClip: true, NoiseScale: 0.5, ProjectEvery: 1},
	}
}

// SettingsByName returns named settings: "default" is ours, "mmd" the reference
// implementation step by step, "paper" the reference with exact projections,
// without dependence on the batch, and with the obstacle weight of the paper beside the
// barrier. The error for an unknown name lists the known.
func SettingsByName(name string) (Settings, error) {
	var names []string
	for _, s := range presets() {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Settings{}, fmt.Errorf("plan: unknown preset %q; the presets are %s", name, strings.Join(names, ", "))
}

// on returns a team with the distances that the settings ask for.
func (s Settings) on(t Team) Team {
	if s.ReferenceDistances {
		t.Map = t.Map.Reference()
	}
	return t
}

// Differences lists how s differs from other, as "field: value instead of value".
func (s Settings) Differences(other Settings) []string {
	var out []string
	a, b := reflect.ValueOf(s), reflect.ValueOf(other)
	for i := range a.NumField() {
		name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		if name != "name" && !a.Field(i).Equal(b.Field(i)) {
			out = append(out, fmt.Sprintf("%s: %v instead of %v", name, a.Field(i), b.Field(i)))
		}
	}
	return out
}
