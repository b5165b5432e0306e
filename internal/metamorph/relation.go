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
}

var relations = []relation{
	{name: "other goroutines", scale: 1, options: func(r *rand.Rand, o *plan.Options) { o.Workers = 1 + r.IntN(7) }},
	{name: "memory that suffices", scale: 1, options: func(r *rand.Rand, o *plan.Options) { o.Memory = int64(1+r.IntN(4)) << 30 }},
	{name: "twice as large", scale: 2, scene: func(_ *rand.Rand, s scene) scene { return scaled(s, 2) }},
	{name: "a sixteenth as large", scale: 1. / 16, scene: func(_ *rand.Rand, s scene) scene { return scaled(s, 1./16) }},
	{name: "in centimetres", scene: func(_ *rand.Rand, s scene) scene {
		s = scaled(s, 100)
		s.units = "cm"
		return s
	}},
	{name: "elsewhere", scene: func(r *rand.Rand, s scene) scene {
		by := geom.Vec2{X: float64(r.IntN(4096) - 2048), Y: float64(r.IntN(4096) - 2048)}
		return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Add(by) }, 1, false)
	}},
	{name: "a quarter turn", scene: func(_ *rand.Rand, s scene) scene {
		return s.mapped(func(p geom.Vec2) geom.Vec2 { return geom.Vec2{X: -p.Y, Y: p.X} }, 1, true)
	}},
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
		s.robots = append(s.robots, robot{start: at, goal: at, radius: 0.125})
		return s
	}},
}

func scaled(s scene, by float64) scene {
	return s.mapped(func(p geom.Vec2) geom.Vec2 { return p.Scale(by) }, by, false)
}
