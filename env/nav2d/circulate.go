package nav2d

import (
	"math"
	"math/rand/v2"

	"github.com/go-pcd/pcd/geom"
)

// circulate is the pattern of the highways map: counter-clockwise around the
// central block.
type circulate struct{}

// Name implements [Pattern].
func (circulate) Name() string { return "circulate" }

// Adherence implements [Pattern]: 1 when the turns between the directions of
// successive waypoints, seen from the origin, add up to a positive number.
func (circulate) Adherence(path []geom.Vec2) float64 {
	turn := 0.0
	last := direction(path[0])
	for _, p := range path[1:] {
		u := direction(p)
		turn += last.Cross(u)
		last = u
	}
	return score(turn > 0)
}

func direction(p geom.Vec2) geom.Vec2 { return p.Scale(1 / max(p.Norm(), 1e-10)) }

// The ring of a demonstration runs in the middle of the road. Angles are in
// turns.
const (
	ringRadius    = 0.5
	ringSpacing   = 0.025 // between points
	ringTrim      = 0.1   // left out after the start and before the goal
	ringMinTravel = 0.125 // a robot whose goal is less far ahead goes round once more
	ringSpread    = 0.08  // radii differ by up to this much
	ringSurge     = 0.5   // speeds differ by up to this share along a way
)

// ringApproach makes the speed on the way to the ring and from it similar to
// that on it, but varies it, so that robots with similar ways do not always meet.
var ringApproach = timing{Fixed: 5, PerLength: 1 / (2 * math.Pi * ringRadius * ringSpacing), Spread: 1.5}

// Skill implements [skillPattern]: points on the ring from beside the start to
// beside the goal, in a lane of its own and with a surge somewhere on the way: the
// speed of a robot is not that of its way's length alone.
func (circulate) Skill(rng *rand.Rand, start, goal geom.Vec2) skillRoute {
	from := turns(start)
	travel := math.Mod(turns(goal)-from+1, 1)
	if travel < ringMinTravel {
		travel++
	}
	trim := min(ringTrim, travel/2-ringSpacing)
	n := int(math.Round((travel - 2*trim) / ringSpacing))
	radius := ringRadius + ringSpread*(2*rng.Float64()-1)
	surge, phase := ringSurge*rng.Float64(), rng.Float64()
	skill := skillRoute{Approach: ringApproach}
	for k := range n + 1 {
		t := float64(k) / float64(n)
		t += surge / (2 * math.Pi) * (math.Sin(2*math.Pi*(t+phase)) - math.Sin(2*math.Pi*phase))
		s, c := math.Sincos(2 * math.Pi * (from + trim + (travel-2*trim)*t))
		skill.Points = append(skill.Points, geom.Vec2{X: radius * c, Y: radius * s})
	}
	return skill
}

// turns returns the angle of p in turns, from -1/2 to 1/2.
func turns(p geom.Vec2) float64 { return math.Atan2(p.Y, p.X) / (2 * math.Pi) }
