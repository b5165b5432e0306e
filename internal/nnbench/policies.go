package nnbench

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// publishedPolicy is lerobot/diffusion_pusht: one camera, two observations, sixteen actions.
var publishedPolicy = policy.Config{
	Inputs:           []policy.Feature{{Key: "observation.image", Type: policy.Visual, Shape: []int{3, 96, 96}}, {Key: "observation.state", Type: policy.State, Shape: []int{2}}},
	Action:           policy.Feature{Key: "action", Type: policy.Action, Shape: []int{2}},
	Modes:            map[policy.FeatureType]policy.Mode{policy.Visual: policy.MeanStd, policy.State: policy.MinMax, policy.Action: policy.MinMax},
	ObservationSteps: 2, Horizon: 16, ActionSteps: 8, Backbone: "resnet18", Crop: [2]int{84, 84}, GroupNorm: true, Keypoints: 32,
	DownDims: []int{512, 1024, 2048}, Kernel: 5, Groups: 8, TimeDim: 128,
	Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: 100, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: 100},
}

// newEye makes the encoder of pictures of the published policy; the number is the pixels of a
// side of what it sees.
func newEye(_ Case, dims []int, threads int) (*subject, error) {
	side, err := one(dims, 512)
	if err != nil {
		return nil, err
	}
	n, err := nn.NewVisionEncoder(nn.VisionEncoderConfig{Backbone: "resnet18", Height: side, Width: side, GroupNorm: true, Workers: threads})
	if err != nil {
		return nil, err
	}
	return newMap(&n.Map, tensor.Shape{3, side, side})
}

// whole is a policy as a network that is measured, with weights of half precision on demand.
type whole struct {
	*policy.Policy
	half bool
}

// Init leaves the weights as they were drawn, but for their precision.
func (p whole) Init(noise.Field) {
	if !p.half {
		return
	}
	for _, q := range p.UNet().Params() {
		if q.CanKeep(weights.F16) {
			q.Keep(dtype.AppendFloat32s(dtype.F16, nil, q.Values()), weights.F16)
		}
	}
	p.Refresh()
}

// Params returns the parameters of all networks.
func (p whole) Params() []*nn.Param { return slices.Concat(p.UNet().Params(), p.Encoder(0).Params()) }

// Refresh is to be called after the parameters have changed.
func (p whole) Refresh() { p.UNet().Refresh() }

// unetOnly is a policy of which the U-Net is measured.
type unetOnly struct{ whole }

// Params returns the parameters of the U-Net.
func (p unetOnly) Params() []*nn.Param { return p.UNet().Params() }

func newWhole(threads int, half bool) (whole, error) {
	ones, zeros := make([]float32, 3), make([]float32, 3)
	for i := range ones {
		ones[i] = 0.5
	}
	statistics := map[string]policy.Statistics{"observation.image": {Low: ones, High: ones},
		"observation.state": {Low: zeros[:2], High: []float32{512, 512}}, "action": {Low: zeros[:2], High: []float32{512, 512}}}
	p, err := policy.New(publishedPolicy, statistics, noise.New(1), policy.Options{Workers: threads})
	return whole{p, half}, err
}

// newPolicyPass makes the U-Net of the published policy; the number is without meaning.
func newPolicyPass(c Case, dims []int, threads int) (*subject, error) {
	return policyPass(c, dims, threads, false)
}

func newHalfPolicyPass(c Case, dims []int, threads int) (*subject, error) {
	return policyPass(c, dims, threads, true)
}

func policyPass(c Case, dims []int, threads int, half bool) (*subject, error) {
	if _, err := one(dims, 1); err != nil {
		return nil, err
	}
	p, err := newWhole(threads, half)
	if err != nil {
		return nil, err
	}
	bound, err := p.Bind(normals(c.Batch, p.UNet().Config().ConditionDim))
	if err != nil {
		return nil, err
	}
	s := &subject{network: unetOnly{p}, multiplyAdds: p.UNet().MultiplyAdds()}
	s.computes(bound)
	return s, nil
}

// newPolicyPlan makes the published policy from two observations to its actions by DDIM; the
// number is that of its steps.
func newPolicyPlan(c Case, dims []int, threads int) (*subject, error) {
	return policyPlan(c, dims, threads, false)
}

func newHalfPolicyPlan(c Case, dims []int, threads int) (*subject, error) {
	return policyPlan(c, dims, threads, true)
}

func policyPlan(c Case, dims []int, threads int, half bool) (*subject, error) {
	steps, err := one(dims, 100)
	if err != nil {
		return nil, err
	}
	if c.Batch != 1 || c.Op != nn.Forward {
		return nil, fmt.Errorf("a plan is a prediction of one robot")
	}
	p, err := newWhole(threads, half)
	if err != nil {
		return nil, err
	}
	seen := policy.Observation{Vectors: map[string][]float32{"observation.state": {200, 300}},
		Images: map[string]policy.Image{"observation.image": {Height: 96, Width: 96, Channels: 3, Pix: make([]uint8, 3*96*96)}}}
	for i := range seen.Images["observation.image"].Pix {
		seen.Images["observation.image"].Pix[i] = uint8(i * 37 % 251)
	}
	eye, err := p.Encoder(0).MultiplyAdds(tensor.Shape{3, 96, 96})
	s := &subject{network: p, multiplyAdds: 2*eye + steps*p.UNet().MultiplyAdds(), in: tensor.Shape{16, 2}, out: tensor.Shape{16, 2}}
	s.predict = func(ctx context.Context, dst, _ tensor.Batch) error {
		condition, err := p.Condition(ctx, []policy.Observation{seen, seen})
		if err != nil {
			return err
		}
		plan, err := p.Plan(ctx, condition, policy.Sampling{Scheduler: "DDIM", Steps: steps})
		if err == nil {
			copy(dst.Data, plan.Actions.Data)
		}
		return err
	}
	return s, err
}
