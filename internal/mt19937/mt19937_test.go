package mt19937_test

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/mt19937"
)

// The expected numbers are those of NumPy 1.24 for the calls named beside them.
func TestDraws(t *testing.T) {
	for _, c := range []struct {
		seed     uint32
		integers [3]int     // randint(50, 450), three times
		normals  [3]float64 // randn(), three times
		random   float64    // random_sample()
		wide     int        // randint(0, 3000000000)
	}{
		{0, [3]int{222, 97, 167}, [3]float64{0.11849646073740812, 0.11396779497090676, 0.37025538490846127}, 0.3843817072926998, 1277901399},
		{42, [3]int{152, 398, 320}, [3]float64{0.6476885381006925, 1.5230298564080254, -0.23415337472333597}, 0.05808361216819946, 1433267572},
		{4294967295, [3]int{340, 62, 121}, [3]float64{0.6484086742306527, 0.6693235306338161, -1.0805437227474493}, 0.9093750727977705, 2378279350},
	} {
		g := mt19937.New(c.seed)
		for i, want := range c.integers {
			if got := g.Integer(50, 450); got != want {
				t.Errorf("seed %d: integer %d = %d, want %d", c.seed, i, got, want)
			}
		}
		for i, want := range c.normals { // the logarithm may differ in the last bit
			if got := g.Normal(); math.Abs(got-want) > 4e-16*math.Abs(want) {
				t.Errorf("seed %d: normal %d = %v, want %v", c.seed, i, got, want)
			}
		}
		if got := g.Float64(); got != c.random {
			t.Errorf("seed %d: Float64() = %v, want %v", c.seed, got, c.random)
		}
		if got := g.Integer(0, 3000000000); got != c.wide {
			t.Errorf("seed %d: Integer(0, 3e9) = %d, want %d", c.seed, got, c.wide)
		}
	}
}

func TestFloat32(t *testing.T) {
	want := golden.Open(t, "testdata/mt19937_uniforms.npz").Float32("u")
	g := mt19937.New(18)
	got := make([]float32, len(want))
	for i := range got {
		got[i] = g.Float32()
	}
	golden.Close(t, "uniforms of seed 18", got, want, 0, 0)
}

// The C++ standard fixes the 10 000th output of the default seed.
func TestUint32(t *testing.T) {
	g := mt19937.New(5489)
	for range 9999 {
		g.Uint32()
	}
	if v := g.Uint32(); v != 4123659995 {
		t.Errorf("output 10000 of seed 5489 = %d, want 4123659995", v)
	}
}
