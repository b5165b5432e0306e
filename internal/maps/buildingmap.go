package maps

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

// buildingMap returns the map of a level: its walls, its closed doors, its lifts, and what
// lies outside of its floors.
func (l *levels) buildingMap(o Options) (*Map, error) {
	to, err := l.toMetres()
	if err != nil {
		return nil, err
	}
	of, err := l.vertices(l.name)
	if err != nil {
		return nil, err
	}
	for k := range of {
		of[k].at = to.at(of[k].at)
	}
	level := l.f.Levels[l.name]
	m := &Map{Kind: Building, Units: "m", Places: l.places(of)}
	walls, err := l.walls("wall", level.Walls, of)
	if err != nil {
		return nil, err
	}
	doors, err := l.walls("door", level.Doors, of)
	if err != nil {
		return nil, err
	}
	lifts, err := l.lifts()
	if err != nil {
		return nil, err
	}
	m.Obstacles = append(walls, lifts...)
	if o.Doors == "closed" {
		m.Obstacles = append(m.Obstacles, doors...)
	} else if len(doors) > 0 {
		l.notes = append(l.notes, "doors are open ("+plural.Of(len(doors), "door")+"); doors: closed makes them walls")
	}
	floors, err := l.areas("floor", level.Floors, of)
	if err != nil {
		return nil, err
	}
	holes, err := l.areas("hole", level.Holes, of)
	if err != nil {
		return nil, err
	}
	if err := m.setBounds(l.file, floors, append(walls, doors...), of); err != nil {
		return nil, err
	}
	if len(floors) > 0 {
		m.Obstacles = append(m.Obstacles, besides(m.Bounds, floors, holes)...)
	} else {
		l.notes = append(l.notes, "it has no floors: where its walls leave gaps, robots may drive outside, within the bounds")
		m.Obstacles = append(m.Obstacles, besides(m.Bounds, []geom.Polygon{m.Bounds.Convex().Core}, holes)...)
	}
	m.Graph, err = l.lanes(level.Lanes, of)
	m.Notes = l.notes
	m.setPad()
	return m, err
}

// setBounds sets the bounds around floors, else around walls and doors, else around
// vertices.
func (m *Map) setBounds(file string, floors, walls []geom.Polygon, of []vertex) error {
	var points geom.Polygon
	for _, p := range floors {
		points = append(points, p...)
	}
	grow := 0.0
	if len(points) == 0 {
		for _, p := range walls {
			points = append(points, p...)
		}
	}
	if len(points) == 0 {
		grow = aroundPlaces
		for _, v := range of {
			points = append(points, v.at)
		}
	}
	if len(points) == 0 {
		return broken(file, "the level has no vertices")
	}
	m.Bounds = boundsOf(points).Grow(grow)
	return nil
}

// places returns the vertices that have names.
func (l *levels) places(of []vertex) (out []Place) {
	for _, v := range of {
		if v.name != "" {
			out = append(out, Place{Name: v.name, At: v.at, Level: l.name})
		}
	}
	return out
}

// walls returns boxes as thick as walls are, half of that longer at either end, so that
// they cover the joints.
func (l *levels) walls(what string, entries [][]any, of []vertex) (out []geom.Polygon, err error) {
	for k, entry := range entries {
		ends, err := l.pair(what, k, entry, of)
		if err != nil {
			return nil, err
		}
		a, b := of[ends[0]].at, of[ends[1]].at
		along := b.Sub(a)
		size := geom.Vec2{X: along.Norm() + wallThickness, Y: wallThickness}
		out = append(out, geom.Rectangle(a.Lerp(b, 0.5), size, math.Atan2(along.Y, along.X)))
	}
	return out, nil
}

// areas returns polygons of a level.
func (l *levels) areas(what string, entries []verticesFile, of []vertex) (out []geom.Polygon, err error) {
	for k, entry := range entries {
		var ring geom.Polygon
		for _, v := range entry.Vertices {
			n, err := l.pair(what, k, []any{v, v}, of)
			if err != nil {
				return nil, err
			}
			ring = append(ring, of[n[0]].at)
		}
		if ring = cleaned(ring); len(ring) < 3 || len(ring) > maxRing {
			return nil, broken(l.file, "%s %d has %d corners, want 3 to %d", what, k, len(ring), maxRing)
		}
		out = append(out, ring)
	}
	return out, nil
}

// lifts returns the cabins, which no robot drives through.
func (l *levels) lifts() (out []geom.Polygon, err error) {
	var names []string
	for name := range l.f.Lifts {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := l.f.Lifts[name]
		var v [5]float64 // x, y, yaw, width, depth
		raw := []any{f.X, f.Y, f.Yaw, f.Width, f.Depth}
		if l.graph {
			if len(f.Position) != 3 || len(f.Size) != 2 {
				return nil, broken(l.file, "lift %s: want position [x, y, yaw] and dims [width, depth]", quote.Text(name))
			}
			raw = append(slices.Clone(f.Position), f.Size...)
		}
		for k := range v {
			var ok bool
			if v[k], ok = number(raw[k]); !ok || math.Abs(v[k]) > maxCoordinate || k > 2 && !(v[k] > 0) {
				return nil, broken(l.file, "lift %s: %s is %s, want a number", quote.Text(name), [5]string{"x", "y", "yaw", "width", "depth"}[k], shown(raw[k]))
			}
		}
		at, to := geom.Vec2{X: v[0], Y: v[1]}, similarity{turn: geom.Vec2{X: 1}}
		if l.flip {
			scale, err := l.measured(l.f.Reference)
			if err != nil {
				return nil, err
			}
			at.Y, to.turn.X = -at.Y, scale
		}
		out = append(out, geom.Rectangle(to.at(at), geom.Vec2{X: v[3], Y: v[4]}, v[2]))
	}
	return out, nil
}

// lanes returns the graph of a level: in a building, lanes may lead both ways.
func (l *levels) lanes(entries [][]any, of []vertex) (*Graph, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	g := &Graph{}
	for k, v := range of {
		g.Nodes = append(g.Nodes, Node{ID: int64(k), Name: v.name, At: v.at})
	}
	for k, entry := range entries {
		ends, err := l.pair("lane", k, entry, of)
		if err != nil {
			return nil, err
		}
		named, _ := entry[len(entry)-1].(map[string]any)
		get := func(key string) any {
			if l.graph {
				return named[key]
			}
			return parameter(named, key)
		}
		speed, _ := number(get("speed_limit"))
		lane := Lane{ID: int64(k), From: ends[0], To: ends[1], Speed: max(speed, 0)}
		g.Lanes = append(g.Lanes, lane)
		if both, _ := truth(get("bidirectional")); both && !l.graph {
			lane.From, lane.To = lane.To, lane.From
			g.Lanes = append(g.Lanes, lane)
		}
	}
	return g, nil
}

// graphMap returns the map of a level of a navigation graph: places and lanes, its lifts,
// and its doors where they are closed.
func (l *levels) graphMap(o Options) (*Map, error) {
	of, err := l.vertices(l.name)
	if err != nil {
		return nil, err
	}
	m := &Map{Kind: NavGraph, Units: "m", Places: l.places(of), Notes: append(l.notes, noWalls)}
	if m.Obstacles, err = l.lifts(); err != nil {
		return nil, err
	}
	if o.Doors == "closed" {
		doors, err := l.graphDoors()
		if err != nil {
			return nil, err
		}
		m.Obstacles = append(m.Obstacles, doors...)
	}
	if err := m.setBounds(l.file, nil, nil, of); err != nil {
		return nil, err
	}
	m.setPad()
	m.Graph, err = l.lanes(l.f.Levels[l.name].Lanes, of)
	return m, err
}

// graphDoors returns the doors of a level of a navigation graph as walls.
func (l *levels) graphDoors() ([]geom.Polygon, error) {
	doors, _ := l.f.Doors.(map[string]any)
	var of []vertex
	var pairs [][]any
	var names []string
	for name := range doors {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		door, _ := doors[name].(map[string]any)
		if level := fmt.Sprint(door["map"]); level != l.name {
			continue
		}
		ends, _ := door["endpoints"].([]any)
		for _, end := range ends {
			p, _ := end.([]any)
			if len(p) != 2 || len(ends) != 2 {
				return nil, broken(l.file, "door %s: want endpoints [[x, y], [x, y]]", quote.Text(name))
			}
			x, okX := number(p[0])
			y, okY := number(p[1])
			if !okX || !okY {
				return nil, broken(l.file, "door %s: an end has no numbers for x and y", quote.Text(name))
			}
			of = append(of, vertex{at: geom.Vec2{X: x, Y: y}})
		}
		if len(ends) == 2 {
			pairs = append(pairs, []any{len(of) - 2, len(of) - 1})
		}
	}
	return l.walls("door", pairs, of)
}
