// Package timed reads paths whose points have times.
package timed

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// At returns where a polyline is that is at its points at increasing times: at the first point
// before the first time, and at the last one after the last time.
func At(times []float64, points []geom.Vec2, t float64) geom.Vec2 {
	k, _ := slices.BinarySearch(times, t)
	switch {
	case k == 0:
		return points[0]
	case k == len(times):
		return points[k-1]
	}
	return points[k-1].Lerp(points[k], (t-times[k-1])/(times[k]-times[k-1]))
}
