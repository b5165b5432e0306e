package maps

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/regular"
)

// samples is a folder with files of all kinds, and what they hold in expected.json.
const samples = "testdata/maps"

func open(name string, most int64) ([]byte, error) {
	return regular.ReadFile(filepath.FromSlash(name), most)
}

// expected is what expected.json says of a file; what it does not say is empty.
type expected struct {
	Refused bool

	Width, Height                    int
	Resolution                       float64
	Free, Occupied, Unknown, Between int
	Blocked                          int     `json:"blocked_cells_unknown_is_obstacle"`
	Area                             float64 `json:"blocked_area_unknown_is_obstacle"`
	Corners                          [][2]float64
	Pixels                           []struct {
		Pixel [2]int
		World [2]float64
		Value int8
	}

	Passable  int
	Block     int `json:"blocked"`
	Largest   int `json:"largest_component"`
	Agents    int
	FirstEnds []float64 `json:"first_agent_world_unit_cells_y_up"`
	Octile    float64   `json:"first_agent_octile"`

	Scale    float64                  `json:"scale_metres_per_pixel"`
	Places   map[string][2]float64    `json:"places_metres"`
	InFile   map[string][2]float64    `json:"places_metres_in_file"`
	Walls    [][2][2]float64          `json:"walls_metres"`
	Doors    map[string][2][2]float64 `json:"doors_metres"`
	Lanes    int                      `json:"directed_lanes"`
	Vertices int

	Polygons  int
	UnionArea float64 `json:"union_area"`
	Points    [][]any `json:"points_x_y_inside_distance_to_boundary"`
	Nodes     map[string][2]float64
	Edges     [][3]int64 `json:"directed_edges"`
	Speed     float64    `json:"speed_limit_metres_per_second"`
}

// Every sample has the values that are expected of it, and broken ones are refused.
func TestSamples(t *testing.T) {
	data, err := os.ReadFile(samples + "/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]expected
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) < 20 {
		t.Fatalf("%d samples", len(all))
	}
	for name, want := range all {
		t.Run(name, func(t *testing.T) {
			m, err := Read(open, samples+"/"+name, Options{})
			if want.Refused {
				var broken *FormatError
				if !errors.As(err, &broken) && !errors.Is(err, os.ErrNotExist) {
					t.Errorf("%v, want it refused", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			switch m.Kind {
			case ROS:
				want.ros(t, m)
			case MovingAI:
				want.octile(t, m, name)
			case GeoJSON:
				want.geojson(t, m)
			case RouteGraph:
				want.route(t, m)
			default:
				want.levels(t, m)
			}
		})
	}
}

func near(a geom.Vec2, b [2]float64, tolerance float64) bool {
	return a.Dist(geom.Vec2{X: b[0], Y: b[1]}) <= tolerance
}

func (w expected) ros(t *testing.T, m *Map) {
	g := m.Grid
	free, occupied, unknown, between := g.Count()
	if g.Width != w.Width || g.Height != w.Height || g.Resolution != w.Resolution || free != w.Free || occupied != w.Occupied || unknown != w.Unknown || between != w.Between {
		t.Errorf("%d by %d cells of %v: %d free, %d occupied, %d unknown, %d between, want %+v", g.Width, g.Height, g.Resolution, free, occupied, unknown, between, w)
	}
	for k, c := range g.corners() {
		if !near(c, w.Corners[k], 1e-8) {
			t.Errorf("corner %d is %v, want %v", k, c, w.Corners[k])
		}
	}
	for _, p := range w.Pixels {
		i, j := p.Pixel[0], g.Height-1-p.Pixel[1]
		if got := g.Cells[j*g.Width+i]; got != p.Value || !near(g.Center(i, j), p.World, 1e-8) {
			t.Errorf("pixel %v is %d at %v, want %d at %v", p.Pixel, got, g.Center(i, j), p.Value, p.World)
		}
	}
	blocked := 0
	for _, b := range g.blocked(true) {
		if b {
			blocked++
		}
	}
	if area := float64(blocked) * g.Resolution * g.Resolution; blocked != w.Blocked || math.Abs(area-w.Area) > 1e-9 {
		t.Errorf("%d cells of area %v are blocked, want %d of %v", blocked, area, w.Blocked, w.Area)
	}
	covered(t, m, true)
}

func (w expected) octile(t *testing.T, m *Map, name string) {
	free, occupied, _, _ := m.Grid.Count()
	if m.Grid.Width != w.Width || m.Grid.Height != w.Height || free != w.Passable || occupied != w.Block {
		t.Errorf("%d by %d, %d free and %d blocked, want %+v", m.Grid.Width, m.Grid.Height, free, occupied, w)
	}
	covered(t, m, true)
	scen := strings.TrimSuffix(samples+"/"+name, ".map") + ".scen"
	data, err := open(scen, maxText)
	if err != nil {
		return
	}
	agents, note, err := ReadAgents(scen, data, m, name, 0)
	if err != nil || len(agents) != w.Agents || note != "" {
		t.Fatalf("%d agents, %q, %v, want %d", len(agents), note, err, w.Agents)
	}
	first := agents[0]
	if !near(first.Start, [2]float64(w.FirstEnds[:2]), 0) || !near(first.Goal, [2]float64(w.FirstEnds[2:]), 0) || first.Optimal != w.Octile {
		t.Errorf("the first agent is %+v, want %v, %v", first, w.FirstEnds, w.Octile)
	}
	starts := map[geom.Vec2]bool{}
	for _, a := range agents {
		if starts[a.Start] {
			t.Errorf("two agents begin at %v", a.Start)
		}
		starts[a.Start] = true
		for _, p := range []geom.Vec2{a.Start, a.Goal} {
			if m.Grid.Cells[int(p.Y)*m.Grid.Width+int(p.X)] != Free {
				t.Errorf("an agent begins or ends at %v, which is blocked", p)
			}
		}
	}
}

func (w expected) levels(t *testing.T, m *Map) {
	for name, at := range w.InFile {
		w.Places = map[string][2]float64{}
		for name, at = range w.InFile {
			w.Places[name] = at
		}
	}
	for name, at := range w.Places {
		if p, err := m.Find(name); err != nil || !near(p.At, at, 1e-9) {
			t.Errorf("%s is at %v, %v, want %v", name, p.At, err, at)
		}
	}
	if len(m.Places) != len(w.Places) {
		t.Errorf("%d places, want %d", len(m.Places), len(w.Places))
	}
	for _, wall := range w.Walls { // each is an obstacle over its whole length, 0.05 to either side
		a, b := geom.Vec2{X: wall[0][0], Y: wall[0][1]}, geom.Vec2{X: wall[1][0], Y: wall[1][1]}
		aside := b.Sub(a).Perp().Unit().Scale(0.0499)
		for _, u := range []float64{0, 0.3, 0.7, 1} {
			for _, p := range []geom.Vec2{a.Lerp(b, u).Add(aside), a.Lerp(b, u).Sub(aside)} {
				if !within(m, p) {
					t.Errorf("%v of the wall %v is free", p, wall)
				}
			}
		}
	}
	for _, door := range w.Doors {
		mid := geom.Vec2{X: (door[0][0] + door[1][0]) / 2, Y: (door[0][1] + door[1][1]) / 2}
		if within(m, mid) {
			t.Errorf("the door at %v is closed", mid)
		}
	}
	if m.Kind == NavGraph && (len(m.Graph.Nodes) != w.Vertices && w.Vertices > 0 || len(m.Graph.Lanes) != w.Lanes && w.Lanes > 0) {
		t.Errorf("%d nodes and %d lanes, want %d and %d", len(m.Graph.Nodes), len(m.Graph.Lanes), w.Vertices, w.Lanes)
	}
}

func (w expected) geojson(t *testing.T, m *Map) {
	for _, row := range w.Points {
		p, inside, far := geom.Vec2{X: row[0].(float64), Y: row[1].(float64)}, row[2].(bool), row[3].(float64)
		if got := within(m, p); got != inside {
			t.Errorf("%v is inside: %v, want %v", p, got, inside)
		}
		d := clearance(m, p)
		if !inside && math.Abs(d-far) > 1e-5 {
			t.Errorf("%v is %v from the obstacles, want %v", p, d, far)
		}
	}
	if w.UnionArea > 0 {
		if area := unionArea(m.Obstacles); math.Abs(area-w.UnionArea) > 1e-6 {
			t.Errorf("the union has the area %v, want %v", area, w.UnionArea)
		}
	}
	for _, o := range m.Obstacles {
		if !o.IsConvex() {
			t.Errorf("a part is not convex: %v", o)
		}
	}
}

func (w expected) route(t *testing.T, m *Map) {
	if len(m.Graph.Nodes) != len(w.Nodes) || len(m.Graph.Lanes) != len(w.Edges) {
		t.Errorf("%d nodes and %d lanes, want %d and %d", len(m.Graph.Nodes), len(m.Graph.Lanes), len(w.Nodes), len(w.Edges))
	}
	for name, at := range w.Nodes {
		if p, err := m.Find(name); err != nil || !near(p.At, at, 0) {
			t.Errorf("node %s is at %v, %v, want %v", name, p.At, err, at)
		}
	}
	for k, e := range w.Edges {
		lane := m.Graph.Lanes[k]
		if got := [3]int64{lane.ID, m.Graph.Nodes[lane.From].ID, m.Graph.Nodes[lane.To].ID}; got != e || lane.Speed != w.Speed {
			t.Errorf("lane %v of speed %v, want %v of %v", got, lane.Speed, e, w.Speed)
		}
	}
}

// within reports whether a point lies in an obstacle.
func within(m *Map, p geom.Vec2) bool {
	for _, o := range m.Obstacles {
		if (geom.Convex{Core: o, Radius: m.Pad}).Core.Contains(p) {
			return true
		}
	}
	return false
}

func clearance(m *Map, p geom.Vec2) float64 {
	d := math.Inf(1)
	for _, o := range m.Obstacles {
		v, _ := geom.Convex{Core: o}.SignedDistance(p)
		d = min(d, v)
	}
	return d
}

// unionArea returns the area of a union of convex polygons, as the integral over x of the
// length of their sections: exact where that is linear, by the trapezoids between all
// corners and all crossings of edges.
func unionArea(parts []geom.Polygon) (area float64) {
	var edges []edge
	for k, p := range parts {
		edges = append(edges, edgesOf(p, k)...)
	}
	var xs []float64
	for k, e := range edges {
		xs = append(xs, e.a.X, e.b.X)
		for _, f := range edges[:k] {
			if at, ok := passing(geom.Segment{A: e.a, B: e.b}, geom.Segment{A: f.a, B: f.b}); ok {
				xs = append(xs, at.X)
			}
		}
	}
	for _, part := range cutAt(xs) {
		mid := (part[0] + part[1]) / 2
		var spans [][2]float64
		for _, p := range parts {
			low, high := math.Inf(1), math.Inf(-1)
			for _, e := range edgesOf(p, 0) {
				if e.a.X <= mid && mid < e.b.X {
					low, high = min(low, e.y(mid)), max(high, e.y(mid))
				}
			}
			if low < high {
				spans = append(spans, [2]float64{low, high})
			}
		}
		area += (part[1] - part[0]) * lengthOf(spans)
	}
	return area
}
