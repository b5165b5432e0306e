package maps

import (
	"bytes"
	"fmt"
	"math"

	"github.com/goccy/go-yaml"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/spelling"
	"github.com/go-pcd/pcd/internal/yamlfile"
)

// levelsFile is a building of the traffic editor, or a navigation graph made of one;
// further keys are passed over.
type levelsFile struct {
	Coordinates string               `yaml:"coordinate_system"`
	Reference   string               `yaml:"reference_level_name"`
	Levels      map[string]levelFile `yaml:"levels"`
	Lifts       map[string]liftFile  `yaml:"lifts"`
	Doors       any                  `yaml:"doors"` // of a navigation graph
}

// levelFile is a level. Entries refer to vertices by number.
type levelFile struct {
	Vertices     [][]any        `yaml:"vertices"`
	Walls        [][]any        `yaml:"walls"`
	Doors        [][]any        `yaml:"doors"`
	Lanes        [][]any        `yaml:"lanes"`
	Measurements [][]any        `yaml:"measurements"`
	Fiducials    [][]any        `yaml:"fiducials"`
	Floors       []verticesFile `yaml:"floors"`
	Holes        []verticesFile `yaml:"holes"`
}

type verticesFile struct {
	Vertices []any `yaml:"vertices"`
}

// liftFile is a lift of a building, with width and depth in metres, or of a graph.
type liftFile struct {
	X         any    `yaml:"x"`
	Y         any    `yaml:"y"`
	Yaw       any    `yaml:"yaw"`
	Width     any    `yaml:"width"`
	Depth     any    `yaml:"depth"`
	Reference string `yaml:"reference_floor_name"`

	Position []any `yaml:"position"`
	Size     []any `yaml:"dims"`
}

// wallThickness is that of the walls of a building in metres, as its tools draw them.
const wallThickness = 0.1

// levels reads the levels of a file.
type levels struct {
	file  string
	f     levelsFile
	name  string // of the level that is asked for
	graph bool   // a navigation graph
	flip  bool   // y runs down in the file
	notes []string
}

// readLevels reads a building or a navigation graph of Open-RMF (rmf_building_map_tools).
func readLevels(name string, data []byte, o Options) (*Map, error) {
	l := &levels{file: name}
	if err := yamlfile.Decode(bytes.NewReader(data), &l.f, yamlfile.Options{MaxBytes: maxText}); err != nil {
		return nil, ofYAML(name, err)
	}
	if err := l.choose(data, o.Level); err != nil {
		return nil, err
	}
	if l.graph = l.isGraph(); l.graph {
		return l.graphMap(o)
	}
	switch l.f.Coordinates {
	case "", "reference_image":
		l.flip = true
	case "cartesian_meters":
	case "wgs84", "web_mercator":
		return nil, broken(name, "its coordinate_system is %s, which needs a projection; export it in cartesian_meters", l.f.Coordinates)
	default:
		return nil, broken(name, "its coordinate_system is %s, want reference_image or cartesian_meters", shown(l.f.Coordinates))
	}
	return l.buildingMap(o)
}

// choose finds the level that is asked for: by default the one of reference, or the first.
func (l *levels) choose(data []byte, wanted string) error {
	if len(l.f.Levels) == 0 {
		return broken(l.file, "it has no levels")
	}
	var order struct {
		Levels yaml.MapSlice `yaml:"levels"`
	}
	if err := yamlfile.Decode(bytes.NewReader(data), &order, yamlfile.Options{MaxBytes: maxText}); err != nil {
		return ofYAML(l.file, err)
	}
	var names []string
	for _, entry := range order.Levels {
		names = append(names, fmt.Sprint(entry.Key))
	}
	if l.f.Reference == "" {
		l.f.Reference = names[0]
	}
	if _, ok := l.f.Levels[l.f.Reference]; !ok {
		return broken(l.file, "its reference_level_name is %s, which is none of its levels", shown(l.f.Reference))
	}
	if l.name = l.f.Reference; wanted != "" {
		l.name = wanted
	}
	if _, ok := l.f.Levels[l.name]; !ok {
		want := "one of its levels: " + list(names)
		if near := spelling.Nearest(l.name, names); near != "" {
			want += " (did you mean " + quote.Text(near) + "?)"
		}
		return &OptionError{Option: "level", Value: l.name, Want: want}
	}
	if len(names) > 1 && wanted == "" {
		l.notes = append(l.notes, fmt.Sprintf("of its levels %s, %s is taken", list(names), quote.Text(l.name)))
	}
	return nil
}

// isGraph reports whether vertices are those of a navigation graph: x, y and a mapping.
func (l *levels) isGraph() bool {
	for _, level := range l.f.Levels {
		if len(level.Vertices) > 0 && len(level.Vertices[0]) == 3 {
			_, ok := level.Vertices[0][2].(map[string]any)
			return ok
		}
	}
	return false
}

// vertex is a point of a level with its name and its parameters.
type vertex struct {
	at    geom.Vec2
	name  string
	named map[string]any
}

// vertices returns those of a level as they stand in the file, y upwards.
func (l *levels) vertices(level string) (out []vertex, err error) {
	for k, v := range l.f.Levels[level].Vertices {
		var x [2]float64
		for n := range x {
			var ok bool
			if len(v) < 2 {
				return nil, broken(l.file, "level %s: vertex %d has %d entries, want x and y", quote.Text(level), k, len(v))
			}
			if x[n], ok = number(v[n]); !ok || math.Abs(x[n]) > maxCoordinate {
				return nil, broken(l.file, "level %s: vertex %d has the coordinate %s, want a number", quote.Text(level), k, shown(v[n]))
			}
		}
		vx := vertex{at: geom.Vec2{X: x[0], Y: x[1]}}
		if l.flip {
			vx.at.Y = -vx.at.Y
		}
		if len(v) > 3 && v[3] != nil {
			vx.name = fmt.Sprint(v[3])
		}
		vx.named, _ = v[len(v)-1].(map[string]any)
		if l.graph && vx.named["name"] != nil {
			vx.name = fmt.Sprint(vx.named["name"])
		}
		out = append(out, vx)
	}
	return out, nil
}

// pair returns the ends of a wall, a lane, a door or a measurement.
func (l *levels) pair(what string, k int, entry []any, of []vertex) (ends [2]int, err error) {
	for n := range ends {
		if len(entry) < 2 {
			return ends, broken(l.file, "%s %d has %d entries, want two vertices", what, k, len(entry))
		}
		v, ok := number(entry[n])
		if !ok || v != math.Trunc(v) || v < 0 || v >= float64(len(of)) {
			return ends, broken(l.file, "%s %d: vertex %s is none of the %d of the level", what, k, shown(entry[n]), len(of))
		}
		ends[n] = int(v)
	}
	return ends, nil
}

// parameter returns a value of the traffic editor, which stand as [type, value].
func parameter(named map[string]any, key string) any {
	if typed, ok := named[key].([]any); ok && len(typed) == 2 {
		return typed[1]
	}
	return nil
}

// list shows some names.
func list(names []string) string {
	const most = 12
	text := ""
	for k, n := range names {
		if k == most {
			return text + fmt.Sprintf(" and %d more", len(names)-most)
		}
		if k > 0 {
			text += ", "
		}
		text += quote.Text(n)
	}
	return text
}
