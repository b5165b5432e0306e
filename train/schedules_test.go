package train

import (
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

// The learning rate warms up evenly, and falls as a half cosine to the end.
func TestRates(t *testing.T) {
	c := Config{Rate: 0.2, Warmup: 4, Steps: 12, Cosine: true}
	for step, want := range map[int]float64{0: 0.05, 1: 0.1, 3: 0.2, 4: 0.2, 6: 0.1 * (1 + math.Sqrt2/2), 8: 0.1, 12: 0} {
		if got := c.rate(step); math.Abs(got-want) > 1e-15 {
			t.Errorf("step %d: rate %v, want %v", step, got, want)
		}
	}
	if c.Cosine = false; c.rate(11) != 0.2 {
		t.Errorf("a constant rate is %v at the end", c.rate(11))
	}
}

// The average is the weights before its start, moves at its steps only, and keeps the more of itself the older it is.
func TestDecayOfAverages(t *testing.T) {
	warm, constant := EMA{Every: 5, Start: 10, Power: 0.75, Max: 0.7}, EMA{Decay: 0.99, Every: 1}
	for _, c := range []struct {
		ema  EMA
		done int
		want float64
		move bool
	}{
		{warm, 3, 0, false}, {warm, 5, 0, true}, {warm, 10, 1 - math.Pow(2, -0.75), true}, {warm, 12, 0, false}, {warm, 15, 1 - math.Pow(3, -0.75), true},
		{warm, 1000, 0.7, true}, {constant, 1, 0.99, true}, {constant, 7, 0.99, true},
	} {
		if got, move := c.ema.decay(c.done); math.Abs(got-c.want) > 1e-15 || move != c.move {
			t.Errorf("%+v after %d steps: %v, moves %v; want %v, %v", c.ema, c.done, got, move, c.want, c.move)
		}
	}
}

// Tints are the mean differences of channels in the cells of a latent, whose rows and columns may differ.
func TestTintsOfCells(t *testing.T) {
	const h, w = 4, 6 // of an image with cells of 2 by 3 pixels
	x := make([]float32, 3*h*w)
	for y := range h {
		for i := range w {
			cell := float32(y/2*2 + i/3)
			x[y*w+i], x[h*w+y*w+i], x[2*h*w+y*w+i] = 1, 1+cell, 1+cell+10*cell
		}
	}
	got := tintsOf([]float32{7}, x, tensor.Shape{3, h, w}, tensor.Shape{8, 2, 2})
	if want := []float32{7, 0, tintScale, 2 * tintScale, 3 * tintScale, 0, 10 * tintScale, 20 * tintScale, 30 * tintScale}; !slices.Equal(got, want) {
		t.Errorf("tints %v, want %v", got, want)
	}
}
