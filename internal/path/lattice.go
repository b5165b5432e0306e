package path

import (
	"math"

	"github.com/go-pcd/pcd/internal/ulp"
)

// lattice rounds paths to float32 so that no step gets longer than a limit, both
// when the length of the step is computed in float64 and, where squares neither
// overflow nor underflow, when it is computed in float32.
type lattice struct {
	square   float64 // lengths whose square is at most this keep the limit
	square32 float32 // the same for squares computed in float32
	reach    float64 // what steps that are too long are shortened to
}

func newLattice(limit float64) lattice {
	// Four float32 roundings, in the difference, the squares, the sum and the
	// root, do not make up for 2^-22.
	l := lattice{reach: limit * (1 - 0x1p-22), square: limit * limit * (1 - 0x1p-51), square32: float32(math.Inf(1))}
	if limit > 1e-18 && limit < 1e18 {
		l.square32 = float32(limit * limit * (1 - 0x1p-22))
	}
	return l
}

// fits reports whether the step from a to b is within the limit.
func (l *lattice) fits(a, b []float32) bool {
	var s float64
	var s32 float32
	for i, p := range a {
		d := float64(b[i]) - float64(p)
		s += d * d
		d32 := b[i] - p
		s32 += float32(d32 * d32)
	}
	return s <= l.square && s32 <= l.square32
}

// next writes to dst a float32 point within the limit of prev, near target: its
// rounding if that fits. Otherwise it shortens the step and turns the rounding of
// one coordinate towards prev, then of all. It ends at prev if nothing else fits.
func (l *lattice) next(dst, prev []float32, target vec) {
	t := target.array()
	for i := range dst {
		dst[i] = float32(t[i])
	}
	if l.fits(prev, dst) {
		return
	}
	var step [MaxDims]float64
	square := 0.0
	for i, p := range prev {
		step[i] = t[i] - float64(p)
		square += step[i] * step[i]
	}
	shrink := min(1, l.reach/math.Sqrt(square))
	worst, excess := 0, 0.0 // the coordinate whose rounding lengthens the step most
	var outward [MaxDims]bool
	for i, p := range prev {
		at := float64(p) + shrink*step[i]
		dst[i] = float32(at)
		e := (float64(dst[i]) - at) * step[i]
		outward[i] = e > 0
		if e > excess {
			worst, excess = i, e
		}
	}
	if excess > 0 {
		dst[worst] = ulp.Towards(dst[worst], prev[worst])
	}
	if l.fits(prev, dst) {
		return
	}
	for i, p := range prev {
		if i != worst && outward[i] {
			dst[i] = ulp.Towards(dst[i], p)
		}
	}
	if !l.fits(prev, dst) {
		copy(dst, prev)
	}
}

// planar is next along a row of planar points, from prev on: x holds a point every
// stride numbers, and links their targets.
func (l *lattice) planar(x, prev []float32, links []link, stride int) {
	px, py := prev[0], prev[1]
	for h := range links {
		target := links[h].p
		at := x[h*stride : h*stride+2]
		x, y := float32(target.x), float32(target.y)
		if !l.fits2(x, y, px, py) {
			sx, sy := target.x-float64(px), target.y-float64(py)
			shrink := min(1, l.reach/math.Sqrt(sx*sx+sy*sy))
			tx, ty := float64(px)+shrink*sx, float64(py)+shrink*sy
			x, y = float32(tx), float32(ty)
			if (float64(x)-tx)*sx > (float64(y)-ty)*sy {
				x = ulp.Towards(x, px)
			} else {
				y = ulp.Towards(y, py)
			}
			if !l.fits2(x, y, px, py) {
				before := [2]float32{px, py}
				l.next(at, before[:], target)
				x, y = at[0], at[1]
			}
		}
		at[0], at[1] = x, y
		px, py = x, y
	}
}

// fits2 is fits for two coordinates.
func (l *lattice) fits2(x, y, px, py float32) bool {
	dx, dy := float64(x)-float64(px), float64(y)-float64(py)
	ex, ey := x-px, y-py
	return dx*dx+dy*dy <= l.square && float32(ex*ex)+float32(ey*ey) <= l.square32
}

// roundingStep is the most that rounding the points of a path to float32 can
// lengthen a step, where magnitude is the largest absolute coordinate.
func roundingStep(magnitude float64, dims int) float64 {
	f := float32(magnitude)
	ulp := float64(math.Nextafter32(f, float32(math.Inf(1)))) - float64(f)
	return math.Sqrt(float64(dims)) * ulp
}
