package pcd

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// Transform changes the gradient of a coupling, sample by sample, before it is
// scaled and applied.
type Transform interface {
	Apply(g tensor.Batch)
	// String describes the transform for the manifest.
	String() string
}

// checkTransform returns an error for a transform of gradients of these shapes that would do
// something else than it says.
func checkTransform(t Transform, shapes []tensor.Shape) error {
	switch t := t.(type) {
	case nil:
		return errors.New("it is nil")
	case ClipPoints:
		if !(t.Max >= 0) || t.Epsilon-t.Epsilon != 0 {
			return fmt.Errorf("points are clipped to norm %v with epsilon %v, want 0 (1 and 1e-6) or more, and a finite epsilon", t.Max, t.Epsilon)
		}
	case NormalizeSamples:
		if !(t.Floor >= 0) {
			return fmt.Errorf("samples are normalised with floor %v, want 0 (1e-8) or more", t.Floor)
		}
	case ZeroPoints:
		points := 0
		for _, s := range shapes {
			points = max(points, s.Size()/lastAxis(s))
		}
		for _, p := range t {
			if p >= points || p < -points {
				return fmt.Errorf("point %d is left alone, want %d to %d", p, -points, points-1)
			}
		}
	}
	return nil
}

// ClipPoints limits the gradient of every point of a path to the norm Max. The
// norm is taken of the gradient plus Epsilon in every element, which keeps it
// from being zero.
type ClipPoints struct {
	Max     float64 // 0 is 1
	Epsilon float64 // 0 is 1e-6
}

// Apply implements [Transform].
func (c ClipPoints) Apply(g tensor.Batch) {
	limit, eps := orDefault(c.Max, 1), orDefault(c.Epsilon, 1e-6)
	width := lastAxis(g.Shape)
	for at := 0; at < len(g.Data); at += width {
		point := g.Data[at : at+width]
		sum := 0.0
		for _, v := range point {
			sum += (float64(v) + eps) * (float64(v) + eps)
		}
		if norm := math.Sqrt(sum); norm > limit {
			scale(point, limit/norm)
		}
	}
}

func (c ClipPoints) String() string {
	return fmt.Sprintf("each point clipped to norm %g", orDefault(c.Max, 1))
}

// NormalizeSamples divides the gradient of every sample by its norm, or by Floor
// where the norm is smaller.
type NormalizeSamples struct {
	Floor float64 // 0 is 1e-8
}

// Apply implements [Transform].
func (c NormalizeSamples) Apply(g tensor.Batch) {
	for k := range g.N {
		sample := g.Sample(k)
		sum := 0.0
		for _, v := range sample {
			sum += float64(v) * float64(v)
		}
		scale(sample, 1/max(math.Sqrt(sum), orDefault(c.Floor, 1e-8)))
	}
}

func (c NormalizeSamples) String() string { return "each sample normalised" }

// ZeroPoints removes the gradient of the listed points of a path; negative
// numbers count from the end.
type ZeroPoints []int

// Apply implements [Transform].
func (z ZeroPoints) Apply(g tensor.Batch) {
	width := lastAxis(g.Shape)
	points := g.Size() / width
	for k := range g.N {
		for _, p := range z {
			if p < 0 {
				p += points
			}
			if p >= 0 && p < points {
				clear(g.Sample(k)[p*width : (p+1)*width])
			}
		}
	}
}

func (z ZeroPoints) String() string {
	return fmt.Sprintf("points %v left alone", slices.Clone([]int(z)))
}

// lastAxis returns the number of elements of a point.
func lastAxis(s tensor.Shape) int {
	if len(s) == 0 {
		return 1
	}
	return s[len(s)-1]
}

func scale(v []float32, by float64) {
	for i := range v {
		v[i] = float32(float64(v[i]) * by)
	}
}

func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}
