package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// actionUNetOf makes the U-Net of a policy.
func actionUNetOf(t *testing.T, p *golden.Policy) *ActionUNet {
	t.Helper()
	c := readLerobot(t, p)
	shape := p.Archive.Shape("in.unet.sample")
	kind := schedule.Epsilon
	if c.Prediction == "sample" {
		kind = schedule.X0
	}
	n, err := NewActionUNet(ActionUNetConfig{Horizon: shape[1], ActionDim: shape[2], ConditionDim: p.Archive.Shape("out.global_cond")[1],
		DownDims: c.DownDims, Kernel: c.Kernel, Groups: c.Groups, TimeDim: c.TimeDim, ShiftOnly: !c.Film, Prediction: kind, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	fillParams(t, n, under(p.Weights(), "diffusion.unet."))
	return n
}

// TestActionUNetAgainstPublished compares predictions, stages and products.
func TestActionUNetAgainstPublished(t *testing.T) {
	golden.Policies(t, lerobot, func(t *testing.T, p *golden.Policy) {
		n, shape := actionUNetOf(t, p), p.Archive.Shape("in.unet.sample")
		x, c := batchOf(t, p.Archive.Float32("in.unet.sample"), shape[1:]...), batchOf(t, p.Archive.Float32("in.unet.cotangent"), shape[1:]...)
		condition := batchOf(t, p.Archive.Float32("out.global_cond"), n.config.ConditionDim)
		b, err := n.Bind(condition)
		if err != nil {
			t.Fatal(err)
		}
		times := p.Archive.Ints("in.unet.t")
		for k, step := range times {
			dst, only, dCondition := x.Clone(), x.Clone(), tensor.New(x.N, condition.Shape...)
			if err := b.Predict(t.Context(), dst, x, step); err != nil {
				t.Fatal(err)
			}
			p.Check(t, "out.unet", dst.Data, k*len(x.Data), len(x.Data))
			if err := b.vjpCondition(t.Context(), dst, dCondition, x, c, step); err != nil {
				t.Fatal(err)
			}
			p.Check(t, "out.unet.vjp_sample", dst.Data, k*len(x.Data), len(x.Data))
			p.Check(t, "out.unet.vjp_global_cond", dCondition.Data, k*len(dCondition.Data), len(dCondition.Data))
			if err := b.VJP(t.Context(), only, x, c, step); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(only.Data, dst.Data) {
				t.Error("vjpCondition and VJP differ in the product for the sample")
			}
		}
		checkActionStages(t, p, n, x.Rows(0, 1), condition, times[2])
	})
}

func checkActionStages(t *testing.T, p *golden.Policy, n *ActionUNet, x, condition tensor.Batch, step int) {
	t.Helper()
	b := bindings{samples: 1, size: n.model().size, in: portsOf(x, condition), out: portsOf(x.Clone())}
	s := newSession(n.prepare(key{observing, b.size}), 2)
	if err := s.run(t.Context(), float64(step), b); err != nil {
		t.Fatal(err)
	}
	w, found := s.workers[0], 0
	w.first, w.n = 0, 1
	for _, st := range s.plan.stages {
		name := "out.unet." + st.name
		if p.Has(name) {
			p.Check(t, name, inOrder(&w.run, st.signal, true), 0, 0)
			found++
		}
	}
	for _, name := range p.Archive.Names() {
		if rest, ok := strings.CutPrefix(name, "out.unet."); ok && !strings.HasPrefix(rest, "vjp") {
			found--
		}
	}
	if found != 0 {
		t.Errorf("%d stages have no name in the network", -found)
	}
}

// TestActionUNetLayout compares names, shapes and the number of parameters of the published
// size with the list of its tensors.
func TestActionUNetLayout(t *testing.T) {
	var want struct {
		Tensors []struct {
			Name  string
			Shape []int
		}
		Parameters int
	}
	if err := json.Unmarshal(readFile(t, lerobot+"/full_config_tensors.json"), &want); err != nil {
		t.Fatal(err)
	}
	shapes, total := map[string]string{}, 0
	for _, e := range want.Tensors {
		if strings.HasPrefix(e.Name, "diffusion.") {
			shapes[e.Name] = fmt.Sprint(e.Shape)
		}
	}
	unet, err := ActionUNetConfig{}.Layout()
	if err != nil {
		t.Fatal(err)
	}
	encoder, err := VisionEncoderConfig{Backbone: "resnet18", Height: 96, Width: 96, Crop: [2]int{84, 84}, GroupNorm: true}.Layout()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range append(unet, encoder...) {
		name, size := "diffusion.unet."+s.Name, 1
		if i >= len(unet) {
			name = "diffusion.rgb_encoder." + s.Name
		}
		if shapes[name] != fmt.Sprint(s.Shape) {
			t.Errorf("%s has the shape %v, want %s", name, s.Shape, shapes[name])
		}
		delete(shapes, name)
		for _, n := range s.Shape {
			size *= n
		}
		if s.Name != "pool.pos_grid" {
			total += size
		}
	}
	if len(shapes) != 0 || total != 262709026 {
		t.Errorf("%d parameters, want 262709026; not in the networks: %v", total, shapes)
	}
}

// smallActions is a network of two levels.
func smallActions(t *testing.T, workers int, c ActionUNetConfig) *ActionUNet {
	t.Helper()
	c.Horizon, c.ActionDim, c.ConditionDim, c.DownDims, c.Kernel, c.Groups, c.TimeDim, c.Workers = 8, 3, 5, []int{16, 24}, 3, 4, 8, workers
	n, err := NewActionUNet(c)
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(3))
	return n
}

func TestActionUNetLaws(t *testing.T) {
	for _, c := range []ActionUNetConfig{{Prediction: schedule.Epsilon}, {Prediction: schedule.X0, ShiftOnly: true}} {
		b, err := smallActions(t, 2, c).Bind(gaussians(7, 5))
		if err != nil {
			t.Fatal(err)
		}
		lawtest.Denoiser(t, b, lawtest.DenoiserOptions{Timesteps: []int{0, 73}, Step: 1e-2})
	}
}

// TestActionUNetLearns compares the gradients of the parameters with central differences,
// and those of several goroutines with those of one, bit for bit.
func TestActionUNetLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("a training, whose goroutines the laws watch")
	}
	x, condition, cotangent := gaussians(4, 8, 3), gaussians(4, 5), gaussians(4, 8, 3)
	ex := Examples{X: x, T: []int{1, 20, 3, 99}, Condition: condition}
	var nets []*ActionUNet
	for _, workers := range []int{1, 3} {
		n := smallActions(t, workers, ActionUNetConfig{})
		tr := n.NewTraining(4)
		if err := errors.Join(tr.Forward(t.Context(), x.Clone(), ex), tr.Backward(t.Context(), cotangent)); err != nil {
			t.Fatal(err)
		}
		nets = append(nets, n)
	}
	n, tr := nets[0], nets[0].NewTraining(4)
	loss := func() float64 {
		out := x.Clone()
		n.Refresh()
		if err := tr.Forward(t.Context(), out, ex); err != nil {
			t.Fatal(err)
		}
		return dot(out.Data, cotangent.Data)
	}
	for i, p := range n.Params() {
		if !slices.Equal(p.Grad, nets[1].Params()[i].Grad) {
			t.Errorf("%s: the gradients of three goroutines differ from those of one", p.Name)
		}
		grad, values, h := slices.Clone(nets[1].Params()[i].Grad), slices.Clone(p.Data), 1e-2/norm2(nets[1].Params()[i].Grad)
		var at [2]float64
		for k, sign := range []float64{1, -1} {
			for j := range values {
				p.Data[j] = values[j] + float32(sign*h*float64(grad[j]))
			}
			at[k] = loss()
		}
		copy(p.Data, values)
		want, got := (at[0]-at[1])/(2*h), dot(grad, grad)
		if math.Abs(got-want) > 0.01*got || !(got > 0) {
			t.Errorf("%s: the gradient has the slope %g, central differences %g", p.Name, got, want)
		}
	}
}

// TestActionUNetLearnsBackwards compares the gradients of sample and condition that a training
// gives with those of a prediction.
func TestActionUNetLearnsBackwards(t *testing.T) {
	x, condition, cotangent := gaussians(4, 8, 3), gaussians(4, 5), gaussians(4, 8, 3)
	n := smallActions(t, 2, ActionUNetConfig{})
	b, err := n.Bind(condition)
	if err != nil {
		t.Fatal(err)
	}
	want, got := Examples{X: x.Clone(), Condition: condition.Clone()}, Examples{X: x.Clone(), Condition: condition.Clone()}
	if err := b.vjpCondition(t.Context(), want.X, want.Condition, x, cotangent, 20); err != nil {
		t.Fatal(err)
	}
	tr := n.NewTraining(4)
	if err := errors.Join(tr.Forward(t.Context(), x.Clone(), Examples{X: x, T: []int{20, 20, 20, 20}, Condition: condition}),
		tr.BackwardInput(t.Context(), got, cotangent)); err != nil {
		t.Fatal(err)
	}
	golden.Close(t, "gradient of the sample", got.X.Data, want.X.Data, 0, 1e-5)
	golden.Close(t, "gradient of the condition", got.Condition.Data, want.Condition.Data, 0, 1e-5)
}

// TestActionUNetKeepsHalves compares a network that keeps weights of half precision with one
// that has them as float32, bit for bit.
func TestActionUNetKeepsHalves(t *testing.T) {
	n, wide := smallActions(t, 2, ActionUNetConfig{}), smallActions(t, 2, ActionUNetConfig{})
	keptParams := 0
	for i, p := range n.Params() {
		if !p.CanKeep(weights.BF16) {
			continue
		}
		var raw []byte
		for j, v := range p.Data {
			half := math.Float32bits(v) >> 16
			raw = append(raw, byte(half), byte(half>>8))
			wide.Params()[i].Data[j] = math.Float32frombits(half << 16)
		}
		p.Keep(raw, weights.BF16)
		keptParams++
	}
	n.Refresh()
	wide.Refresh()
	x, condition := gaussians(3, 8, 3), gaussians(3, 5)
	var out [2]tensor.Batch
	for i, m := range []*ActionUNet{n, wide} {
		b, err := m.Bind(condition)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = x.Clone()
		if err := b.Predict(t.Context(), out[i], x, 9); err != nil {
			t.Fatal(err)
		}
	}
	if keptParams < 20 || !slices.Equal(out[0].Data, out[1].Data) {
		t.Errorf("%d parameters of half precision give other predictions than their values", keptParams)
	}
}
