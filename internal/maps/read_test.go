package maps

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/go-pcd/pcd/geom"
)

// of returns an Open of files in memory.
func of(files map[string]string) Open {
	return func(name string, most int64) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(data), nil
	}
}

const rosText = "image: a.pgm\nresolution: 0.5\norigin: [0, 0, 0]\noccupied_thresh: 0.65\nfree_thresh: 0.196\nnegate: 0\n"

// A cell is free only if it is by both conventions in use; thresholds are where they differ.
func TestThresholdsOfBothConventions(t *testing.T) {
	for _, c := range []struct {
		name, keys string
		p          pixel
		want       int8
	}{
		{"white", "", greyPixel(1), Free},
		{"black", "", greyPixel(0), Occupied},
		{"the grey of unknown", "", greyPixel(205 / 255.0), Unknown},
		{"free at the threshold by one convention", "free 0", greyPixel(1), Unknown},
		{"occupied at the threshold by one convention", "occupied 1", greyPixel(0), Occupied},
		{"translucent white", "", pixel{1, 1, 1, 0.99, true}, Unknown},
		{"opaque grey with alpha, free by one convention", "", pixel{205 / 255.0, 205 / 255.0, 205 / 255.0, 1, true}, Unknown},
		{"opaque black with alpha", "", pixel{0, 0, 0, 1, true}, Occupied},
		{"light green, free by luminance", "", pixel{0.5, 1, 0.8, 1, false}, Unknown},
	} {
		r := reading{mode: "trinary", occupied: 0.65, free: 0.196}
		fmt.Sscanf(c.keys, "free %g", &r.free)
		fmt.Sscanf(c.keys, "occupied %g", &r.occupied)
		if got := r.state(c.p); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

// Where both thresholds of a scale are one, a cell exactly there is free by one convention only.
func TestScaleOfOneThreshold(t *testing.T) {
	r := reading{mode: "scale", occupied: 1, free: 1}
	if got := r.state(greyPixel(0)); got != 50 {
		t.Errorf("black is %d, want 50", got)
	}
}

// Of a pixel beyond the palette of its image nothing is known.
func TestPixelsBeyondThePalette(t *testing.T) {
	var b bytes.Buffer
	if err := bmp.Encode(&b, &image.Paletted{Pix: []uint8{1}, Stride: 1, Rect: image.Rect(0, 0, 1, 1), Palette: color.Palette{color.Gray{0}, color.Gray{254}}}); err != nil {
		t.Fatal(err)
	}
	// The encoder writes 256 colours: two of them are kept, and the pixel becomes the third.
	data := b.Bytes()
	data = append(data[:54+2*4:54+2*4], 2, 0, 0, 0)
	data[46], data[47], data[10], data[11] = 2, 0, 54+2*4, 0
	m, err := Read(of(map[string]string{"m.yaml": rosText, "a.pgm": string(data)}), "m.yaml", Options{})
	if err != nil || m.Grid.Cells[0] != Unknown {
		t.Errorf("%+v, %v: want an unknown cell", m, err)
	}
}

// Unknown cells are free when asked for; nothing else changes.
func TestUnknownCells(t *testing.T) {
	for unknown, want := range map[string]int{"": 390, "obstacle": 390, "free": 350} {
		m, err := Read(open, samples+"/ros/trinary.yaml", Options{Unknown: unknown})
		if err != nil {
			t.Fatal(err)
		}
		covered(t, m, unknown != "free")
		area := 0.0
		for _, b := range m.Grid.blocked(unknown != "free") {
			if b {
				area++
			}
		}
		if int(area) != want {
			t.Errorf("unknown %q: %v cells are blocked, want %d", unknown, area, want)
		}
	}
}

// The weak threshold of older savers makes unknown cells free, and that is told.
func TestWeakThresholdIsTold(t *testing.T) {
	files := map[string]string{"m.yaml": strings.Replace(rosText, "0.196", "0.25", 1), "a.pgm": "P5 2 1 255\n\xcd\xfe"}
	m, err := Read(of(files), "m.yaml", Options{})
	if err != nil || len(m.Obstacles) != 0 || len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "1 cells of grey 205") {
		t.Errorf("%+v, %v", m, err)
	}
}

// All formats of images give the same cells, in the same places.
func TestImages(t *testing.T) {
	grey := image.NewGray(image.Rect(0, 0, 7, 5))
	draw := rand.New(rand.NewPCG(5, 6))
	for k := range grey.Pix {
		grey.Pix[k] = [3]uint8{0, 205, 254}[draw.IntN(3)]
	}
	deep, colours, palette := image.NewGray16(grey.Rect), image.NewRGBA(grey.Rect), image.NewPaletted(grey.Rect, color.Palette{color.Gray{0}, color.Gray{205}, color.Gray{254}})
	plain := "P2 # plain\n7 5\n# the largest\n255\n"
	wide := "P5\n7 5\n65535\n"
	for y := range 5 {
		for x := range 7 {
			v := grey.GrayAt(x, y)
			deep.Set(x, y, v)
			colours.Set(x, y, v)
			palette.Set(x, y, v)
			plain += fmt.Sprintf("%d # a comment\n", v.Y)
			wide += string(binary.BigEndian.AppendUint16(nil, uint16(v.Y)*257))
		}
	}
	encode := func(with func(*bytes.Buffer) error) string {
		var b bytes.Buffer
		if err := with(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	var first *Map
	for name, data := range map[string]string{
		"P5": "P5\n7 5 255\n" + string(grey.Pix), "P2": plain, "P5 of 16 bits": wide,
		"PNG":            encode(func(b *bytes.Buffer) error { return png.Encode(b, grey) }),
		"PNG of 16 bits": encode(func(b *bytes.Buffer) error { return png.Encode(b, deep) }),
		"PNG in colour":  encode(func(b *bytes.Buffer) error { return png.Encode(b, colours) }),
		"PNG, palette":   encode(func(b *bytes.Buffer) error { return png.Encode(b, palette) }),
		"BMP":            encode(func(b *bytes.Buffer) error { return bmp.Encode(b, grey) }),
		"BMP in colour":  encode(func(b *bytes.Buffer) error { return bmp.Encode(b, colours) }),
	} {
		m, err := Read(of(map[string]string{"maps/m.yaml": rosText, "maps/a.pgm": data}), "maps/m.yaml", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if first == nil {
			first = m
		}
		for k, c := range m.Grid.Cells {
			x, y := k%7, 4-k/7
			if want := map[uint8]int8{0: Occupied, 205: Unknown, 254: Free}[grey.GrayAt(x, y).Y]; c != want {
				t.Errorf("%s: pixel (%d, %d) is %d, want %d", name, x, y, c, want)
			}
		}
	}
}

// What cannot be read is told by what is wrong with it, before memory is taken for it.
func TestRefusals(t *testing.T) {
	ros := func(old, new string) string { return strings.Replace(rosText, old, new, 1) }
	building := "levels: {L1: {vertices: [[0, 0, 0, a, {}], [9, 0, 0, b, {}], [9, 9, 0, c, {}]], measurements: [[0, 1, {distance: [3, 1]}]]%s}}"
	for _, c := range []struct{ name, text, want string }{
		{"an image", "P5 2 1 255\nxx", "this is an image"},
		{"trials", "version 1\n", "list of trials"},
		{"nothing", "", "no map that is known"},
		{"a drawing", "<?xml version=\"1.0\"?>\n<!-- by hand -->\n<svg width=\"3\">", "an SVG drawing"},
		{"a scene", "robots: []\n", "no map that is known"},
		{"no image", ros("a.pgm", "''"), "image is left out"},
		{"two numbers of the origin", ros("[0, 0, 0]", "[0, 0]"), "origin has 2 numbers"},
		{"an endless origin", ros("[0, 0, 0]", "[0, .inf, 0]"), "origin[1] is"},
		{"no resolution", ros("resolution: 0.5\n", ""), "resolution is left out"},
		{"resolution of 0", ros("0.5", "0"), "resolution is 0"},
		{"thresholds in the wrong order", ros("0.65", "0.1"), "free_thresh is 0.196, above"},
		{"threshold of 65", ros("0.65", "65"), "want them from 0 to 1"},
		{"no negate", ros("negate: 0\n", ""), "negate is left out"},
		{"mode", rosText + "mode: grey\n", "want trinary, scale or raw"},
		{"far away", ros("[0, 0, 0]", "[1e9, 0, 0]"), "no digits"},
		{"octile of another type", "type hexagonal\nheight 1\nwidth 1\nmap\n.\n", "want octile"},
		{"no rows", "type octile\nheight 1\nwidth 1\n", `the line "map" is missing`},
		{"huge", "type octile\nheight 1000000000\nwidth 1000000000\nmap\n.\n", "are announced"},
		{"negative", "type octile\nheight -1\nwidth 3\nmap\n", "want at least one"},
		{"short row", "type octile\nheight 2\nwidth 3\nmap\n...\n..\n", "line 6: the row has 2 cells, want 3"},
		{"odd cell", "type octile\nheight 1\nwidth 3\nmap\n.x.\n", `cell 2 is "x"`},
		{"more rows", "type octile\nheight 1\nwidth 3\nmap\n...\n...\n", "line 6: a row more"},
		{"bow tie", `{"type": "Polygon", "coordinates": [[[0, 0], [2, 2], [2, 0], [0, 2], [0, 0]]]}`, "edges cross near (1, 1)"},
		{"open ring", `{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 2]]]}`, "is not closed"},
		{"two points", `{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [0, 0], [0, 0]]]}`, "fewer than three points"},
		{"hole outside", `{"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 0]], [[5, 5], [6, 5], [6, 6], [5, 5]]]}`, "hole 1 lies outside"},
		{"degrees", `{"type": "Polygon", "coordinates": [[[8.1, 47], [8.102, 47], [8.102, 47.001], [8.1, 47]]]}`, "longitudes and latitudes"},
		{"NaN", `{"type": "Polygon", "coordinates": [[[NaN, 0], [2, 0], [2, 2], [0, 0]]]}`, "not JSON"},
		{"text for numbers", `{"type": "Polygon", "coordinates": "none"}`, "cannot be read"},
		{"kind", `{"type": "Feature", "properties": {"kind": "wall"}, "geometry": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2], [0, 0]]]}}`, "want obstacle or free"},
		{"no polygons", `{"type": "FeatureCollection", "features": []}`, "no polygon"},
		{"edge to nowhere", `{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"id": 1}, "geometry": {"type": "Point", "coordinates": [0, 0]}},
			{"type": "Feature", "properties": {"id": 2, "startid": 1, "endid": 7}, "geometry": {"type": "LineString", "coordinates": []}}]}`, "node 7"},
		{"no measurement", "levels: {L1: {vertices: [[0, 0, 0, a, {}]]}}", "no measurement"},
		{"degrees of a building", "coordinate_system: wgs84\n" + fmt.Sprintf(building, ""), "needs a projection"},
		{"no levels", "levels: {}\n", "no levels"},
		{"wall to nowhere", fmt.Sprintf(building, ", walls: [[0, 3, {}]]"), "vertex 3 is none of the 3"},
		{"wall of one", fmt.Sprintf(building, ", walls: [[0]]"), "want two vertices"},
		{"floor of two", fmt.Sprintf(building, ", floors: [{vertices: [0, 1]}]"), "floor 0 has 2 corners"},
		{"lift without size", fmt.Sprintf(building, "") + "\nlifts: {A: {x: 1, y: 2}}", "lift A: yaw is left out"},
		{"reference", "reference_level_name: L9\n" + fmt.Sprintf(building, ""), "none of its levels"},
	} {
		_, err := Read(of(map[string]string{"a": c.text, "a.pgm": "P5 2 1 255\n\x00\xfe"}), "a", Options{})
		var broken *FormatError
		if !errors.As(err, &broken) || !strings.Contains(err.Error(), c.want) || strings.Count(err.Error(), "\n") > 0 {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	for name, image := range map[string]string{
		"short": "P5 9 9 255\nxx", "huge": "P5 999999999 999999999 255\nxx", "no size": "P5\n", "no maxval": "P5 2 1 0\nxx", "letters": "P2 2 1 255 a b",
		"above maxval": "P2 2 1 3 1 7", "PNG": "\x89PNG\r\n", "BMP": "BM", "JPEG": "\xff\xd8\xff",
		"PNG that claims much": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x01\x00\x00\x00\x01\x00\x00\x10\x00\x00\x00\x00\xeb\x1b\xdb\x9e",
	} {
		_, err := Read(of(map[string]string{"a": rosText, "a.pgm": image}), "a", Options{})
		var broken *FormatError
		if !errors.As(err, &broken) || broken.File != "a.pgm" {
			t.Errorf("image %s: %v", name, err)
		}
	}
	if _, err := Read(of(map[string]string{"a": rosText}), "a", Options{}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "a names a.pgm") {
		t.Errorf("no image: %v", err)
	}
	for _, o := range []Options{{Unknown: "no"}, {Doors: "ajar"}, {Outline: "wall"}, {Level: "L2"}} {
		_, err := Read(open, samples+"/rmf/sample.building.yaml", o)
		var option *OptionError
		if !errors.As(err, &option) {
			t.Errorf("%+v: %v, want an OptionError", o, err)
		}
	}
}

// Doors are open unless they are closed, and then they are walls.
func TestDoors(t *testing.T) {
	for doors, closed := range map[string]bool{"": false, "open": false, "closed": true} {
		for _, name := range []string{"rmf/sample.building.yaml", "rmf/nav_graphs/0.yaml"} {
			m, err := Read(open, samples+"/"+name, Options{Doors: doors})
			if err != nil || within(m, geom.Vec2{X: 8, Y: -7}) != closed {
				t.Errorf("%s, doors %q: %v, closed %v", name, doors, err, !closed)
			}
		}
	}
}

// Another level lies on the reference level as its fiducials say.
func TestLevelsByFiducials(t *testing.T) {
	at := func(x, y float64) string { // turned by a right angle, twice as many pixels, and moved
		return fmt.Sprintf("[%g, %g", 40+2*y, 60-2*x)
	}
	text := "levels:\n  L1:\n    vertices: [[0, 0, 0, a, {}], [100, 0, 0, b, {}]]\n    measurements: [[0, 1, {distance: [3, 5]}]]\n    fiducials: [[10, 10, one], [90, 10, two], [10, 70, three]]\n" +
		"  L2:\n    vertices: [" + at(20, 30) + ", 0, c, {}]]\n    fiducials: [" + at(10, 10) + ", one], " + at(90, 10) + ", two], " + at(10, 70) + ", three]]\n"
	m, err := Read(of(map[string]string{"b.yaml": text}), "b.yaml", Options{Level: "L2"})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := m.Find("L2/c"); err != nil || !near(p.At, [2]float64{1, -1.5}, 1e-9) {
		t.Errorf("c is at %+v, %v, want (1, -1.5)", p, err)
	}
	if m, err = Read(of(map[string]string{"b.yaml": text}), "b.yaml", Options{}); err != nil || len(m.Notes) == 0 || !strings.Contains(m.Notes[0], "L1, L2, L1 is taken") {
		t.Errorf("%v, %v", m, err)
	}
	_, err = m.Find("aa")
	var place *PlaceError
	if !errors.As(err, &place) || place.Nearest != "a" {
		t.Errorf("%v, want a hint to a", err)
	}
}

// A drivable area is free, and what lies around it in its bounds, or in its holes, is not;
// areas may overlap and cross.
func TestFreeOutlines(t *testing.T) {
	text := `{"type": "MultiPolygon", "coordinates": [[[[0, 0], [6, 0], [6, 2], [0, 2], [0, 0]], [[1, 0.5], [1, 1.5], [2, 1.5], [2, 0.5], [1, 0.5]]],
		[[[4, -3], [5, -3], [5, 5], [4, 5], [4, -3]]]]}`
	m, err := Read(of(map[string]string{"a": text}), "a", Options{Outline: "free"})
	if err != nil {
		t.Fatal(err)
	}
	if area := unionArea(m.Obstacles); math.Abs(area-(48-11-6)) > 1e-9 {
		t.Errorf("obstacles of area %v, want 31", area)
	}
	for p, want := range map[geom.Vec2]bool{{X: 0.5, Y: 1}: false, {X: 1.5, Y: 1}: true, {X: 4.5, Y: 1}: false, {X: 4.5, Y: 4}: false, {X: 3, Y: 4}: true} {
		if within(m, p) != want {
			t.Errorf("%v is an obstacle: %v", p, !want)
		}
	}
}

// Agents are scaled to a map of another size, and a wrong name of the map is told.
func TestReadAgents(t *testing.T) {
	m, err := Read(of(map[string]string{"m.map": "type octile\r\nwidth 4\r\nheight 2\r\nmap\r\n....\r\n...."}), "m.map", Options{})
	if err != nil {
		t.Fatal(err)
	}
	scen := "version 1.0\n0 maps/other.map 8 4 7 3 0 0 3.5\n1\tm.map\t4\t2\t0\t0\t3\t1\t3.41\n"
	agents, note, err := ReadAgents("s.scen", []byte(scen), m, "m.map", 0)
	if err != nil || len(agents) != 2 || !near(agents[0].Start, [2]float64{3.5, 0.5}, 0) || !near(agents[1].Start, [2]float64{0.5, 1.5}, 0) || !strings.Contains(note, "other.map") {
		t.Errorf("%+v, %q, %v", agents, note, err)
	}
	for _, text := range []string{"", "version 2\n", "version 1\n", "version 1\n1 m 4 2 0 0\n", "version 1\n0 m 4 2 9 0 0 0 1\n", "version 1\n0 m 4 2 0 0 x 0 1\n", "version 1\n0 m 4 2 0 0 1 0 far\n"} {
		_, _, err := ReadAgents("s.scen", []byte(text), m, "m.map", 0)
		var broken *FormatError
		if !errors.As(err, &broken) {
			t.Errorf("%q: %v, want a FormatError", text, err)
		}
	}
	if _, _, err := ReadAgents("s.scen", []byte(scen), m, "m.map", 3); err == nil {
		t.Error("three agents of two")
	}
}
