package render

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// Animation is actors that move over one or several maps side by side. Between
// frames they move straight and turn evenly. See [Animate].
type Animation struct {
	title, note string
	step        float64 // seconds between frames
	stages      []stage
	takes       []take // what may be played; a viewer chooses one
}

// stage is a map with its actors.
type stage struct {
	title, note string
	ground      MapView
	actors      []actor
	unit        string // of lengths
	down        bool   // the y of the world that is shown points down, and begins at the top
}

// actor is something that moves: a disk, or polygons around its own origin.
type actor struct {
	name, label string // the label is the short form of the name
	radius      float64
	parts       []geom.Polygon
	start, goal *pose // nil for none
}

// pose is a place and an angle, counter-clockwise.
type pose struct {
	at    geom.Vec2
	angle float64
}

// take is one run for every stage.
type take struct {
	name string
	runs []run
}

// run is what happens on a stage.
type run struct {
	poses  [][]pose // [actor][frame]; an actor rests after its last frame
	charts []chart
	marks  []Mark
	facts  []Fact
	order  *OrderView // nil where nobody can be held back
}

// chart is a quantity over time.
type chart struct {
	title, unit string
	lines       []chartLine
	levels      []chartLevel
	kind        MarkKind // the marks that are put on its lines
}

// chartLine is the quantity of an actor, or of all together when actor is -1.
type chartLine struct {
	actor  int
	steps  []float64    // constant between successive frames, or
	values [][2]float64 // frame and value
}

// chartLevel is a horizontal line that values are compared with.
type chartLevel struct {
	actor int // -1 for all
	value float64
	label string
}

// Animate returns the animation of a plan, or of several that are played side by
// side and share their time between waypoints. A viewer chooses among as many
// samples as all of the plans have.
func Animate(views ...PlanView) (*Animation, error) {
	if len(views) == 0 {
		return nil, &PlanViewError{Robot: -1, Sample: -1, Reason: "nothing to animate"}
	}
	a := &Animation{title: printable(views[0].Title), note: printable(views[0].Note), step: views[0].Step}
	samples := math.MaxInt
	for _, v := range views {
		if err := v.check(); err != nil {
			return nil, err
		}
		if v.Step != a.step {
			return nil, &PlanViewError{Robot: -1, Sample: -1, Reason: fmt.Sprintf(
				"%v seconds between waypoints beside %v, want the same", v.Step, a.step)}
		}
		samples = min(samples, len(v.Samples))
		a.stages = append(a.stages, v.stage())
	}
	if len(views) > 1 {
		a.title, a.note = joinDistinct(views, func(v PlanView) string { return v.Title }), ""
	}
	for k := range samples {
		t := take{name: joinDistinct(views, func(v PlanView) string { return v.Samples[k].Name })}
		if t.name == "" {
			t.name = fmt.Sprint("sample ", k)
		}
		for _, v := range views {
			t.runs = append(t.runs, v.run(v.Samples[k]))
		}
		a.takes = append(a.takes, t)
	}
	return a, nil
}

// joinDistinct joins the different texts of views.
func joinDistinct(views []PlanView, text func(PlanView) string) string {
	var out []string
	seen := map[string]bool{"": true}
	for _, v := range views {
		if s := printable(text(v)); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return strings.Join(out, " | ")
}

func (v PlanView) stage() stage {
	s := stage{title: printable(v.Title), note: printable(v.Note), ground: v.Map, unit: printable(v.LengthUnit)}
	names := v.names()
	labels := shortNames(names)
	for i, r := range v.Robots {
		s.actors = append(s.actors, actor{
			name: names[i], label: labels[i], radius: r.Radius, start: &pose{at: r.Start}, goal: &pose{at: r.Goal},
		})
	}
	return s
}

func (v PlanView) run(s SampleView) run {
	r := run{marks: s.Marks, facts: s.Facts, order: s.Order, charts: []chart{v.speedChart(s), v.accelerationChart(s)}}
	for _, p := range s.Paths {
		poses := make([]pose, len(p))
		for h, x := range p {
			poses[h].at = x
		}
		r.poses = append(r.poses, poses)
	}
	if len(s.Paths) > 1 {
		r.charts = append(r.charts, v.gapChart(s))
	}
	return r
}

// speedChart shows speeds, which are constant between waypoints, and their limits.
func (v PlanView) speedChart(s SampleView) chart {
	c := chart{title: "speed", unit: printable(v.SpeedUnit), kind: Speeding}
	common := true
	for i, speeds := range v.speeds(s) {
		c.lines = append(c.lines, chartLine{actor: i, steps: speeds[1:]})
		common = common && v.Robots[i].Limit == v.Robots[0].Limit
	}
	for i, r := range v.Robots {
		if limit := limited(r.Limit); limit > 0 && (i == 0 || !common) {
			level := chartLevel{actor: i, value: limit, label: "limit"}
			if common {
				level.actor = -1
			}
			c.levels = append(c.levels, level)
		}
	}
	return c
}

// accelerationChart shows what changes of speed at each waypoint come to, from rest to
// rest, as [RobotView.Acceleration] limits them.
func (v PlanView) accelerationChart(s SampleView) chart {
	c := chart{title: "acceleration", kind: noMark}
	if unit := printable(v.LengthUnit); unit != "" {
		c.unit = unit + "/s²"
	}
	for i, p := range s.Paths {
		line := chartLine{actor: i}
		for h, x := range p {
			before, after := p[max(h-1, 0)], p[min(h+1, len(p)-1)]
			line.values = append(line.values, [2]float64{float64(h), after.Sub(x).Sub(x.Sub(before)).Norm() / (v.Step * v.Step)})
		}
		c.lines = append(c.lines, line)
		if limit := limited(v.Robots[i].Acceleration); limit > 0 {
			c.levels = append(c.levels, chartLevel{actor: i, value: limit, label: "limit"})
		}
	}
	return c
}

// gapChart shows the smallest distance between the rims of two robots.
func (v PlanView) gapChart(s SampleView) chart {
	line := chartLine{actor: -1}
	for h := range s.Paths[0] {
		if h > 0 {
			if t := v.closest(s.Paths, h); t > 0 && t < 1 {
				line.values = append(line.values, [2]float64{float64(h-1) + t, v.gap(s.Paths, h, t)})
			}
		}
		line.values = append(line.values, [2]float64{float64(h), v.gap(s.Paths, h, 1)})
	}
	return chart{
		title: "smallest gap between robots", unit: printable(v.LengthUnit), kind: Overlap, lines: []chartLine{line},
		levels: []chartLevel{{actor: -1, value: 0, label: "touching"}},
	}
}

// gap returns the smallest gap between two robots at a fraction of the way from
// waypoint h-1 to waypoint h.
func (v PlanView) gap(paths [][]geom.Vec2, h int, fraction float64) float64 {
	at := func(i int) geom.Vec2 { return paths[i][max(h-1, 0)].Lerp(paths[i][h], fraction) }
	smallest := math.Inf(1)
	for i := range paths {
		for j := range i {
			smallest = min(smallest, at(i).Dist(at(j))-v.Robots[i].Radius-v.Robots[j].Radius)
		}
	}
	return smallest
}

// closest returns the fraction of the way from waypoint h-1 to waypoint h at which
// two robots are nearest to each other.
func (v PlanView) closest(paths [][]geom.Vec2, h int) (fraction float64) {
	smallest := math.Inf(1)
	for i, p := range paths {
		for j, q := range paths[:i] {
			from, to := p[h-1].Sub(q[h-1]), p[h].Sub(q[h])
			way := to.Sub(from)
			t := 0.0
			if s := way.Dot(way); s > 0 {
				t = min(max(-from.Dot(way)/s, 0), 1)
			}
			if d := from.Lerp(to, t).Norm() - v.Robots[i].Radius - v.Robots[j].Radius; d < smallest {
				smallest, fraction = d, t
			}
		}
	}
	return fraction
}

// frames returns the number of frames of the longest run.
func (a *Animation) frames() int {
	n := 0
	for _, t := range a.takes {
		for _, r := range t.runs {
			for _, p := range r.poses {
				n = max(n, len(p))
			}
		}
	}
	return n
}

// shown is the part of the plane that is drawn: actors at the border of the map
// are whole.
func (s stage) shown() geom.Box {
	largest := 0.0
	for _, a := range s.actors {
		largest = max(largest, a.radius)
	}
	size := s.ground.Bounds.Size()
	side := max(size.X, size.Y)
	return s.ground.Bounds.Grow(min(largest, 0.1*side) + 0.01*side)
}

// Save writes the animation to a file whose name ends in .html, for a page that
// can be opened anywhere, or .gif.
func (a *Animation) Save(path string) error {
	return save(path, map[string]func(io.Writer) error{".html": a.WriteHTML, ".gif": a.WriteGIF})
}
