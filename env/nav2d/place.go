package nav2d

import "slices"

// Place is where a robot starts or ends: a point, or the name of a place of the map, which
// [Scene.LoadMap] replaces by its point.
type Place struct {
	Name string    // "" for a point
	At   []float64 // x and y
}

// At returns a place by its coordinates.
func At(coordinates ...float64) Place { return Place{At: coordinates} }

// UnmarshalYAML reads [x, y] or a name.
func (p *Place) UnmarshalYAML(decode func(any) error) error {
	if decode(&p.At) == nil {
		return nil
	}
	p.At = nil
	var name any
	if err := decode(&name); err != nil {
		return err
	}
	if text, ok := name.(string); ok {
		p.Name = text
		return nil
	}
	return decode(&p.At)
}

// MapKey is the map of a scene: the name of a published one, or a file of one that robots
// use, which [Scene.LoadMap] reads.
type MapKey struct {
	Name    string   `yaml:"-"`       // of a published map, see [MapByName]
	File    string   `yaml:"file"`    // a ROS map, a MovingAI map, an Open-RMF building or graph, GeoJSON
	Unknown string   `yaml:"unknown"` // cells of which nothing is known: "obstacle", also if left out, or "free"
	Doors   string   `yaml:"doors"`   // of a building: "open", also if left out, or "closed"
	Level   string   `yaml:"level"`   // of a building; its reference level if left out
	Kind    string   `yaml:"kind"`    // of polygons that do not say: "obstacle", also if left out, or "free"
	Places  []string `yaml:"places"`  // further files whose places have names, such as navigation graphs
}

// UnmarshalYAML reads a name or a mapping.
func (k *MapKey) UnmarshalYAML(decode func(any) error) error {
	if decode(&k.Name) == nil {
		return nil
	}
	k.Name = ""
	type keys MapKey
	return decode((*keys)(k))
}

// Team are robots that a file lists: a scenario of the MovingAI benchmarks, of which Count
// begin, or a table (CSV) with a header and columns name, start, goal or start_x, start_y,
// goal_x, goal_y, and radius, speed, acceleration, model.
type Team struct {
	File         string   `yaml:"file"`
	Count        int      `yaml:"count"` // the first so many; all if left out
	Radius       *float64 `yaml:"radius"`
	Speed        *float64 `yaml:"speed"`
	Acceleration *float64 `yaml:"acceleration"`
}

// Files returns the content of a file that a scene names, of at most so many bytes. Names
// are relative to the scene.
type Files func(name string, most int64) ([]byte, error)

// needsFiles reports whether a scene names files.
func (s *Scene) needsFiles() bool {
	return s.Map.File != "" || len(s.Map.Places) > 0 || s.Team != nil ||
		slices.ContainsFunc(s.Robots, func(r Robot) bool { return r.Start.Name != "" || r.Goal.Name != "" })
}
