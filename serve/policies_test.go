package serve

import (
	"bytes"
	"errors"
	"image"
	"image/png"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
	"github.com/go-pcd/pcd/serve/internal/pcdv1/pcdv1connect"
)

const lerobotFolders = "../policy/testdata/lerobot/"

// seen is an observation of the policy c_env.
func seen(x float32) *pb.Observation {
	corners := make([]float32, 16)
	for i := range corners {
		corners[i] = 100 + float32(i)
	}
	return &pb.Observation{Vectors: map[string]*pb.Numbers{"observation.state": {Values: []float32{x, 300, 0.5}}, "observation.environment_state": {Values: corners}}}
}

// TestPoliciesAct asks for actions by gRPC and as JSON, and compares them with those of the
// package, bit for bit.
func TestPoliciesAct(t *testing.T) {
	_, url := start(t, Config{Policies: map[string]string{"pusher": lerobotFolders + "c_env"}})
	grpc := pcdv1connect.NewPolicyServiceClient(overHTTP2(), url, connect.WithGRPC())
	ask := &pb.ActRequest{Policy: "pusher", Observations: []*pb.Observation{seen(190), seen(200), seen(201)}, Scheduler: "DDIM", Steps: 4, Seed: 7}
	got, err := grpc.Act(t.Context(), connect.NewRequest(ask))
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.Open(lerobotFolders+"c_env", policy.Options{Half: true})
	if err != nil {
		t.Fatal(err)
	}
	var history []policy.Observation
	for _, o := range ask.Observations[1:] { // the policy looks back on two
		history = append(history, policy.Observation{Vectors: map[string][]float32{
			"observation.state": o.Vectors["observation.state"].Values, "observation.environment_state": o.Vectors["observation.environment_state"].Values}})
	}
	condition, err := p.Condition(t.Context(), history)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Plan(t.Context(), condition, policy.Sampling{Scheduler: "DDIM", Steps: 4, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	var actions []float32
	for _, a := range got.Msg.Actions {
		actions = append(actions, a.Values...)
	}
	if len(got.Msg.Actions) != p.Config().ActionSteps || !slices.Equal(actions, plan.Executed(0)) {
		t.Errorf("the service acts %v, the package %v", actions, plan.Executed(0))
	}
	plain := pcdv1connect.NewPolicyServiceClient(http.DefaultClient, url, connect.WithProtoJSON())
	again, err := plain.Act(t.Context(), connect.NewRequest(ask))
	if err != nil || !slices.Equal(again.Msg.Actions[0].Values, actions[:2]) {
		t.Errorf("as JSON the service acts %v, %v, want %v", again, err, actions)
	}
	list, err := plain.Policies(t.Context(), connect.NewRequest(&pb.PoliciesRequest{}))
	if err != nil || len(list.Msg.Policies) != 1 || list.Msg.Policies[0].GetActions() != 4 || list.Msg.Policies[0].Told[0].GetKey() != "observation.state" {
		t.Errorf("policies %v, %v", list, err)
	}
}

// TestPoliciesRefuse wants invalid_argument and what is wrong.
func TestPoliciesRefuse(t *testing.T) {
	_, url := start(t, Config{Policies: map[string]string{"pusher": lerobotFolders + "c_env"}, Bytes: 64 << 10})
	c := pcdv1connect.NewPolicyServiceClient(http.DefaultClient, url)
	for says, change := range map[string]func(r *pb.ActRequest){
		"there are pusher":         func(r *pb.ActRequest) { r.Policy = lerobotFolders + "c_env" },
		"want at least one":        func(r *pb.ActRequest) { r.Observations = nil },
		"steps is 101":             func(r *pb.ActRequest) { r.Steps = 101 },
		"steps is -1":              func(r *pb.ActRequest) { r.Steps = -1 },
		"want one of ddpm, ddim,":  func(r *pb.ActRequest) { r.Scheduler = "Euler" },
		"observation.state":        func(r *pb.ActRequest) { delete(r.Observations[0].Vectors, "observation.state") },
		"2 numbers, want 3":        func(r *pb.ActRequest) { r.Observations[0].Vectors["observation.state"].Values = []float32{1, 2} },
		"NaN at number 1":          func(r *pb.ActRequest) { r.Observations[0].Vectors["observation.state"].Values[1] = float32(math.NaN()) },
		"the policy has no camera": func(r *pb.ActRequest) { r.Observations[0].Pictures = map[string]*pb.Picture{"observation.image": {}} },
	} {
		r := &pb.ActRequest{Policy: "pusher", Observations: []*pb.Observation{seen(200)}}
		change(r)
		_, err := c.Act(t.Context(), connect.NewRequest(r))
		var e *connect.Error
		if !errors.As(err, &e) || e.Code() != connect.CodeInvalidArgument || !strings.Contains(e.Message(), says) {
			t.Errorf("%v, want invalid_argument with %q", err, says)
		}
	}
	large := &pb.ActRequest{Policy: "pusher", Observations: []*pb.Observation{seen(200)}}
	large.Observations[0].Vectors["more"] = &pb.Numbers{Values: make([]float32, 64<<10)}
	if _, err := c.Act(t.Context(), connect.NewRequest(large)); connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("a request above the limit: %v, want resource_exhausted", err)
	}
	if _, err := New(Config{Policies: map[string]string{"": lerobotFolders + "c_env"}}); err == nil {
		t.Error("a policy without a name is served")
	}
}

// TestPicturesOfPoliciesAreChecked wants pictures of other sizes to be refused before they are
// decoded.
func TestPicturesOfPoliciesAreChecked(t *testing.T) {
	p, err := policy.New(policy.Config{
		Inputs: []policy.Feature{{Key: "observation.image", Type: policy.Visual, Shape: []int{3, 32, 32}}, {Key: "observation.state", Type: policy.State, Shape: []int{2}}},
		Action: policy.Feature{Key: "action", Type: policy.Action, Shape: []int{2}}, ObservationSteps: 1, Horizon: 8, ActionSteps: 4,
		Backbone: "resnet18", GroupNorm: true, Keypoints: 4, DownDims: []int{8, 16}, Kernel: 3, Groups: 8, TimeDim: 8,
		Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: 4, Beta: "squaredcos_cap_v2", Inference: 4},
	}, nil, noise.New(1), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	file := func(width, height int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, height))); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, c := range []struct {
		content []byte
		says    string
	}{{file(32, 32), ""}, {file(3000, 3000), "3000×3000 pixels, want 32×32"}, {[]byte("BM"), "want a PNG or JPEG"}, {nil, "want a PNG or JPEG"}, {file(32, 32)[:60], "want a PNG or JPEG"}} {
		o, err := observationOf(p, &pb.Observation{Pictures: map[string]*pb.Picture{"observation.image": {Form: &pb.Picture_File{File: c.content}}}})
		if c.says == "" && (err != nil || len(o.Images["observation.image"].Pix) != 3*32*32) {
			t.Errorf("a picture that fits: %v", err)
		}
		var e *fieldError
		if c.says != "" && (!errors.As(err, &e) || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%v, want a *FieldError with %q", err, c.says)
		}
	}
}
