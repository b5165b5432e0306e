package nav2d

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/told"
)

// minAspect bounds how flat a workspace may be: the cells of its distance field
// are a four-hundredth of the longer side.
const minAspect = 0.05

// Sides must be long enough, relative to the coordinates, for float64 to have digits left
// for what is certified: a side of a tenth of a metre ten thousand kilometres away. Lengths and times are of a size that float32 has room for, also for
// speeds and for the squares of either.
const (
	minSide       = 1e-8
	maxCoordinate = 1e12
	minDuration   = 1e-3
	maxDuration   = 1e6
)

// checkBounds checks the workspace and reports whether it is one.
func (s *Scene) checkBounds(c *sceneCheck) (ok bool) {
	if s.Bounds == nil {
		return true
	}
	if !c.point("bounds.min", s.Bounds.Min, false) || !c.point("bounds.max", s.Bounds.Max, false) {
		return false
	}
	size := s.bounds().Size()
	shorter, longer := min(size.X, size.Y), max(size.X, size.Y)
	if !(shorter > 0) {
		c.value("bounds.max", s.Bounds.Max, "both numbers above those of bounds.min, "+numbers(s.Bounds.Min))
		return false
	}
	sides := told.Digits(size.X, 4) + " by " + told.Digits(size.Y, 4)
	if largest := largestOf(s.Bounds); !(shorter > minSide*largest) || !(shorter > 1/maxCoordinate) {
		least := max(minSide*largest, 1/maxCoordinate) * (1 + 1e-6)
		want := fmt.Sprintf("sides of at least %s: at coordinates of %s numbers have no digits for shorter ones", told.AtLeast(least, 3), told.Digits(largest, 4))
		if flat := minAspect * longer; flat > least {
			want += fmt.Sprintf("; and of at least %s, a twentieth of the longer one", told.AtLeast(flat*(1+1e-6), 3))
		}
		c.value("bounds", sides, want)
		return false
	}
	if shorter < minAspect*longer {
		c.value("bounds", sides, "sides that differ by a factor of at most 20: the shorter one of at least "+told.AtLeast(minAspect*longer, 4))
	}
	if s.Map.Name != "" && shorter < longer*(1-1e-9) {
		c.value("bounds", sides, "a square for map "+s.Map.Name)
	}
	return true
}

// largestOf returns the largest coordinate of a workspace.
func largestOf(b *Bounds) (largest float64) {
	for _, v := range append(b.Min[:len(b.Min):len(b.Min)], b.Max...) {
		largest = max(largest, math.Abs(v))
	}
	return largest
}
