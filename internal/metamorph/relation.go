package metamorph

import (
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/metamorph/scenes"
	"github.com/go-pcd/pcd/plan"
)

// relation is a change of a request that must not matter.
type relation struct {
	name string
	// scene changes the scene; nil leaves it.
	scene func(r *rand.Rand, s scenes.Scene) scenes.Scene
	// options change how it is planned; nil leaves them.
	options func(r *rand.Rand, o *plan.Options)
	// scale is what coordinates are multiplied by when the same bits are promised
	// otherwise; 0 promises the same verdict only.
	scale float64
	// samples promises the bits of the samples that both requests draw, and nothing else: which
	// of them becomes the plan may differ.
	samples bool
}

var relations = []relation{
	{name: "other goroutines", scale: 1, options: func(r *rand.Rand, o *plan.Options) { o.Workers = 1 + r.IntN(7) }},
	{name: "memory that suffices", scale: 1, options: func(r *rand.Rand, o *plan.Options) { o.Memory = int64(1+r.IntN(4)) << 30 }},
	{name: "more samples", samples: true, options: func(r *rand.Rand, o *plan.Options) { o.Samples = 5 + r.IntN(4) }},
	{name: "one sample", samples: true, options: func(_ *rand.Rand, o *plan.Options) { o.Samples = 1 }},
	{name: "twice as large", scale: 2, scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene { return s.Scaled(2) }},
	{name: "a sixteenth as large", scale: 1. / 16, scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene { return s.Scaled(1. / 16) }},
	{name: "in other units", scene: func(r *rand.Rand, s scenes.Scene) scenes.Scene {
		units := []struct {
			name   string
			metres float64
		}{{"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000}}
		u := units[r.IntN(len(units))]
		s = s.Scaled(1 / u.metres)
		s.Units = u.name
		return s
	}},
	{name: "elsewhere", scene: func(r *rand.Rand, s scenes.Scene) scenes.Scene {
		return s.Moved(geom.Vec2{X: float64(r.IntN(4096) - 2048), Y: float64(r.IntN(4096) - 2048)})
	}},
	{name: "a quarter turn", scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene { return s.Turned() }},
	{name: "a half turn", scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene { return s.Turned().Turned() }},
	{name: "another order of robots", scene: func(r *rand.Rand, s scenes.Scene) scenes.Scene {
		s = s.Clone()
		r.Shuffle(len(s.Robots), func(i, j int) { s.Robots[i], s.Robots[j] = s.Robots[j], s.Robots[i] })
		return s
	}},
	{name: "another order of obstacles", scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene {
		s = s.Clone()
		slices.Reverse(s.Boxes)
		slices.Reverse(s.Circles)
		return s
	}},
	{name: "a robot that nobody meets", scene: func(_ *rand.Rand, s scenes.Scene) scenes.Scene {
		s = s.Clone()
		at := geom.Vec2{X: 4.75, Y: 4.75} // ends of others are at most 4 from the middle
		s.Robots = append(s.Robots, scenes.Robot{Name: "far", Start: at, Goal: at, Radius: 0.125})
		return s
	}},
}
