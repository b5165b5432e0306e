// Package golden reads reference arrays in tests: the .npz files under testdata
// that hold outputs of the published implementations.
package golden

import (
	"math"
	"strings"
	"testing"

	"github.com/sbinet/npyio/npz"
)

// Archive is an open .npz file.
type Archive struct {
	t *testing.T
	r *npz.Reader
}

// Open opens a file for the length of the test.
func Open(t *testing.T, path string) *Archive {
	t.Helper()
	r, err := npz.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return &Archive{t: t, r: r}
}

// Names lists the arrays.
func (a *Archive) Names() []string {
	var names []string
	for _, key := range a.r.Keys() {
		names = append(names, strings.TrimSuffix(key, ".npy"))
	}
	return names
}

// Shape returns the shape of an array.
func (a *Archive) Shape(name string) []int {
	a.t.Helper()
	h := a.r.Header(name + ".npy")
	if h == nil {
		a.t.Fatalf("no array %q in the archive", name)
	}
	return h.Descr.Shape
}

// Float64 returns an array of any numeric type as float64, flattened.
func (a *Archive) Float64(name string) []float64 {
	a.t.Helper()
	switch a.dtype(name) {
	case "<f8":
		return read[float64](a, name)
	case "<f4":
		return widen(read[float32](a, name))
	case "<i8":
		return widen(read[int64](a, name))
	case "<i4":
		return widen(read[int32](a, name))
	case "|u1", "<u1":
		return widen(read[uint8](a, name))
	}
	a.t.Fatalf("array %q has type %s", name, a.dtype(name))
	return nil
}

// Float32 returns a float32 array, flattened.
func (a *Archive) Float32(name string) []float32 {
	a.t.Helper()
	return read[float32](a, name)
}

// Ints returns an array of integers, flattened.
func (a *Archive) Ints(name string) []int {
	a.t.Helper()
	wide := a.Float64(name)
	out := make([]int, len(wide))
	for i, v := range wide {
		out[i] = int(v)
	}
	return out
}

func (a *Archive) dtype(name string) string {
	a.t.Helper()
	a.Shape(name)
	return a.r.Header(name + ".npy").Descr.Type
}

type number interface {
	float32 | float64 | int32 | int64 | uint8
}

func read[T number](a *Archive, name string) []T {
	a.t.Helper()
	a.Shape(name)
	var v []T
	if err := a.r.Read(name+".npy", &v); err != nil {
		a.t.Fatalf("array %q: %v", name, err)
	}
	return v
}

func widen[T number](v []T) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// Close reports as a test error the worst element for which
// |got - want| > atol + rtol |want|, and how many there are.
func Close[A, B float32 | float64](t *testing.T, what string, got []A, want []B, atol, rtol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", what, len(got), len(want))
		return
	}
	bad, at, worst := 0, 0, 0.0
	for i := range got {
		diff := math.Abs(float64(got[i]) - float64(want[i]))
		excess := diff - atol - rtol*math.Abs(float64(want[i]))
		if !(excess <= 0) {
			bad++
			if !(excess <= worst) {
				worst, at = excess, i
			}
		}
	}
	if bad > 0 {
		t.Errorf("%s: %d of %d elements out of tolerance (atol %g, rtol %g); worst at %d: got %v, want %v",
			what, bad, len(got), atol, rtol, at, got[at], want[at])
	}
}
