package nav2d

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Of a way that is too narrow, the width is found to one part in 2^widthSteps, and the
// narrowest place is looked for at points so far apart.
const (
	widthSteps  = 10
	narrowSteps = 0.005
)

// widestWay returns the largest share of its size at which a robot finds a way from
// start to goal, where it has none at its full size, and the narrowest place of that
// way. The share is 0 when there is no way at any size that matters.
func widestWay(m *Map, radius, margin float64, start, goal geom.Vec2) (share float64, at geom.Vec2) {
	low, high := 0.0, 1.0
	var way []geom.Vec2
	for range widthSteps {
		s := (low + high) / 2
		if found := m.Route(s*(radius+margin), m.Room(s*radius), start, goal); found != nil {
			low, way = s, found
		} else {
			high = s
		}
	}
	return low, narrowest(m, way)
}

// narrowest returns the point of a way that is nearest to what bounds it.
func narrowest(m *Map, way []geom.Vec2) (at geom.Vec2) {
	least := math.Inf(1)
	for k := 1; k < len(way); k++ {
		pieces := math.Ceil(way[k].Dist(way[k-1]) / narrowSteps)
		for i := range int(pieces) + 1 {
			p := way[k-1].Lerp(way[k], float64(i)/max(pieces, 1))
			room, _ := m.Clearance(p)
			outside, _ := m.Bounds.SignedDistance(p)
			if room = min(room, -outside); room < least {
				least, at = room, p
			}
		}
	}
	return at
}
