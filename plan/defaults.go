package plan

import "github.com/go-pcd/pcd/env/nav2d"

// PublishedLimits returns the speed limits of the published tables of a map, the
// loosest first, in normalised units per second; nil for other maps.
func PublishedLimits(m *nav2d.Map) []float64 {
	switch m.Name {
	case nav2d.Empty().Name:
		return []float64{0.703, 0.692, 0.675}
	case nav2d.Highways().Name:
		return []float64{0.878, 0.781, 0.647}
	case nav2d.Conveyor().Name:
		return []float64{1.76, 1.46, 1.21}
	case nav2d.DropRegion().Name:
		return []float64{1.34, 1.13, 0.928}
	}
	return nil
}

// DefaultGamma returns the coupling strength for a map. Those of the published maps
// were chosen on trials that the tables do not use; others get a stronger one,
// since scenes of users tend to be tighter.
func DefaultGamma(m *nav2d.Map, c Coupling) float64 {
	switch c {
	case LogBarrier:
		return barrierGamma(m)
	case SquaredHinge:
		return hingeGamma(m)
	default:
		return 0
	}
}

// barrierGamma is weaker where nothing else keeps a path in shape: the barrier acts
// at any distance.
func barrierGamma(m *nav2d.Map) float64 {
	switch m.Name {
	case nav2d.Highways().Name, nav2d.Conveyor().Name:
		return 0.05
	case nav2d.Empty().Name, nav2d.DropRegion().Name:
		return 0.03
	default:
		return 0.02
	}
}

// hingeGamma is weaker where robots that push each other meet obstacles.
func hingeGamma(m *nav2d.Map) float64 {
	switch m.Name {
	case nav2d.Highways().Name:
		return 0.2
	case nav2d.Conveyor().Name:
		return 0.3
	case nav2d.DropRegion().Name:
		return 0.25
	default:
		return 0.4
	}
}
