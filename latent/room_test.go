package latent

import (
	"errors"
	"runtime"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// A small file of latents, or a request in a few words, cannot ask for more memory than
// there is.
func TestRoom(t *testing.T) {
	m, _ := open(t)
	const side = 1 << 14
	var refused *SettingError
	if err := m.CheckLatents(1<<20, tensor.Shape{4, side, side}); runtime.GOOS == "linux" && !errors.As(err, &refused) {
		t.Errorf("a million images of %d pixels: %v, want a *SettingError", 8*side, err)
	}
	if err := m.CheckLatents(2, tensor.Shape{4, 8, 8}); err != nil {
		t.Errorf("two small images: %v", err)
	}
	var misfit *nn.ShapeError
	if err := m.CheckLatents(1, tensor.Shape{3, 8, 8}); !errors.As(err, &misfit) {
		t.Errorf("three channels: %v, want an *nn.ShapeError", err)
	}
}
