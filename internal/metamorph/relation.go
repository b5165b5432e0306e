package metamorph

import (
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/plan"
)

// relation is a change of a request that must not matter.
type relation struct {
	name string
	// scene changes the scene; nil leaves it.
	scene func(r *rand.Rand, s scene) scene
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
	{name: "twice as large", scale: 2, scene: func(_ *rand.Rand, s scene) scene { return scaled(s, 2) }},
	{name: "a sixteenth as large", scale: 1. / 16, scene: func(_ *rand.Rand, s scene) scene { return scaled(s, 1./16) }},
	{name: "in other units", scene: func(r *rand.Rand, s scene) scene {
		units := []struct {
			name   string
			metres float64
		}{{"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}, {"km", 1000}}
		u := units[r.IntN(len(units))]
		s = scaled(s, 1/u.metres)
		s.units = u.name
		return s
	}},
	{name: "elsewhere", scene: func(r *rand.Rand, s scene) scene {
		by := geom.Vec2{X: float64(r.IntN(4096) - 2048), Y: float64(r.IntN(4096) - 2048)}
		return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Add(by) }, 1, false)
	}},
	{name: "a quarter turn", scene: func(_ *rand.Rand, s scene) scene { return turned(s) }},
	{name: "a half turn", scene: func(_ *rand.Rand, s scene) scene { return turned(turned(s)) }},
	{name: "another order of robots", scene: func(r *rand.Rand, s scene) scene {
		s = s.clone()
		r.Shuffle(len(s.robots), func(i, j int) { s.robots[i], s.robots[j] = s.robots[j], s.robots[i] })
		return s
	}},
	{name: "another order of obstacles", scene: func(_ *rand.Rand, s scene) scene {
		s = s.clone()
		slices.Reverse(s.boxes)
		slices.Reverse(s.circles)
		return s
	}},
	{name: "a robot that nobody meets", scene: func(_ *rand.Rand, s scene) scene {
		s = s.clone()
		at := geom.Vec2{X: 4.75, Y: 4.75} // ends of others are at most 4 from the middle
		s.robots = append(s.robots, robot{name: "far", start: at, goal: at, radius: 0.125})
		return s
	}},
}

func scaled(s scene, by float64) scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Scale(by) }, by, false)
}

func turned(s scene) scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return geom.Vec2{X: -p.Y, Y: p.X} }, 1, true)
}
