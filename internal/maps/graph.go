package maps

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Graph is what a file says of where robots drive: lanes are a hint for ways, not walls.
type Graph struct {
	Nodes []Node
	Lanes []Lane
}

// Node is a point of a graph. Its ID is that of a route graph, or its place in the file.
type Node struct {
	ID   int64
	Name string
	At   geom.Vec2
}

// Lane leads straight from one node to another, in this direction only.
type Lane struct {
	ID       int64
	From, To int     // nodes, by their places in the list
	Speed    float64 // limit in metres per second, 0 for none

	start, end int64 // what the file calls them, until they are found
}

// aroundPlaces is how far the bounds of a map without walls are from its places, in metres.
const aroundPlaces = 2

// noWalls is the note on maps that have places only.
const noWalls = "the file has places and lanes, and no walls: obstacles are only those that the scene gives"

// whole reads a number of GeoJSON that counts something.
func whole(v any) (int64, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		return n, err == nil && n >= 0
	case float64:
		return int64(v), v >= 0 && v == math.Trunc(v) && v < 1<<53
	}
	return 0, false
}

// addPoint enters a node of a route graph (Nav2), or a point that has a name.
func (g *geo) addPoint(f feature, p *properties) error {
	var v []float64
	if err := g.coordinates(f, &v); err != nil {
		return err
	}
	if p == nil {
		return nil
	}
	name := textOf(p, func(p *properties) any { return p.Name })
	if name == "" {
		name = textOf(p, func(p *properties) any { return p.meta("name") })
	}
	id, numbered := whole(p.ID)
	if !numbered && name == "" {
		return nil
	}
	at, err := g.position("a point", v)
	if err != nil {
		return err
	}
	if numbered {
		g.graph.Nodes = append(g.graph.Nodes, Node{ID: id, Name: name, At: at})
		g.places = append(g.places, Place{Name: fmt.Sprint(id), At: at})
	}
	if name != "" {
		g.places = append(g.places, Place{Name: name, At: at})
	}
	return nil
}

// addEdge enters an edge of a route graph: directed, and straight whatever its geometry.
// Lines that say of no nodes are none.
func (g *geo) addEdge(p *properties) error {
	if p == nil || p.Start == nil && p.End == nil {
		return nil
	}
	lane := Lane{}
	for _, n := range []struct {
		key   string
		value any
		to    *int64
	}{{"id", p.ID, &lane.ID}, {"startid", p.Start, &lane.start}, {"endid", p.End, &lane.end}} {
		v, ok := whole(n.value)
		if !ok {
			return broken(g.file, "the %s of an edge is %s, want a whole number", n.key, shown(n.value))
		}
		*n.to = v
	}
	if v, ok := realNumber(p.meta("abs_speed_limit")); ok && v > 0 {
		lane.Speed = v
	}
	g.graph.Lanes = append(g.graph.Lanes, lane)
	return nil
}

func realNumber(v any) (float64, bool) {
	if n, ok := v.(json.Number); ok {
		out, err := n.Float64()
		return out, err == nil
	}
	return number(v)
}

// resolve finds the nodes of the lanes.
func (g *Graph) resolve(file string) error {
	byID := map[int64]int{}
	for k, n := range g.Nodes {
		if _, ok := byID[n.ID]; ok {
			return broken(file, "two nodes have the id %d", n.ID)
		}
		byID[n.ID] = k
	}
	for k, lane := range g.Lanes {
		var ok bool
		if g.Lanes[k].From, ok = byID[lane.start]; !ok {
			return broken(file, "edge %d begins at node %d, which is not in the file", lane.ID, lane.start)
		}
		if g.Lanes[k].To, ok = byID[lane.end]; !ok {
			return broken(file, "edge %d ends at node %d, which is not in the file", lane.ID, lane.end)
		}
	}
	return nil
}
