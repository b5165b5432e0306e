package weights_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

// Files that a download left halfway are said to be that.
func TestCutOff(t *testing.T) {
	for file, keep := range map[string]float64{"checkpoint.ckpt": 0.5, "gguf/model.gguf": 0.9} {
		data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), filepath.Base(file))
		if err := os.WriteFile(path, data[:int(float64(len(data))*keep)], 0o600); err != nil {
			t.Fatal(err)
		}
		sd, err := weights.Open(path, weights.Options{})
		if err == nil {
			sd.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s: %v, want it said to be cut off", file, err)
		}
	}
}
