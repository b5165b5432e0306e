package nav2d

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/geom"
)

// The four published maps. Obstacles are boxes with rounded corners.
//
// Source: Shaoul et al., "Multi-robot motion planning with diffusion models"
// (ICLR 2025), whose maps PCD uses for its navigation experiments.
var (
	// Empty has no obstacle; robots move in straight lines.
	Empty = sync.OnceValue(func() *Map {
		return published("empty", 0.11, Straight{})
	})
	// Highways has a central block, four edge blocks and four corner blocks;
	// robots circulate counter-clockwise.
	Highways = sync.OnceValue(func() *Map {
		return published("highways", 0.11, Circulate{},
			box(0, 0, 0.5, 0.5),
			box(0, 0.875, 0.5, 0.25), box(0, -0.875, 0.5, 0.25),
			box(0.875, 0, 0.25, 0.5), box(-0.875, 0, 0.25, 0.5),
			box(0.875, 0.875, 0.25, 0.25), box(0.875, -0.875, 0.25, 0.25),
			box(-0.875, 0.875, 0.25, 0.25), box(-0.875, -0.875, 0.25, 0.25))
	})
	// Conveyor has three walls; robots pass the upper corridor leftwards or the
	// lower one rightwards.
	Conveyor = sync.OnceValue(func() *Map {
		m := published("conveyor", 0.2, publishedCorridors,
			box(0, 0, 0.8, 0.1), box(0, 0.35, 1, 0.1), box(0, -0.35, 1, 0.1))
		m.PlanningMargin = tightMargin
		return m
	})
	// DropRegion has four blocks; robots dwell at one of the sixteen drop points
	// beside them.
	DropRegion = sync.OnceValue(func() *Map {
		return published("dropregion", 0.2, publishedDrops,
			box(0.4, 0.4, 0.4, 0.4), box(0.4, -0.4, 0.4, 0.4),
			box(-0.4, 0.4, 0.4, 0.4), box(-0.4, -0.4, 0.4, 0.4))
	})
)

// tightMargin is what the published demonstrations keep in narrow maps. Here only
// the conveyor is narrow enough to need it.
const tightMargin = 1.1*RobotRadius + 0.02

// Maps returns the published maps.
func Maps() []*Map { return []*Map{Empty(), Highways(), Conveyor(), DropRegion()} }

var mapNames = []string{"empty", "highways", "conveyor", "dropregion"}

// MapByName returns a published map by its name, in any case, or an
// [UnknownNameError].
func MapByName(name string) (*Map, error) {
	i := slices.Index(mapNames, strings.ToLower(name))
	if i < 0 {
		return nil, unknownName("map", name, mapNames)
	}
	return Maps()[i], nil
}

func published(name string, obstacleMargin float64, pattern Pattern, obstacles ...geom.Solid) *Map {
	m := NewMap(name, square, obstacles, pattern)
	m.Margins = TrialMargins{Robots: 0.2, Obstacles: obstacleMargin}
	return m
}

// cornerRounding is the corner radius relative to the shorter side.
const cornerRounding = 0.15

func box(cx, cy, w, h float64) geom.Solid {
	return geom.RoundedBox{Center: geom.Vec2{X: cx, Y: cy}, Size: geom.Vec2{X: w, Y: h}, Radius: cornerRounding * min(w, h)}
}
