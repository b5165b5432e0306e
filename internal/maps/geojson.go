package maps

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
)

// feature is an object of GeoJSON (RFC 7946) of any type.
type feature struct {
	Type        string          `json:"type"`
	Features    []feature       `json:"features"`
	Geometry    *feature        `json:"geometry"`
	Geometries  []feature       `json:"geometries"`
	Properties  *properties     `json:"properties"`
	Coordinates json.RawMessage `json:"coordinates"`
}

// properties are those of a feature that mean something here.
type properties struct {
	Name     any `json:"name"`
	Kind     any `json:"kind"`
	ID       any `json:"id"`
	Start    any `json:"startid"`
	End      any `json:"endid"`
	Metadata any `json:"metadata"`
}

// meta returns an entry of the metadata, nil where there is none.
func (p *properties) meta(key string) any {
	entries, _ := p.Metadata.(map[string]any)
	return entries[key]
}

// jsonGeometry reports whether a text looks like GeoJSON.
func jsonGeometry(text []byte) bool { return bytes.Contains(text, []byte(`"type"`)) }

// geo gathers what a file of GeoJSON has.
type geo struct {
	file      string
	o         Options
	obstacles []outline
	free      []outline
	points    []geom.Vec2 // every position, for the units
	graph     Graph
	places    []Place
	number    int // of the polygon that is read
}

// readGeoJSON reads polygons, in metres, and the points and edges of a route graph.
func readGeoJSON(name string, data []byte, o Options) (*Map, error) {
	g := &geo{file: name, o: o}
	if len(data) > maxText {
		return nil, broken(name, "the file is larger than %d MiB", maxText>>20)
	}
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	d.UseNumber()
	var top feature
	if err := d.Decode(&top); err != nil {
		return nil, g.ofJSON(err, data)
	}
	if d.More() {
		return nil, broken(name, "the file holds more than one value")
	}
	if err := g.add(top, nil); err != nil {
		return nil, err
	}
	if err := g.checkUnits(); err != nil {
		return nil, err
	}
	return g.result()
}

// ofJSON gives an error of the decoder its line.
func (g *geo) ofJSON(err error, data []byte) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return brokenAt(g.file, 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), "not JSON: %v", err)
	case errors.As(err, &kind):
		return brokenAt(g.file, 1+bytes.Count(data[:min(int(kind.Offset), len(data))], []byte("\n")), "%q is %s, want another kind of value", kind.Field, kind.Value)
	}
	return broken(g.file, "not JSON: %v", err)
}

// add enters an object and what lies in it.
func (g *geo) add(f feature, p *properties) error {
	if f.Properties != nil {
		p = f.Properties
	}
	switch f.Type {
	case "FeatureCollection":
		for _, inner := range f.Features {
			if err := g.add(inner, nil); err != nil {
				return err
			}
		}
		return nil
	case "Feature":
		if f.Geometry == nil {
			return nil
		}
		return g.add(*f.Geometry, p)
	case "GeometryCollection":
		for _, inner := range f.Geometries {
			if err := g.add(inner, p); err != nil {
				return err
			}
		}
		return nil
	case "Polygon":
		var rings [][][]float64
		if err := g.coordinates(f, &rings); err != nil {
			return err
		}
		return g.addPolygon(rings, p)
	case "MultiPolygon":
		var list [][][][]float64
		if err := g.coordinates(f, &list); err != nil {
			return err
		}
		for _, rings := range list {
			if err := g.addPolygon(rings, p); err != nil {
				return err
			}
		}
		return nil
	case "Point":
		return g.addPoint(f, p)
	case "LineString", "MultiLineString":
		return g.addEdge(p)
	case "MultiPoint":
		return nil
	}
	return broken(g.file, "an object has the type %.40q, want one of RFC 7946", f.Type)
}

func (g *geo) coordinates(f feature, to any) error {
	if err := json.Unmarshal(f.Coordinates, to); err != nil {
		return broken(g.file, "the coordinates of a %s cannot be read: %v", f.Type, err)
	}
	return nil
}

// position checks a position, of which the first two numbers count.
func (g *geo) position(what string, v []float64) (p geom.Vec2, err error) {
	if len(v) < 2 {
		return p, broken(g.file, "%s: a position has %d numbers, want x and y", what, len(v))
	}
	if p = (geom.Vec2{X: v[0], Y: v[1]}); !(math.Abs(p.X) <= maxCoordinate && math.Abs(p.Y) <= maxCoordinate) {
		return p, broken(g.file, "%s: a position is (%g, %g), want numbers below %g", what, p.X, p.Y, float64(maxCoordinate))
	}
	g.points = append(g.points, p)
	return p, nil
}

// addPolygon enters a polygon: an obstacle, or an area that robots may use.
func (g *geo) addPolygon(list [][][]float64, p *properties) error {
	g.number++
	what := fmt.Sprintf("polygon %d", g.number)
	if name := textOf(p, func(p *properties) any { return p.Name }); name != "" {
		what += fmt.Sprintf(" (%.40s)", name)
	}
	if len(list) == 0 {
		return broken(g.file, "%s has no ring", what)
	}
	var rings []geom.Polygon
	for k, raw := range list {
		var ring geom.Polygon
		for _, v := range raw {
			at, err := g.position(what, v)
			if err != nil {
				return err
			}
			ring = append(ring, at)
		}
		if n := len(ring); n < 4 || ring[0] != ring[n-1] {
			return broken(g.file, "%s: ring %d is not closed: want at least four positions, the last equal to the first", what, k)
		}
		rings = append(rings, ring[:len(ring)-1])
	}
	o, err := newOutline(g.file, what, rings)
	if err != nil {
		return err
	}
	switch kind := textOf(p, func(p *properties) any { return p.Kind }); {
	case kind == "free" || kind == "" && g.o.Outline == "free":
		g.free = append(g.free, o)
	case kind == "obstacle" || kind == "":
		g.obstacles = append(g.obstacles, o)
	default:
		return broken(g.file, "%s: its kind is %.40q, want obstacle or free", what, kind)
	}
	return nil
}

// textOf returns a property as text, "" where it is left out.
func textOf(p *properties, get func(*properties) any) string {
	if p == nil || get(p) == nil {
		return ""
	}
	return fmt.Sprint(get(p))
}

// checkUnits refuses longitudes and latitudes, which are no lengths: what lies within their
// range and within a kilometre.
func (g *geo) checkUnits() error {
	if len(g.points) < 2 {
		return nil
	}
	b := boundsOf(g.points)
	far := max(math.Abs(b.Min.X), math.Abs(b.Max.X)) <= 180 && max(math.Abs(b.Min.Y), math.Abs(b.Max.Y)) <= 90
	if size := b.Size(); far && max(size.X, size.Y) < 0.01 {
		return broken(g.file, "the positions look like longitudes and latitudes: they lie within %.2g of each other; want metres, projected", max(size.X, size.Y))
	}
	return nil
}

// result returns the map.
func (g *geo) result() (*Map, error) {
	m := &Map{Kind: GeoJSON, Units: "m", Places: g.places}
	if len(g.obstacles)+len(g.free) == 0 {
		if len(g.graph.Nodes) == 0 {
			return nil, broken(g.file, "no polygon, and no node of a route graph, is in it")
		}
		m.Kind = RouteGraph
	}
	if len(g.points) > 0 {
		m.Bounds = boundsOf(g.points)
	}
	if m.Kind == RouteGraph {
		m.Bounds = m.Bounds.Grow(aroundPlaces)
		m.Notes = append(m.Notes, noWalls)
	}
	for k, o := range g.obstacles {
		parts, err := o.cut(g.file, fmt.Sprintf("polygon %d", k+1))
		if err != nil {
			return nil, err
		}
		m.Obstacles = append(m.Obstacles, parts...)
	}
	if len(g.free) > 0 {
		var areas, holes []geom.Polygon
		for _, o := range g.free {
			areas, holes = append(areas, o.outer), append(holes, o.holes...)
		}
		m.Bounds = boundsOf(areas[0])
		for _, a := range areas[1:] {
			m.Bounds = m.Bounds.Join(boundsOf(a))
		}
		m.Obstacles = append(m.Obstacles, besides(m.Bounds, areas, holes)...)
	}
	m.setPad()
	if err := g.graph.resolve(g.file); err != nil {
		return nil, err
	}
	if len(g.graph.Nodes) > 0 {
		m.Graph = &g.graph
	}
	return m, nil
}
