package denoise_test

import (
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
)

// TestModelsThatAreMissing wants an error instead of a panic.
func TestModelsThatAreMissing(t *testing.T) {
	if _, err := denoise.Compose([]denoise.Denoiser{nil}, []float64{1}); err == nil {
		t.Error("Compose of no model: no error")
	}
	if _, err := denoise.Convert(nil, schedule.X0, nil); err == nil {
		t.Error("Convert of no model: no error")
	}
}
