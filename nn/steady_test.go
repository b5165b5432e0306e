package nn

import (
	"errors"
	"testing"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// steady are calls of networks whose goroutines share every operation: one goroutine, so that
// how much memory a task finds in place does not depend on who takes it.
func steady(t *testing.T) map[string]func() error {
	x, condition := gaussians(2, 3, 8, 12), gaussians(2, 5, 12)
	unet := smallUNet2D(t, 1, schedule.Epsilon)
	b, y, ctx := bound2D(t, unet, 2), tensor.New(2, 3, 8, 12), t.Context()
	tr, err := unet.NewTraining(2, 8, 12, 5)
	if err != nil {
		t.Fatal(err)
	}
	ex := Examples{X: x, T: []int{1, 20}, Condition: condition}
	calls := map[string]func() error{
		"UNet2DCondition.Predict": func() error { return b.Predict(ctx, y, x, 3) },
		"UNet2DCondition.VJP":     func() error { return b.VJP(ctx, y, x, x, 3) },
		"UNet2DCondition training": func() error {
			tr.ZeroGrad()
			return errors.Join(tr.Forward(ctx, y, ex), tr.Backward(ctx, x))
		},
	}
	actions, err := smallActions(t, 1, ActionUNetConfig{}).Bind(gaussians(3, 5))
	if err != nil {
		t.Fatal(err)
	}
	u, v := gaussians(3, 8, 3), tensor.New(3, 8, 3)
	calls["ActionUNet.VJP"] = func() error { return actions.VJP(ctx, v, u, u, 3) }
	classifier, err := NewClassifier(ClassifierConfig{InChannels: 3, Width: 8, Workers: 1, Heads: []ClassifierHead{{"a", 8, make([]string, 3)}}})
	if err != nil {
		t.Fatal(err)
	}
	classifier.Init(noise.New(2))
	image, logits, d := gaussians(1, 3, 32, 32), tensor.New(1, 3), tensor.New(1, 3, 32, 32)
	calls["Classifier.Apply"] = func() error { return classifier.Apply(ctx, logits, image) }
	calls["Classifier.VJP"] = func() error { return classifier.VJP(ctx, d, image, logits) }
	return calls
}

// TestImagesAllocateNothing wants passes to work in the memory that those before have left.
func TestImagesAllocateNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes, which nobody shares")
	}
	for name, call := range steady(t) {
		err := errors.Join(call(), call())
		if n := testing.AllocsPerRun(2, func() { err = errors.Join(err, call()) }); n != 0 || err != nil {
			t.Errorf("%s allocates %v times (error %v), want 0", name, n, err)
		}
	}
}
