package path

import (
	"math"

	"github.com/go-pcd/pcd/internal/ulp"
)

// Follow rounds the solution in m, a path of second differences, to v, point by
// point, each within the limit of where the two points before it lead, the centre.
// It reports whether float32 resolves the limit at every waypoint.
func (m *Linkage) Follow(v *View) bool {
	return follow(v, m.limit, m.velocity, func(h int, _ vec) vec { return m.links[h].p }) == 0
}

// Coast writes the path without acceleration to v. It returns 0, or the first
// waypoint that float32 does not resolve.
func Coast(v *View, velocity []float32, limit float64) int {
	return follow(v, limit, vecOf(velocity), func(_ int, centre vec) vec { return centre })
}

func follow(v *View, limit float64, step vec, target func(h int, centre vec) vec) int {
	p := v.at(0)
	for h := 1; h <= v.N; h++ {
		centre := p.add(step)
		if !within(v.Point(h), limit, p, step, target(h, centre)) {
			return h
		}
		q := v.at(h)
		p, step = q, q.sub(p)
	}
	return 0
}

// within writes the float32 point nearest to target whose step from p differs
// from step by no more than the limit, among those around the point at the limit
// and those around p + step.
func within(dst []float32, limit float64, p, step, target vec) bool {
	centre := p.add(step)
	fits := func() bool { return vecOf(dst).sub(p).sub(step).norm() <= limit }
	at := target.array()
	for i := range dst {
		dst[i] = ulp.Finite(at[i])
	}
	if fits() {
		return true
	}
	reach := centre
	if d := target.sub(centre); d.norm() > 0 {
		reach = centre.add(d.times(min(1, limit*(1-0x1p-22)/d.norm())))
	}
	for _, around := range []vec{reach, centre} {
		if nearestCorner(dst, around, target, fits) {
			return true
		}
	}
	return false
}

// nearestCorner writes that corner of the float32 cell around a point to dst that
// fits and is nearest to target. It reports whether there is one.
func nearestCorner(dst []float32, around, target vec, fits func() bool) bool {
	var low, high, best [MaxDims]float32
	for i, v := range around.array() {
		low[i], high[i] = ulp.Cell(min(max(v, -math.MaxFloat32), math.MaxFloat32))
	}
	nearest := math.Inf(1)
	for corner := range 1 << len(dst) {
		for i := range dst {
			if dst[i] = low[i]; corner>>i&1 == 1 {
				dst[i] = high[i]
			}
		}
		if d := vecOf(dst).sub(target).norm(); d < nearest && fits() {
			nearest = d
			copy(best[:], dst)
		}
	}
	if math.IsInf(nearest, 1) {
		return false
	}
	copy(dst, best[:])
	return true
}
