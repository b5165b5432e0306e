package pcg64_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/pcg64"
)

// The numbers were drawn by NumPy 1.24.
func TestUint64(t *testing.T) {
	for seed, want := range map[uint32][]uint64{
		42:         {14276969152011380360, 8095878257575067585, 15838336090824644132},
		0:          {11749869230777074271, 4976686463289251617, 755828109848996024},
		4294967295: {4647538520743280031, 4041050679407036418, 5299467714154781845},
	} {
		g := pcg64.New(seed)
		if got := []uint64{g.Uint64(), g.Uint64(), g.Uint64()}; !slices.Equal(got, want) {
			t.Errorf("seed %d: %d, want %d", seed, got, want)
		}
	}
}

func TestUint32(t *testing.T) {
	const first = uint64(14276969152011380360)
	g := pcg64.New(42)
	if a, b := g.Uint32(), g.Uint32(); a != uint32(first&(1<<32-1)) || b != uint32(first>>32) {
		t.Errorf("halves %d %d of %d", a, b, first)
	}
}

// choice(n, k, replace=False) of default_rng(42).
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		n, k  int
		first []int
		sum   int
	}{
		{206, 52, []int{12, 13, 15, 17, 22, 32, 40, 42, 53, 65, 68, 69}, 5952},
		{206, 4, []int{18, 90, 134, 157}, 399},
		{10, 9, []int{0, 2, 3, 4, 5, 6, 7, 8, 9}, 44},
		{1, 0, nil, 0},
		{10000, 2500, []int{5, 10, 11, 12, 13, 14, 15, 21, 28, 29, 36, 39}, 12402484},
	} {
		var got []int
		sum := 0
		for i, taken := range pcg64.New(42).Choose(c.n, c.k) {
			if taken {
				got, sum = append(got, i), sum+i
			}
		}
		if len(got) != c.k || sum != c.sum || !slices.Equal(got[:min(12, len(got))], c.first) {
			t.Errorf("Choose(%d, %d) = %v… with sum %d, want %v… with sum %d", c.n, c.k, got[:min(12, len(got))], sum, c.first, c.sum)
		}
	}
}

// integers(50, 450) three times, random(), integers(0, 3000000000) and random() of
// default_rng(42): doubles leave the waiting half of an output alone.
func TestFloat64AmongIntegers(t *testing.T) {
	g := pcg64.New(42)
	for i, want := range []uint32{85, 359, 311} {
		if got := 50 + g.Below(400); got != want {
			t.Errorf("integer %d = %d, want %d", i, got, want)
		}
	}
	if got, want := g.Float64(), 0.8585979199113825; got != want {
		t.Errorf("Float64() = %v, want %v", got, want)
	}
	if got, want := g.Below(3000000000), uint32(1316635318); got != want {
		t.Errorf("Below(3e9) = %d, want %d", got, want)
	}
	if got, want := g.Float64(), 0.6973680290593639; got != want {
		t.Errorf("Float64() = %v, want %v", got, want)
	}
}
