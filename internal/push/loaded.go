package push

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// OpenPolicy reads the folder of a LeRobot policy that was trained for PushT: one that is told the
// place of the agent, with the picture or the corners of the block. It returns a [ModelError] for
// a policy of something else.
func OpenPolicy(dir string, o policy.Options) (*Model, error) {
	d, err := policy.Inspect(dir)
	if err != nil {
		return nil, err
	}
	if reason := fits(&d.Config); reason != "" {
		return nil, &ModelError{Path: dir, Reason: "is no policy of PushT: " + reason}
	}
	p, err := policy.Open(dir, o)
	if err != nil {
		return nil, err
	}
	if err := sees(p); err != nil {
		return nil, &ModelError{Path: dir, Reason: "is no policy of PushT: " + err.Error()}
	}
	m := &Model{Name: dir, Loaded: p}
	m.Steps = d.Diffusion.Steps
	if m.Action, err = actionMap(p); err != nil {
		return nil, &ModelError{Path: dir, Reason: err.Error()}
	}
	m.digest, err = manifest.DigestFile(dir)
	return m, err
}

// fits says why a configuration is not one of PushT, or nothing.
func fits(c *policy.Config) string {
	switch {
	case c.Horizon != Horizon || c.ObservationSteps != pusht.ObservationSteps:
		return fmt.Sprintf("it plans %d actions from %d observations, want %d from %d", c.Horizon, c.ObservationSteps, Horizon, pusht.ObservationSteps)
	case c.Action.Size() != actionSize:
		return fmt.Sprintf("an action has %d numbers, want %d", c.Action.Size(), actionSize)
	}
	for _, f := range c.Told() {
		want := map[policy.FeatureType]string{policy.State: "[2]", policy.Environment: "[16]",
			policy.Visual: fmt.Sprintf("[3 %d %d]", pusht.PictureSize, pusht.PictureSize)}[f.Type]
		if want != "" && fmt.Sprint(f.Shape) != want {
			return fmt.Sprintf("%s has shape %v, want %s", f.Key, f.Shape, want)
		}
	}
	return ""
}

// sees shows a policy the white picture of an empty world, and returns why it cannot be told it: a
// camera that PushT does not have is found before an episode begins.
func sees(p *policy.Policy) error {
	sight := pusht.Sight{Picture: bytes.Repeat([]byte{255}, 3*pusht.PictureSize*pusht.PictureSize)}
	o := observationOf(sight, cameraOf(p))
	_, err := p.Condition(context.Background(), []policy.Observation{o, o})
	return err
}

// actionMap returns the map from pixels to the actions that a policy draws.
func actionMap(p *policy.Policy) (dataset.Linear, error) {
	low, high := tensor.New(1, actionSize), tensor.New(1, actionSize)
	for i := range high.Data {
		low.Data[i], high.Data[i] = -1, 1
	}
	p.Unnormalize(low, low)
	p.Unnormalize(high, high)
	l := dataset.Linear{Min: low.Data, Max: high.Data, Mean: make([]float32, actionSize), Std: make([]float32, actionSize)}
	for i, lo := range low.Data {
		scale := 2 / (high.Data[i] - lo)
		l.Scale, l.Offset = append(l.Scale, scale), append(l.Offset, -1-lo*scale)
	}
	return l, l.Check()
}

// Schedule returns the noise schedule of the model.
func (m *Model) Schedule() (*schedule.Schedule, error) {
	if m.Loaded != nil {
		return m.Loaded.Config().Diffusion.Schedule()
	}
	return m.Spec.Schedule()
}

// clip returns what the estimate of the clean actions is limited to.
func (m *Model) clip() float64 {
	if m.Loaded != nil {
		return m.Loaded.Config().Diffusion.Clip
	}
	return 1
}

// bind returns the model of the actions of what a member of every pair sees.
func (m *Model) bind(ctx context.Context, seen view) (denoise.VJPer, error) {
	if m.Loaded == nil {
		condition := seen.Clone()
		m.Observation.Normalize(condition, condition)
		condition.Shape = tensor.Shape{conditionSize}
		return m.Net.Bind(condition)
	}
	histories, camera := make([][]policy.Observation, len(seen.sights)), cameraOf(m.Loaded)
	for i, s := range seen.sights {
		for _, o := range s {
			histories[i] = append(histories[i], observationOf(o, camera))
		}
	}
	condition, err := m.Loaded.Condition(ctx, histories...)
	if err != nil {
		return nil, err
	}
	condition.First = seen.First
	return m.Loaded.Bind(condition)
}

// cameraOf returns the name under which a policy is told the picture of the window: that of its only camera,
// otherwise that of the published data set.
func cameraOf(p *policy.Policy) string {
	c := p.Config()
	if cameras := c.Cameras(); len(cameras) == 1 {
		return cameras[0].Key
	}
	return "observation.image"
}

// observationOf returns a sight under the names of the published data set, and that of a camera.
func observationOf(s pusht.Sight, camera string) policy.Observation {
	o := policy.Observation{
		Vectors: map[string][]float32{"observation.state": s.Agent[:], "observation.environment_state": s.Corners[:]},
		Images:  map[string]policy.Image{},
	}
	if s.Picture != nil {
		o.Images[camera] = policy.Image{Height: pusht.PictureSize, Width: pusht.PictureSize, Channels: 3, Pix: s.Picture}
	}
	return o
}

// looks reports whether a member is told more than the keypoints.
func (p *Policy) looks() bool { return p.models[0].Loaded != nil || p.models[1].Loaded != nil }

// needsPictures reports whether a member has a camera.
func (p *Policy) needsPictures() bool {
	for _, m := range p.models {
		if m.Loaded == nil {
			continue
		}
		if c := m.Loaded.Config(); len(c.Cameras()) > 0 {
			return true
		}
	}
	return false
}

// sharedSchedule returns the noise levels that a pair goes through: those of the model that has
// fewer.
func sharedSchedule(models [2]*Model) (*schedule.Schedule, error) {
	s, err := models[0].Schedule()
	if err != nil || models[1] == models[0] {
		return s, err
	}
	other, err := models[1].Schedule()
	if err == nil && other.Len() < s.Len() {
		s = other
	}
	return s, err
}

// atLevels returns a model that is told its own timestep with the noise level nearest to that of
// the chain. Levels are compared by the logarithm of signal over noise. Between the 32 steps of
// one model and the 100 of another they differ by up to half a step of the finer one.
func atLevels(m denoise.VJPer, own, chain *schedule.Schedule) denoise.VJPer {
	if own.Name() == chain.Name() || within(own, chain) {
		return m
	}
	level := func(s schedule.Step) float64 { return math.Log(s.AlphaBar / (1 - s.AlphaBar)) }
	asked := map[int]int{}
	for i := range chain.Len() {
		best, least := 0, math.Inf(1)
		for k := range own.Len() {
			if d := math.Abs(level(own.At(k)) - level(chain.At(i))); d < least {
				best, least = own.At(k).Timestep, d
			}
		}
		asked[chain.At(i).Timestep] = best
	}
	a := another{m, asked}
	if l, ok := m.(denoise.Linearizer); ok {
		return anotherLinearizer{a, l}
	}
	return a
}

// within reports whether the chain visits levels of the schedule itself.
func within(own, chain *schedule.Schedule) bool {
	for i := range chain.Len() {
		s, err := own.ForTimestep(chain.At(i).Timestep)
		if err != nil || s.AlphaBar != chain.At(i).AlphaBar {
			return false
		}
	}
	return true
}

// another is a model that is told other timesteps.
type another struct {
	denoise.VJPer
	asked map[int]int
}

// Predict implements [denoise.Denoiser].
func (a another) Predict(ctx context.Context, dst, x tensor.Batch, t int) error {
	return a.VJPer.Predict(ctx, dst, x, a.asked[t])
}

// VJP implements [denoise.VJPer].
func (a another) VJP(ctx context.Context, dst, x, cotangent tensor.Batch, t int) error {
	return a.VJPer.VJP(ctx, dst, x, cotangent, a.asked[t])
}

// anotherLinearizer is another for models that keep what a product needs.
type anotherLinearizer struct {
	another
	linearizer denoise.Linearizer
}

// Linearize implements [denoise.Linearizer].
func (a anotherLinearizer) Linearize(ctx context.Context, dst, x tensor.Batch, t int) (denoise.Pullback, error) {
	return a.linearizer.Linearize(ctx, dst, x, a.asked[t])
}

// LinearizeLimit implements [denoise.LinearizeLimiter].
func (a anotherLinearizer) LinearizeLimit() int { return denoise.LinearizeLimit(a.linearizer) }
