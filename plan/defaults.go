package plan

import "github.com/go-pcd/pcd/env/nav2d"

// PublishedLimits returns the speed limits of the published tables of a map, the
// loosest first, in normalised units per second; nil for other maps.
func PublishedLimits(m *nav2d.Map) []float64 { return m.Facts.SpeedLimits }

// The strengths and the weight of maps that are not published. Robots in scenes of
// users tend to be closer.
const (
	otherHingeGamma     = 0.4
	otherBarrierGamma   = 0.02
	otherObstacleWeight = 0.1
)

// DefaultGamma returns the coupling strength for a map, see [nav2d.Facts].
func DefaultGamma(m *nav2d.Map, c Coupling) float64 {
	switch c {
	case LogBarrier:
		return known(m.Facts.BarrierGamma, otherBarrierGamma)
	case SquaredHinge:
		return known(m.Facts.HingeGamma, otherHingeGamma)
	default:
		return 0
	}
}

// repairedGamma is the strength of the hinge between robots when samples are repaired:
// stronger ones push robots into walls, where no repair finds them.
const repairedGamma = 0.1

// DefaultGamma returns the coupling strength for a map under the settings.
func (s Settings) DefaultGamma(m *nav2d.Map, c Coupling) float64 {
	if s.Repair && c == SquaredHinge {
		return repairedGamma
	}
	return DefaultGamma(m, c)
}

// known returns what is known of a map, or a default for 0.
func known(v, otherwise float64) float64 {
	if v == 0 {
		return otherwise
	}
	return v
}
