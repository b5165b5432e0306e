package serve

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of cameras
	_ "image/png"
	"maps"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/policy"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// policies are those that requests may name. A name is never that of a folder.
type policies map[string]*policy.Policy

// policyNameError says that there is no policy of a name.
type policyNameError struct {
	Name  string
	Known []string
}

func (e *policyNameError) Error() string {
	if len(e.Known) == 0 {
		return fmt.Sprintf("serve: no policy %q: the service was started without one", e.Name)
	}
	return fmt.Sprintf("serve: no policy %q; there are %s", e.Name, strings.Join(e.Known, ", "))
}

// openPolicies opens folders by their names, with weights of half precision: a robot waits.
func openPolicies(folders map[string]string, cores int) (policies, error) {
	all := policies{}
	for name, dir := range folders {
		if name == "" {
			return nil, &ConfigError{"Policies", dir, "and has no name"}
		}
		p, err := policy.Open(dir, policy.Options{Half: true, Workers: cores})
		if err != nil {
			return nil, err
		}
		all[name] = p
	}
	return all, nil
}

func (p policies) names() []string { return slices.Sorted(maps.Keys(p)) }

// policyService answers calls of PolicyService.
type policyService struct{ *Server }

// Policies implements [pcdv1connect.PolicyServiceHandler].
func (s policyService) Policies(context.Context, *connect.Request[pb.PoliciesRequest]) (*connect.Response[pb.PoliciesResponse], error) {
	out := &pb.PoliciesResponse{}
	for _, name := range s.policies.names() {
		c, shape := s.policies[name].Config(), s.policies[name].Shape()
		m := &pb.Policy{Name: name, Action: featureOf(c.Action), Observations: int32(c.ObservationSteps), Actions: int32(c.ActionSteps),
			Steps: int32(c.Diffusion.Inference), Parameters: int64(shape.Parameters)}
		for _, f := range c.Told() {
			m.Told = append(m.Told, featureOf(f))
		}
		out.Policies = append(out.Policies, m)
	}
	return connect.NewResponse(out), nil
}

func featureOf(f policy.Feature) *pb.Feature {
	m := &pb.Feature{Key: f.Key}
	for _, n := range f.Shape {
		m.Shape = append(m.Shape, int32(n))
	}
	return m
}

// Act implements [pcdv1connect.PolicyServiceHandler].
func (s policyService) Act(ctx context.Context, r *connect.Request[pb.ActRequest]) (*connect.Response[pb.ActResponse], error) {
	p, history, err := s.asked(r.Msg)
	if err != nil {
		return nil, refuse(err)
	}
	sampling := policy.Sampling{Scheduler: r.Msg.GetScheduler(), Steps: int(r.Msg.GetSteps()), Seed: r.Msg.GetSeed()}
	if _, err := p.Dynamics(sampling); err != nil {
		return nil, refuse(err)
	}
	ctx, cancel := context.WithTimeout(ctx, s.config.Longest)
	defer cancel()
	pass, err := s.gate.Enter(ctx, clientOf(ctx), chunkSeconds, s.config.Cores)
	if err != nil {
		return nil, refuse(err)
	}
	defer pass.Leave()
	began := time.Now()
	condition, err := p.Condition(ctx, history)
	if err != nil {
		return nil, refuse(err)
	}
	plan, err := p.Plan(ctx, condition, sampling)
	if err != nil {
		return nil, refuse(err)
	}
	out := &pb.ActResponse{Waiting: pass.Waited.Seconds(), Seconds: time.Since(began).Seconds()}
	for action := range slices.Chunk(plan.Executed(0), p.Config().Action.Size()) {
		out.Actions = append(out.Actions, &pb.Numbers{Values: action})
	}
	return connect.NewResponse(out), nil
}

// chunkSeconds is what the queue takes a chunk of actions for, in processor seconds.
const chunkSeconds = 1

// asked returns the policy of a request and the history that it is told.
func (s policyService) asked(m *pb.ActRequest) (*policy.Policy, []policy.Observation, error) {
	p := s.policies[m.GetPolicy()]
	if p == nil {
		return nil, nil, &policyNameError{m.GetPolicy(), s.policies.names()}
	}
	seen, steps := m.GetObservations(), p.Config().ObservationSteps
	if len(seen) == 0 {
		return nil, nil, &fieldError{"observations", "empty", "want at least one"}
	}
	seen = seen[max(0, len(seen)-steps):]
	var history []policy.Observation
	for i, o := range seen {
		one, err := observationOf(p, o)
		if err != nil {
			return nil, nil, fmt.Errorf("observations[%d]: %w", len(m.GetObservations())-len(seen)+i, err)
		}
		history = append(history, one)
	}
	for len(history) < steps {
		history = slices.Insert(history, 0, history[0])
	}
	return p, history, nil
}

// observationOf reads an observation. Pictures are of the size that the policy has cameras of:
// others are refused before memory is made for them.
func observationOf(p *policy.Policy, o *pb.Observation) (policy.Observation, error) {
	out := policy.Observation{Vectors: map[string][]float32{}, Images: map[string]policy.Image{}}
	for key, v := range o.GetVectors() {
		out.Vectors[key] = v.GetValues()
	}
	c := p.Config()
	cameras := c.Cameras()
	for key, m := range o.GetPictures() {
		if len(cameras) == 0 {
			return out, &fieldError{"pictures", fmt.Sprintf("with %q", key), "and the policy has no camera"}
		}
		if x := m.GetPixels(); x != nil {
			out.Images[key] = policy.Image{Height: int(x.GetHeight()), Width: int(x.GetWidth()), Channels: int(x.GetChannels()), Pix: x.GetBytes()}
			continue
		}
		height, width := cameras[0].Shape[1], cameras[0].Shape[2]
		size, _, err := image.DecodeConfig(bytes.NewReader(m.GetFile()))
		if err != nil {
			return out, &fieldError{"pictures." + key + ".file", "no picture", "want a PNG or JPEG: " + err.Error()}
		}
		if size.Width != width || size.Height != height {
			return out, &fieldError{"pictures." + key + ".file", fmt.Sprintf("%d×%d pixels", size.Width, size.Height), fmt.Sprintf("want %d×%d", width, height)}
		}
		picture, _, err := image.Decode(bytes.NewReader(m.GetFile()))
		if err != nil {
			return out, &fieldError{"pictures." + key + ".file", "no picture", "want a PNG or JPEG: " + err.Error()}
		}
		out.Images[key] = policy.FromImage(picture)
	}
	return out, nil
}
