//go:build amd64 && !purego

package kernel

import (
	"testing"

	"golang.org/x/sys/cpu"
)

// The processor says the same to a library that is kept for that.
func TestFeaturesOfTheProcessor(t *testing.T) {
	x, got := &cpu.X86, identify()
	want := features{avx2: x.HasAVX2, fma: x.HasFMA, f16c: x.HasF16C, avx512: x.HasAVX512F, amx: got.amx}
	if got != want {
		t.Errorf("features are %+v, want %+v", got, want)
	}
	if got.amx && !(x.HasAMXTile && x.HasAMXBF16) {
		t.Error("tiles where the processor has none")
	}
}
