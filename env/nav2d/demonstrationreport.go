package nav2d

import (
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/tensor"
)

// DemonstrationReport describes a set of demonstrations on a map.
type DemonstrationReport struct {
	Attempts attempts
	Motions
	// Free is the fraction that passes [Map.PathFree] for a published robot, and
	// Adherence the mean score of the pattern, 1 without one.
	Free, Adherence float64
	// Clearance is the distribution of the smallest distance of each path to an
	// obstacle, at most 1.
	Clearance Distribution
}

// Motions describes trajectories by themselves, wherever they were made.
type Motions struct {
	Trajectories int
	// Min and Max are the limits per channel that a limits normaliser learns.
	Min, Max [Channels]float64
	// Length is the distribution of path lengths in the coordinates of the trajectories.
	Length Distribution
	// Speed is the distribution over waypoints of the speed in normalised units
	// per second: positions scaled to [-1, 1] by Min and Max. TopSpeed is that of
	// the highest speed of each path.
	Speed, TopSpeed Distribution
}

// Quantiles lists the probabilities that a [Distribution] holds quantiles for.
var Quantiles = [...]float64{0, 0.05, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 1}

// Distribution is the mean and the quantiles of a sample, in the order of
// [Quantiles].
type Distribution struct {
	Mean      float64
	Quantiles [len(Quantiles)]float64
}

// distributionOf sorts values. Quantiles interpolate linearly between order
// statistics.
func distributionOf(values []float64) (d Distribution) {
	if len(values) == 0 {
		return d
	}
	slices.Sort(values)
	for _, v := range values {
		d.Mean += v / float64(len(values))
	}
	for i, q := range Quantiles {
		at := q * float64(len(values)-1)
		k := min(int(at), max(len(values)-2, 0))
		next := min(k+1, len(values)-1)
		d.Quantiles[i] = values[k] + (at-float64(k))*(values[next]-values[k])
	}
	return d
}

// Describe measures trajectories of shape [Waypoints, Channels] on a map. The
// counts of attempts are left zero.
func Describe(m *Map, trajectories tensor.Batch) DemonstrationReport {
	r := DemonstrationReport{Motions: DescribeMotions(trajectories)}
	if trajectories.N == 0 {
		return r
	}
	var clearances []float64
	var path []geom.Vec2
	free, adherence := 0, 0.0
	for k := range trajectories.N {
		path = geom.Points(path, trajectories.Sample(k), Channels)
		if m.PathFree(path, m.robotRadius()) {
			free++
		}
		if m.Pattern != nil {
			adherence += m.Pattern.Adherence(path)
		} else {
			adherence++
		}
		clearance := float64(distanceCap)
		for _, p := range path {
			d, _ := m.Clearance(p)
			clearance = min(clearance, d)
		}
		clearances = append(clearances, clearance)
	}
	r.Free, r.Adherence = float64(free)/float64(trajectories.N), adherence/float64(trajectories.N)
	r.Clearance = distributionOf(clearances)
	return r
}

// DescribeMotions measures trajectories of shape [Waypoints, Channels] without a map.
func DescribeMotions(trajectories tensor.Batch) Motions {
	r := Motions{Trajectories: trajectories.N}
	if trajectories.N == 0 {
		return r
	}
	r.Min, r.Max = channelLimits(trajectories)
	var lengths, speeds, tops []float64
	var path []geom.Vec2
	for k := range trajectories.N {
		path = geom.Points(path, trajectories.Sample(k), Channels)
		lengths = append(lengths, geom.Length(path))
		top := 0.0
		for h, p := range path {
			if h > 0 {
				v := p.Sub(path[h-1])
				speed := 2 / Step * math.Hypot(v.X/(r.Max[0]-r.Min[0]), v.Y/(r.Max[1]-r.Min[1]))
				speeds = append(speeds, speed)
				top = max(top, speed)
			}
		}
		tops = append(tops, top)
	}
	r.Length, r.Speed, r.TopSpeed = distributionOf(lengths), distributionOf(speeds), distributionOf(tops)
	return r
}

func channelLimits(x tensor.Batch) (lo, hi [Channels]float64) {
	for c := range Channels {
		lo[c], hi[c] = math.Inf(1), math.Inf(-1)
	}
	for i, v := range x.Data {
		lo[i%Channels] = min(lo[i%Channels], float64(v))
		hi[i%Channels] = max(hi[i%Channels], float64(v))
	}
	return lo, hi
}
