package nav2d

import (
	"strings"
	"sync"

	"github.com/go-pcd/pcd/geom"
)

// publishedMap is a row of the table of published maps: all that is known of one.
type publishedMap struct {
	name           string
	obstacles      geom.Union
	pattern        Pattern
	obstacleMargin float64 // of starts and goals of trials
	planningMargin float64 // of demonstrations; 0 is that of the guidance
	facts          facts
}

// publishedMaps is the table of the four published maps.
//
// Source: Shaoul et al., "Multi-robot motion planning with diffusion models"
// (ICLR 2025), whose maps PCD uses for its navigation experiments; the speed limits
// are those of PCD's tables.
var publishedMaps = []publishedMap{
	{
		name: "empty", pattern: straightPattern{}, obstacleMargin: 0.11,
		facts: facts{SpeedLimits: []float64{0.703, 0.692, 0.675}, ObstacleWeight: 0.1, HingeGamma: 0.4, BarrierGamma: 0.03},
	}, {
		name: "highways", pattern: circulate{}, obstacleMargin: 0.11,
		obstacles: geom.Union{
			box(0, 0, 0.5, 0.5),
			box(0, 0.875, 0.5, 0.25), box(0, -0.875, 0.5, 0.25),
			box(0.875, 0, 0.25, 0.5), box(-0.875, 0, 0.25, 0.5),
			box(0.875, 0.875, 0.25, 0.25), box(0.875, -0.875, 0.25, 0.25),
			box(-0.875, 0.875, 0.25, 0.25), box(-0.875, -0.875, 0.25, 0.25),
		},
		facts: facts{SpeedLimits: []float64{0.878, 0.781, 0.647}, ObstacleWeight: 0.1, HingeGamma: 0.2, BarrierGamma: 0.05},
	}, {
		name: "conveyor", pattern: publishedCorridors, obstacleMargin: 0.2, planningMargin: tightMargin,
		obstacles: geom.Union{box(0, 0, 0.8, 0.1), box(0, 0.35, 1, 0.1), box(0, -0.35, 1, 0.1)},
		facts:     facts{SpeedLimits: []float64{1.76, 1.46, 1.21}, ObstacleWeight: 0.05, HingeGamma: 0.3, BarrierGamma: 0.05},
	}, {
		name: "dropregion", pattern: publishedDrops, obstacleMargin: 0.2,
		obstacles: geom.Union{
			box(0.4, 0.4, 0.4, 0.4), box(0.4, -0.4, 0.4, 0.4),
			box(-0.4, 0.4, 0.4, 0.4), box(-0.4, -0.4, 0.4, 0.4),
		},
		facts: facts{SpeedLimits: []float64{1.34, 1.13, 0.928}, ObstacleWeight: 0.05, HingeGamma: 0.25, BarrierGamma: 0.03},
	},
}

// The four published maps.
var (
	// Empty has no obstacle; robots move in straight lines.
	Empty = published(0)
	// Highways has a central block, four edge blocks and four corner blocks;
	// robots circulate counter-clockwise.
	Highways = published(1)
	// Conveyor has three walls; robots pass the upper corridor leftwards or the
	// lower one rightwards.
	Conveyor = published(2)
	// DropRegion has four blocks; robots dwell at one of the sixteen drop points
	// beside them.
	DropRegion = published(3)
)

// published returns a function that builds a row of the table once.
func published(row int) func() *Map {
	return sync.OnceValue(func() *Map { return publishedMaps[row].build() })
}

func (p publishedMap) build() *Map {
	m := NewMap(p.name, square, p.obstacles, p.pattern)
	m.Margins = TrialMargins{Robots: 0.2, Obstacles: p.obstacleMargin}
	if p.planningMargin > 0 {
		m.PlanningMargin = p.planningMargin
	}
	m.Facts = p.facts
	return m
}

// tightMargin is what the published demonstrations keep in narrow maps. Here only
// the conveyor is narrow enough to need it.
const tightMargin = 1.1*RobotRadius + 0.02

// Maps returns the published maps.
func Maps() []*Map { return []*Map{Empty(), Highways(), Conveyor(), DropRegion()} }

// MapNames returns the names of [Maps], in their order, and builds none.
func MapNames() (names []string) {
	for _, p := range publishedMaps {
		names = append(names, p.name)
	}
	return names
}

// MapByName returns a published map by its name, in any case, or an
// error that lists their names.
func MapByName(name string) (*Map, error) {
	for i, build := range []func() *Map{Empty, Highways, Conveyor, DropRegion} {
		if publishedMaps[i].name == strings.ToLower(name) {
			return build(), nil
		}
	}
	return nil, unknownName("map", name, MapNames())
}

// cornerRounding is the corner radius relative to the shorter side.
const cornerRounding = 0.15

func box(cx, cy, w, h float64) geom.Solid {
	return geom.RoundedBox{Center: geom.Vec2{X: cx, Y: cy}, Size: geom.Vec2{X: w, Y: h}, Radius: cornerRounding * min(w, h)}
}
