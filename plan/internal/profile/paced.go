package profile

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Along a line that bends the highest speed is another one in every place. The fastest motion from rest to
// rest is found on a grid of places: forwards no faster than one accelerates, backwards no faster than one
// brakes. Source: Bobrow, Dubowsky and Gibson, "Time-optimal control of robotic manipulators along specified
// paths" (1985), for a point.

// places is how many pieces of a line the grid has.
const places = 1024

// Paced returns the control points, ends included, of a curve that goes along a line from rest to rest in so many steps, no faster
// at a distance along it than speed says and with no more acceleration along it than change, both per
// time step; nil where that takes longer.
func Paced(steps int, line []geom.Vec2, speed func(at float64) float64, change float64) []geom.Vec2 {
	way := geom.Length(line)
	times, speeds := fastestTimes(way, speed, change)
	last := times[places]
	if !(last <= float64(steps)) {
		return nil
	}
	at := make([]float64, steps+1) // of knots, all of the time taken
	for h, k := 0, 0; h <= steps; h++ {
		now := last * float64(h) / float64(steps)
		for k < places-1 && times[k+1] < now {
			k++
		}
		part := (now - times[k]) / (times[k+1] - times[k])
		at[h] = way / places * (float64(k) + part*(2*speeds[k]+part*(speeds[k+1]-speeds[k]))/(speeds[k]+speeds[k+1]))
	}
	out := []geom.Vec2{line[0]}
	for h := 1; h < steps; h++ {
		// A knot is the mean of its control point and its neighbours, weighted 4, 1 and 1.
		out = append(out, Along(line, at[h]-(at[h+1]-2*at[h]+at[h-1])/6))
	}
	return append(out, line[len(line)-1])
}

// Steps returns in how many steps Paced does it at least.
func Steps(line []geom.Vec2, speed func(at float64) float64, change float64) float64 {
	times, _ := fastestTimes(geom.Length(line), speed, change)
	return math.Ceil(times[places])
}

// fastestTimes returns when the fastest motion is at the places of a grid on a way, and how fast.
func fastestTimes(way float64, speed func(at float64) float64, change float64) (times, speeds [places + 1]float64) {
	const piece = 1. / places
	for k := 1; k < places; k++ {
		most := speed(way * piece * float64(k))
		speeds[k] = math.Sqrt(min(most*most, speeds[k-1]*speeds[k-1]+2*change*way*piece))
	}
	for k := places - 1; k > 0; k-- {
		speeds[k] = math.Sqrt(min(speeds[k]*speeds[k], speeds[k+1]*speeds[k+1]+2*change*way*piece))
	}
	for k := range places {
		times[k+1] = times[k] + 2*way*piece/(speeds[k]+speeds[k+1])
	}
	return times, speeds
}
