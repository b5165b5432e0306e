package main

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// Sizes of the demonstrations and of a plan.
const (
	episodes = 400
	length   = 24   // steps of an episode
	horizon  = 8    // steps of a plan
	executed = 4    // steps of a plan that are done
	fastest  = 0.12 // radians of a joint in a step
)

// features are what a policy is told and tells: the angles of its arm and a place on the table,
// and the angles that come next.
var features = map[policy.FeatureType]policy.Feature{
	policy.State:       {Key: "observation.state", Type: policy.State, Shape: []int{joints}},
	policy.Environment: {Key: "observation.environment_state", Type: policy.Environment, Shape: []int{2}},
	policy.Action:      {Key: "action", Type: policy.Action, Shape: []int{joints}},
}

// aPlace draws a place that both arms reach.
func aPlace(r *rand.Rand) [2]float64 {
	return [2]float64{0.5*r.Float64() - 0.25, 0.35 + 0.4*r.Float64()}
}

// rest returns the angles of an arm that waits with its hand on its own side.
func (a arm) rest(r *rand.Rand) [joints]float64 {
	side := math.Copysign(1, a.base[0])
	q := [joints]float64{math.Pi / 2, side * 0.9, side * 0.3}
	place := [2]float64{a.base[0] * (0.45 + 0.3*r.Float64()), 0.4 + 0.3*r.Float64()}
	return a.towards(q, place, math.Inf(1))
}

// demonstrations are episodes of an arm that goes from where it rests to a place.
type demonstrations struct {
	state, action, place tensor.Batch // by step of all episodes; normalised by learn
}

func demonstrate(a arm, seed uint64) *demonstrations {
	r := rand.New(rand.NewPCG(seed, 1))
	n := episodes * length
	d := &demonstrations{tensor.New(n, joints), tensor.New(n, joints), tensor.New(n, 2)}
	for k := range n {
		if k%length == 0 {
			place := aPlace(r)
			copy(d.place.Sample(k), []float32{float32(place[0]), float32(place[1])})
			write(d.state.Sample(k), a.rest(r))
		} else {
			copy(d.place.Sample(k), d.place.Sample(k-1))
			copy(d.state.Sample(k), d.action.Sample(k-1))
		}
		p := d.place.Sample(k)
		write(d.action.Sample(k), a.towards(read(d.state.Sample(k)), [2]float64{float64(p[0]), float64(p[1])}, fastest))
	}
	return d
}

func write(dst []float32, q [joints]float64) {
	for i, v := range q {
		dst[i] = float32(v)
	}
}

func read(src []float32) (q [joints]float64) {
	for i := range q {
		q[i] = float64(src[i])
	}
	return q
}

// Len implements [train.Data]: an example begins at every step of an episode.
func (d *demonstrations) Len() int { return d.state.N }

// Shape implements [train.Data].
func (d *demonstrations) Shape() tensor.Shape { return tensor.Shape{horizon, joints} }

// ConditionShape implements [train.Data].
func (d *demonstrations) ConditionShape() tensor.Shape { return tensor.Shape{joints + 2} }

// Example implements [train.Data]. The last step of an episode stands for those after it.
func (d *demonstrations) Example(actions, condition []float32, i int) {
	end := i - i%length + length
	for h := range horizon {
		copy(actions[h*joints:], d.action.Sample(min(i+h, end-1)))
	}
	copy(condition[copy(condition, d.state.Sample(i)):], d.place.Sample(i))
}

// learn trains the policy of an arm on its demonstrations. [policy.Policy.Save] would write it as a
// folder that pcd and the library load.
func learn(ctx context.Context, a arm, steps int, seed uint64) (*policy.Policy, error) {
	d := demonstrate(a, seed)
	c := policy.Config{
		Inputs: []policy.Feature{features[policy.State], features[policy.Environment]}, Action: features[policy.Action],
		Modes:            map[policy.FeatureType]policy.Mode{policy.State: policy.MinMax, policy.Environment: policy.MinMax, policy.Action: policy.MinMax},
		ObservationSteps: 1, Horizon: horizon, ActionSteps: executed, DownDims: []int{32, 64}, Kernel: 5, Groups: 8, TimeDim: 32,
		Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: 32, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: 32},
	}
	rows := map[policy.FeatureType]tensor.Batch{policy.State: d.state, policy.Environment: d.place, policy.Action: d.action}
	bounds := map[string]policy.Statistics{}
	for t, x := range rows {
		bounds[features[t].Key] = ends(x)
	}
	p, err := policy.New(c, bounds, noise.New(seed), policy.Options{})
	if err != nil {
		return nil, err
	}
	for t, x := range rows {
		p.Normalize(x.Data, x.Data, features[t])
	}
	s, err := c.Diffusion.Schedule()
	if err != nil {
		return nil, err
	}
	t, err := train.New(train.NoiseMSE{Net: network{p.UNet()}, Data: d, Schedule: s},
		train.Config{Steps: steps, Batch: 128, Seed: seed, Rate: 2e-3, Warmup: steps / 20, Cosine: true, ClipNorm: 1})
	if err != nil {
		return nil, err
	}
	if err := t.Run(ctx, train.Hooks{}); err != nil {
		return nil, err
	}
	t.UseAverage()
	return p, nil
}

// ends returns the bounds of every number.
func ends(x tensor.Batch) policy.Statistics {
	s := policy.Statistics{Low: append([]float32(nil), x.Sample(0)...), High: append([]float32(nil), x.Sample(0)...)}
	for i, v := range x.Data {
		k := i % x.Size()
		s.Low[k], s.High[k] = min(s.Low[k], v), max(s.High[k], v)
	}
	return s
}

// network is a U-Net as a trainer takes it.
type network struct{ *nn.ActionUNet }

func (n network) Shape() tensor.Shape { return tensor.Shape{horizon, joints} }

func (n network) Kind() schedule.Kind { return schedule.Epsilon }
