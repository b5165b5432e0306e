package train_test

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// small is the network of testdata/before_objectives.safetensors.
func small(t *testing.T) *nn.TemporalUNet {
	t.Helper()
	n, err := nn.NewTemporalUNet(nn.TemporalUNetConfig{Horizon: 8, StateDim: 2, Width: 8, DimMults: []int{1, 1}, Kernel: 3, TimeDim: 4, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(5).Sub("init"))
	return n
}

// A checkpoint from before there were several objectives is resumed, and ends where a
// training from the first step on ends; the file may come from other kernels, hence
// the tolerance.
func TestResumeOfOldCheckpoint(t *testing.T) {
	c := config()
	c.Steps = 12
	run := func(path string, emphasis float64) ([]float32, error) {
		n := small(t)
		o := objective(t, n, train.Unconditional(paths(60)))
		o.Emphasis = emphasis
		tr, err := train.New(o, c)
		if err != nil {
			t.Fatal(err)
		}
		if path != "" {
			if err := tr.Resume(path); err != nil {
				return nil, err
			}
			if tr.Done() != 7 {
				t.Fatalf("resumed at step %d, want 7", tr.Done())
			}
		}
		return weightsOf(n), tr.Run(context.Background(), train.Hooks{})
	}
	const old = "testdata/before_objectives.safetensors"
	want, err := run("", 4)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(old, 4)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if d := math.Abs(float64(want[i] - got[i])); d > 0.01 {
			t.Fatalf("weight %d is %v, want %v", i, got[i], want[i])
		}
	}
	var refused *train.CheckpointError
	if _, err := run(old, 5); !errors.As(err, &refused) {
		t.Errorf("another emphasis: %v, want a *train.CheckpointError", err)
	}
}

// A training that is prolonged after its warm-up continues, although a longer one
// warms up longer; within the warm-up it is refused.
func TestProlongedTrainingContinues(t *testing.T) {
	for _, c := range []struct {
		done int
		ok   bool
	}{{4, false}, {12, true}} {
		short := config()
		short.Steps, short.Warmup = c.done, min(4, c.done)
		tr, _ := trainer(t, short, 1)
		if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
		if err := tr.Save(path); err != nil {
			t.Fatal(err)
		}
		long := short
		long.Steps, long.Warmup = 40, 8
		tr, _ = trainer(t, long, 1)
		if err := tr.Resume(path); (err == nil) != c.ok {
			t.Errorf("resuming at step %d with a warm-up of 8: %v", c.done, err)
		}
	}
}

// told are paths with the number of their mode as a condition of four numbers.
type told struct{ train.Data }

func (told) ConditionShape() tensor.Shape { return tensor.Shape{4} }

func (d told) Example(x0, condition []float32, i int) {
	d.Data.Example(x0, nil, i)
	for j := range condition {
		condition[j] = float32(i%3/2) + 1
	}
}

func conditional(t *testing.T) *nn.ConditionalUNet1D {
	t.Helper()
	n, err := nn.NewConditionalUNet1D(nn.ConditionalUNet1DConfig{Horizon: 8, StateDim: 2, ConditionDim: 4, DownDims: []int{8, 8}, Kernel: 3, TimeDim: 8})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(5).Sub("init"))
	return n
}

// constant are paths that are all told the same.
type constant struct {
	train.Data
	condition []float32
}

func (constant) ConditionShape() tensor.Shape { return tensor.Shape{4} }

func (d constant) Example(x0, condition []float32, i int) {
	d.Data.Example(x0, nil, i)
	copy(condition, d.condition)
}

// When every condition is dropped the training is that of examples which are told
// the null condition, bit for bit; when some are, it is neither of both.
func TestConditionDropout(t *testing.T) {
	null := []float32{0.5, -1, 0, 2}
	run := func(d train.Data, dropout float64) []float32 {
		n := conditional(t)
		o := train.NoiseMSE{Net: n, Data: d, Schedule: exponential(t), Dropout: dropout}
		if dropout > 0 {
			o.Null = null
		}
		tr, err := train.New(o, train.Config{Steps: 4, Batch: 16})
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
			t.Fatal(err)
		}
		return weightsOf(n)
	}
	data := train.Unconditional(paths(60))
	all, none, some := run(told{data}, 1), run(told{data}, 0), run(told{data}, 0.5)
	if !slices.Equal(all, run(constant{data, null}, 0)) {
		t.Error("dropping every condition differs from the null condition")
	}
	if slices.Equal(some, all) || slices.Equal(some, none) || slices.Equal(all, none) {
		t.Error("dropping half of the conditions changes nothing")
	}
}

// as says that a network predicts something else.
type as struct {
	*nn.TemporalUNet
	kind schedule.Kind
}

func (n as) Kind() schedule.Kind { return n.kind }

// A network that always predicts zero has the mean square of its target as its loss:
// 1 for noise, that of the data for clean samples, and in between for velocities. Min-SNR
// gives each level the weight of what an error there means for the clean sample.
func TestTargets(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of a step whose goroutines others watch")
	}
	x := paths(200)
	square := 0.0
	for _, v := range x.Data {
		square += float64(v) * float64(v) / float64(len(x.Data))
	}
	s := exponential(t)
	const most = 0.5
	want := map[schedule.Kind][2]float64{} // without min-SNR, and with it
	for i := range s.Len() {
		a := s.At(i).AlphaBar
		snr := a / (1 - a)
		for kind, target := range map[schedule.Kind]float64{schedule.Epsilon: 1, schedule.X0: square, schedule.V: a + (1-a)*square} {
			inClean := map[schedule.Kind]float64{schedule.Epsilon: snr, schedule.X0: 1, schedule.V: snr + 1}[kind]
			w := want[kind]
			want[kind] = [2]float64{w[0] + target/float64(s.Len()), w[1] + target*min(snr, most)/inClean/float64(s.Len())}
		}
	}
	for kind, both := range want {
		for i, most := range []float64{0, most} {
			if got := lossOfZero(t, train.NoiseMSE{Net: as{silent(t), kind}, Data: train.Unconditional(x), Schedule: s, MinSNR: most}); math.Abs(got-both[i]) > 0.03*both[i] {
				t.Errorf("%v, min-SNR %v: loss %v of the prediction 0, want %v", kind, most, got, both[i])
			}
		}
	}
	for _, bad := range []train.NoiseMSE{
		{Net: as{network(t, 1), schedule.Score}, Data: train.Unconditional(x), Schedule: s},
		{Net: network(t, 1), Data: train.Unconditional(x), Schedule: s, MinSNR: -1},
	} {
		if _, err := train.New(bad, train.Config{Steps: 1}); err == nil {
			t.Errorf("a network that predicts %v, min-SNR %v: no error", bad.Net.Kind(), bad.MinSNR)
		}
	}
}

// silent returns a network that predicts zero.
func silent(t *testing.T) *nn.TemporalUNet {
	n := network(t, 2)
	for _, p := range n.Params()[len(n.Params())-2:] {
		clear(p.Data)
	}
	n.Refresh()
	return n
}

// lossOfZero returns the loss of the first step: 25600 numbers, whose standard errors are
// below 1 %.
func lossOfZero(t *testing.T, o train.NoiseMSE) (loss float64) {
	t.Helper()
	tr, err := train.New(o, train.Config{Steps: 1, Batch: 1600, Rate: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Run(context.Background(), train.Hooks{Log: func(m train.Metrics) error { loss = m.Loss; return nil }}); err != nil {
		t.Fatal(err)
	}
	return loss
}

// line is an objective of its own: a·i + b fitted to numbers, with a penalty as a
// second term.
type line struct {
	y       []float64
	penalty float64
}

type lineLoss struct {
	line
	order  *train.Order
	params []*nn.Param
	batch  int
}

func (l line) Len() int { return len(l.y) }

func (l line) Begin(c train.Config) (train.Loss, error) {
	order, err := train.NewOrder(c, l)
	if err != nil {
		return nil, err
	}
	a := &nn.Param{Name: "a", Shape: tensor.Shape{1}, Data: make([]float32, 1), Grad: make([]float32, 1)}
	b := &nn.Param{Name: "b", Shape: tensor.Shape{1}, Data: make([]float32, 1), Grad: make([]float32, 1)}
	return &lineLoss{l, order, []*nn.Param{a, b}, c.Batch}, nil
}

func (l *lineLoss) Params() []*nn.Param { return l.params }

func (l *lineLoss) Refresh() {}

func (l *lineLoss) Signature() train.Signature {
	return train.Signature{Objective: "line", Settings: map[string]any{"penalty": l.penalty}}
}

// residual returns a·i + b - y.
func (l *lineLoss) residual(i int) (r, u float64) {
	u = float64(i) / float64(len(l.y))
	return float64(l.params[0].Data[0])*u + float64(l.params[1].Data[0]) - l.y[i], u
}

func (l *lineLoss) Step(step int) (train.Value, error) {
	a := float64(l.params[0].Data[0])
	fit, ga, gb, n := 0.0, 2*l.penalty*a, 0.0, float64(l.batch)
	for k := range l.batch {
		r, u := l.residual(l.order.Example(step*l.batch + k))
		fit, ga, gb = fit+r*r/n, ga+2*r*u/n, gb+2*r/n
	}
	l.params[0].Grad[0], l.params[1].Grad[0] = float32(ga), float32(gb)
	shrink := l.penalty * a * a
	return train.Value{Loss: fit + shrink, Terms: []train.Term{{Name: "fit", Loss: fit}, {Name: "penalty", Loss: shrink}}}, nil
}

func (l *lineLoss) HeldOut() (train.Value, int, error) {
	sum := 0.0
	for _, i := range l.order.Held() {
		r, _ := l.residual(i)
		sum += r * r
	}
	n := len(l.order.Held())
	return train.Value{Loss: sum / float64(max(n, 1))}, n, nil
}

// Optimiser, average, checkpoints, terms of the log and exact resume serve an
// objective that package train does not know.
func TestForeignObjective(t *testing.T) {
	o := line{penalty: 0.01}
	for i := range 50 {
		o.y = append(o.y, 2*float64(i)/50-1)
	}
	c := train.Config{Steps: 2000, Batch: 10, Rate: 0.02, Validation: 0.2, Cosine: true}
	begin := func(o line) *train.Trainer {
		tr, err := train.New(o, c)
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	run := func(tr *train.Trainer, stop int) (last train.Metrics) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		err := tr.Run(ctx, train.Hooks{
			Log: func(m train.Metrics) error { last = m; return nil },
			Progress: func(done, _ int) {
				if done == stop {
					cancel()
				}
			},
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return last
	}
	whole := run(begin(o), -1)
	if sum := whole.Terms["fit"] + whole.Terms["penalty"]; math.Abs(sum-whole.Loss) > 1e-12 || whole.Terms["penalty"] == 0 {
		t.Errorf("terms %v of the loss %v", whole.Terms, whole.Loss)
	}
	if whole.ValidationLoss == nil || *whole.ValidationLoss > 0.01 {
		t.Errorf("the line does not fit: %+v", whole)
	}
	path := filepath.Join(t.TempDir(), "checkpoint.safetensors")
	tr := begin(o)
	run(tr, 777)
	if err := tr.Save(path); err != nil {
		t.Fatal(err)
	}
	tr = begin(o)
	if err := tr.Resume(path); err != nil {
		t.Fatal(err)
	}
	if resumed := run(tr, -1); *resumed.ValidationLoss != *whole.ValidationLoss {
		t.Errorf("held out %v after a stop, want %v", *resumed.ValidationLoss, *whole.ValidationLoss)
	}
	var refused *train.CheckpointError
	if err := begin(line{y: o.y, penalty: 0.02}).Resume(path); !errors.As(err, &refused) {
		t.Errorf("another penalty: %v, want a *train.CheckpointError", err)
	}
}
