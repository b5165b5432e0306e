package nav2d

import (
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// pointAt returns the point at a distance along the path, and the number of the
// segment it lies on.
func pointAt(path []geom.Vec2, along float64) (geom.Vec2, int) {
	for i := 1; i < len(path); i++ {
		d := path[i].Dist(path[i-1])
		if along <= d && d > 0 {
			return path[i-1].Lerp(path[i], along/d), i - 1
		}
		along -= d
	}
	return path[len(path)-1], max(len(path)-2, 0)
}

// resample returns n+1 points at equal distances along the path.
func resample(path []geom.Vec2, n int) []geom.Vec2 {
	length := geom.Length(path)
	out := make([]geom.Vec2, n+1)
	for k := range out {
		out[k], _ = pointAt(path, length*float64(k)/float64(n))
	}
	out[0], out[n] = path[0], path[len(path)-1]
	return out
}

const shortcutTries = 60

// shortcut replaces parts of a path between two random points on it by straight
// segments wherever free space allows.
//
// Source: Geraerts and Overmars, "Creating high-quality paths for motion
// planning" (IJRR 2007), path shortcut.
func shortcut(rng *rand.Rand, free freeSpace, path []geom.Vec2) []geom.Vec2 {
	for range shortcutTries {
		if len(path) == 2 {
			break
		}
		length := geom.Length(path)
		from, to := length*rng.Float64(), length*rng.Float64()
		a, i := pointAt(path, min(from, to))
		b, j := pointAt(path, max(from, to))
		if i == j || !free.connects(a, b) {
			continue
		}
		path = slices.Concat(path[:i+1], []geom.Vec2{a, b}, path[j+1:])
	}
	return path
}
