package maps

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
)

// Whatever a file holds, it is read or refused with a typed error, and what is read is made of
// convex parts with finite corners. There is a target for each reader, and one for what tells
// kinds of files apart.

// fuzzed reads a file by all that a scene may ask for.
func fuzzed(t *testing.T, read func(Options) (*Map, error)) {
	t.Helper()
	for _, o := range []Options{{}, {Unknown: "free", Doors: "closed", Outline: "free"}} {
		m, err := read(o)
		if err != nil {
			typed(t, err)
			continue
		}
		if b := m.Bounds; !b.Min.IsFinite() || !b.Max.IsFinite() || b.Min.X > b.Max.X || b.Min.Y > b.Max.Y || !(m.Pad >= 0) {
			t.Fatalf("bounds %v, pad %v", b, m.Pad)
		}
		for _, p := range m.Obstacles {
			if b := boundsOf(p); len(p) < 3 || !b.Min.IsFinite() || !b.Max.IsFinite() || !p.IsConvex() {
				t.Fatalf("an obstacle is %v", p)
			}
		}
		for _, p := range m.Places {
			if !p.At.IsFinite() {
				t.Fatalf("place %q is at %v", p.Name, p.At)
			}
		}
		if m.Grid != nil && len(m.Grid.Cells) <= 256 {
			covered(t, m, o.Unknown != "free")
		}
	}
}

// typed fails unless an error is one that names a file, or that there is none.
func typed(t *testing.T, err error) {
	t.Helper()
	var broken *FormatError
	var option *OptionError
	if !errors.As(err, &broken) && !errors.As(err, &option) && !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%T: %v", err, err)
	}
}

// seeds adds samples to the corpus.
func seeds(f *testing.F, add func(string), names ...string) {
	for _, name := range names {
		data, err := open(samples+"/"+name, maxImage)
		if err != nil {
			f.Fatal(err)
		}
		add(string(data))
	}
}

func FuzzRead(f *testing.F) {
	add := func(text string) { f.Add(text, "P5 2 1 255\n\x00\xfe") }
	add(rosText)
	seeds(f, add, "movingai/terrain.map", "geojson/obstacles.geojson", "rmf/sample.building.yaml", "rmf/nav_graphs/0.yaml", "ros/scale.yaml")
	f.Fuzz(func(t *testing.T, text, image string) {
		fuzzed(t, func(o Options) (*Map, error) { return Read(of(map[string]string{"a": text, "a.pgm": image}), "a", o) })
	})
}

// The YAML file of a map server.
func FuzzROS(f *testing.F) {
	f.Add(rosText)
	f.Add(strings.Replace(rosText, "0]", "0.3]", 1) + "mode: scale\n")
	seeds(f, func(s string) { f.Add(s) }, "ros/plain.yaml", "ros/rotated.yaml", "ros/scale.yaml", "ros/raw.yaml", "ros/negate_true.yaml", "ros/bad_origin.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		open := func(string, int64) ([]byte, error) { return []byte("P2 4 2 255 0 100 205 254 254 205 7 0"), nil }
		fuzzed(t, func(o Options) (*Map, error) { return readROS(open, "a", []byte(text), o) })
	})
}

// The image of a map server, in all modes.
func FuzzImage(f *testing.F) {
	f.Add("P2 2 1 255 0 7")
	f.Add("P5 2 1 65535\n\x00\xfe\xff\xff")
	seeds(f, func(s string) { f.Add(s) }, "ros/scale.png", "ros/palette.png", "ros/deep.png", "ros/rgb.png", "ros/maxval.pgm", "ros/short.pgm")
	f.Fuzz(func(t *testing.T, image string) {
		for _, mode := range []string{"trinary", "scale", "raw"} {
			files := map[string]string{"a": rosText + "mode: " + mode + "\n", "a.pgm": image}
			fuzzed(t, func(o Options) (*Map, error) { return Read(of(files), "a", o) })
		}
	})
}

// A grid of the MovingAI benchmarks with its trials.
func FuzzMovingAI(f *testing.F) {
	const scen = "version 1\n0\tm.map\t4\t2\t0\t0\t3\t1\t3.41\n"
	seeds(f, func(s string) { f.Add(s, scen) }, "movingai/terrain.map", "movingai/crlf.map", "movingai/bad_width.map")
	f.Add("type octile\r\nwidth 4\r\nheight 2\r\nmap\r\n....\r\n..@.", "version 1.0\n0 maps/other.map 8 4 7 3 0 0 3.5\n"+scen)
	f.Fuzz(func(t *testing.T, text, trials string) {
		fuzzed(t, func(Options) (*Map, error) { return readOctile("a", []byte(text)) })
		m, err := readOctile("a", []byte(text))
		if err != nil {
			m = &Map{Kind: MovingAI, Grid: &Grid{Width: 4, Height: 2, Resolution: 1, Cells: make([]int8, 8)}}
		}
		agents, _, err := ReadAgents("s", []byte(trials), m, "m.map", 0)
		if err != nil {
			typed(t, err)
			return
		}
		for _, a := range agents {
			for _, p := range []struct{ x, y float64 }{{a.Start.X, a.Start.Y}, {a.Goal.X, a.Goal.Y}} {
				if !(p.x > 0 && p.x < float64(m.Grid.Width) && p.y > 0 && p.y < float64(m.Grid.Height)) {
					t.Fatalf("an agent at %v, in a map of %d by %d", p, m.Grid.Width, m.Grid.Height)
				}
			}
		}
	})
}

// A building of Open-RMF.
func FuzzBuilding(f *testing.F) {
	seeds(f, func(s string) { f.Add(s) }, "rmf/sample.building.yaml", "rmf/cartesian.building.yaml")
	f.Add("levels: {L: {vertices: [[0, 0, 0, a], [9, 0, 0, b], [9, 9, 0, '']], walls: [[0, 1, {}]], doors: [[1, 2, {}]], measurements: [[0, 1, {distance: [3, 4.5]}]], floors: [{vertices: [0, 1, 2]}], holes: null}}\n" +
		"lifts: {l: {x: 1, y: 2, yaw: 0.5, width: 1, depth: 2, reference_floor_name: L}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		fuzzed(t, func(o Options) (*Map, error) { return readLevels("a", []byte(text), o) })
	})
}

// A navigation graph of Open-RMF.
func FuzzNavGraph(f *testing.F) {
	seeds(f, func(s string) { f.Add(s) }, "rmf/nav_graphs/0.yaml", "rmf/nav_graphs/1.yaml")
	f.Add("building_name: b\nlevels: {L: {lanes: [[0, 1, {speed_limit: 0.5}], [1, 0, {}]], vertices: [[0, 1, {name: a}], [2, 1.5, {name: ''}]]}}\n" +
		"doors: {d: {endpoints: [[0, 0], [1, 0]], map: L}}\nlifts: {l: {position: [1, 2, 0], dims: [1, 2]}}\n")
	f.Fuzz(func(t *testing.T, text string) {
		fuzzed(t, func(o Options) (*Map, error) { return readLevels("a", []byte(text), o) })
	})
}

// Outlines and route graphs.
func FuzzGeoJSON(f *testing.F) {
	seeds(f, func(s string) { f.Add(s) }, "geojson/obstacles.geojson", "geojson/route_graph.geojson", "geojson/bowtie.geojson", "geojson/open_ring.geojson")
	f.Add(`{"type": "MultiPolygon", "coordinates": [[[[0, 0], [6, 0], [6, 2], [0, 2], [0, 0]], [[1, 0.5], [1, 1.5], [2, 1.5], [2, 0.5], [1, 0.5]]], [[[4, -3], [5, -3], [5, 5], [4, 5], [4, -3]]]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		fuzzed(t, func(o Options) (*Map, error) { return readGeoJSON("a", []byte(text), o) })
	})
}
