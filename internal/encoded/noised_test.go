package encoded

import (
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Copies are as noisy as a timestep says, are labelled as their latents, and the
// latents themselves and those held out stay clean.
func TestNoised(t *testing.T) {
	const all, held, copies, size = 12, 2, 3, 4 * 32 * 32
	l := &Latents{held: held, X: tensor.New(all, 4, 32, 32), identity: "test"}
	l.Tell(tensor.Shape{1}, func(c []float32, i int) { c[0] = float32(i) })
	s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		for j := range size {
			l.X.Sample(i)[j] = float32(i + 1)
		}
	}
	n := WithNoise(l, copies, s, 1)
	if n.Len() != all+copies*(all-held) || n.HeldOut() != held || n.Identity() == l.Identity() {
		t.Fatalf("%d latents, %d held out: %q", n.Len(), n.HeldOut(), n.Identity())
	}
	x, again, c := make([]float32, size), make([]float32, size), make([]float32, 1)
	for i := range n.Len() {
		n.Example(x, c, i)
		n.Example(again, c, i)
		label := i % (all - held)
		if i >= n.Len()-held {
			label = all - n.Len() + i
		}
		if c[0] != float32(label) || !slices.Equal(x, again) {
			t.Errorf("example %d has the label %v, want %d, or differs from itself", i, c[0], label)
		}
		mean, deviation := momentsOf(x)
		clean := i < all-held || i >= n.Len()-held
		if clean && (mean != float64(label+1) || deviation != 0) {
			t.Errorf("example %d is noisy", i)
		}
		keep := mean / float64(label+1) // the root of ᾱ
		if !clean && (deviation == 0 || math.Abs(keep*keep+deviation*deviation-1) > 0.1) {
			t.Errorf("example %d keeps %v of its latent with noise of deviation %v", i, keep, deviation)
		}
	}
}

func momentsOf(x []float32) (mean, deviation float64) {
	sum, squares := 0.0, 0.0
	for _, v := range x {
		sum, squares = sum+float64(v), squares+float64(v)*float64(v)
	}
	n := float64(len(x))
	mean = sum / n
	return mean, math.Sqrt(max(squares/n-mean*mean, 0))
}
