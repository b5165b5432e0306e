package images_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric/images"
)

const folder = "../../../nn/testdata/images/fid_block0/"

// rows returns an array of two axes as vectors.
func rows(a golden.Array) (out [][]float64) {
	for i := range a.Shape[0] {
		var v []float64
		for _, x := range a.Data[i*a.Shape[1] : (i+1)*a.Shape[1]] {
			v = append(v, float64(x))
		}
		out = append(out, v)
	}
	return out
}

func TestFrechetAgainstPublished(t *testing.T) {
	io := golden.Safetensors(t, folder+"io.safetensors")
	raw, err := os.ReadFile(folder + "frechet.json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Values map[string]struct {
			Value float64 `json:"symmetric_eigen_form"`
		}
	}
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	a, b := rows(io["out.features_a"]), rows(io["out.features_b"])
	p, q := golden.Float64s(t, folder+"io.safetensors", "in.set_p"), golden.Float64s(t, folder+"io.safetensors", "in.set_q")
	for name, sets := range map[string][2][][]float64{"a_vs_b": {a, b}, "two_vs_b": {a[:2], b}, "set_p_vs_set_q": {p, q}} {
		got, err := images.Frechet(sets[0], sets[1])
		if err != nil {
			t.Fatal(err)
		}
		golden.Close(t, name, []float64{got}, []float64{want.Values[name].Value}, 1e-9, 1e-6)
	}
}

// TestFrechetOfNumbers compares with the distance of two normal distributions of one
// number: (m₁ - m₂)² + (σ₁ - σ₂)².
func TestFrechetOfNumbers(t *testing.T) {
	got, err := images.Frechet([][]float64{{1}, {3}}, [][]float64{{10}, {14}})
	want := 10*10 + math.Pow(math.Sqrt(2)-math.Sqrt(8), 2)
	if err != nil || math.Abs(got-want) > 1e-12 {
		t.Errorf("Frechet = %v, %v, want %v", got, err, want)
	}
	if same, err := images.Frechet([][]float64{{1, 2}, {3, 5}}, [][]float64{{3, 5}, {1, 2}}); err != nil || math.Abs(same) > 1e-7 {
		t.Errorf("Frechet of a set with itself = %v, %v, want 0", same, err)
	}
}

func TestFrechetOfBadSets(t *testing.T) {
	for _, sets := range [][2][][]float64{{nil, nil}, {{{1}, {2}}, {{1}}}, {{{1}, {2}}, {{1}, {2, 3}}}, {{{}, {}}, {{}, {}}}} {
		var se *images.SizeError
		if _, err := images.Frechet(sets[0], sets[1]); !errors.As(err, &se) {
			t.Errorf("Frechet(%v) = %v, want *SizeError", sets, err)
		}
	}
}

func ExampleFrechet() {
	d, _ := images.Frechet([][]float64{{0, 0}, {2, 2}}, [][]float64{{1, 0}, {3, 2}})
	fmt.Printf("%.3f\n", d)
	// Output: 1.000
}
