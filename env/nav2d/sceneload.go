package nav2d

import (
	"fmt"
	"path"
	"strings"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/maps"
)

// loadedMap is what [Scene.LoadMap] read.
type loadedMap struct {
	file  *maps.Map // nil for a scene that only names places or a team
	notes []string
	// places are the points of those that have names, in the units of the scene.
	places []geom.Vec2
}

// MapFile is the file of a map, as summaries tell it. Lengths are in the units of the scene.
type MapFile struct {
	File       string  `json:"file"`
	Kind       string  `json:"kind"`
	Resolution float64 `json:"resolution,omitempty"` // the side of a cell: the file knows walls no better
	Solids     int     `json:"solids"`               // convex obstacles that its own were cut into
	Places     int     `json:"places"`               // that have names
}

// LoadMap reads the files that the scene names: its map, places and its team. Bounds and
// units that the scene leaves out are those of the map; robots of the team follow those of
// the scene; names of places become points. It must be called before [Scene.Task] where
// the scene names files, and does nothing else. Its errors are those of files, typed, with
// the name of the file, and [ValueError].
func (s *Scene) LoadMap(files Files) error {
	if s.loaded != nil || !s.needsFiles() {
		return nil
	}
	if files == nil {
		return &ValueError{Key: "map.file", Value: shown(s.firstFile()), Want: "no files: none can be read here"}
	}
	l := &loadedMap{}
	var places []maps.Place
	if s.Map.File != "" {
		m, err := maps.Read(maps.Open(files), s.Map.File, maps.Options{Unknown: s.Map.Unknown, Doors: s.Map.Doors, Level: s.Map.Level, Outline: s.Map.Kind})
		if err != nil {
			return fmt.Errorf("nav2d: map: %w", err)
		}
		l.file, l.notes, places = m, m.Notes, m.Places
		if s.Bounds == nil {
			s.Bounds = &Bounds{Min: []float64{m.Bounds.Min.X, m.Bounds.Min.Y}, Max: []float64{m.Bounds.Max.X, m.Bounds.Max.Y}}
		}
		if s.Units == "" {
			s.Units = m.Units
		}
	}
	for _, name := range s.Map.Places {
		m, err := maps.Read(maps.Open(files), name, maps.Options{})
		if err != nil {
			return fmt.Errorf("nav2d: map.places: %w", err)
		}
		places = append(places, m.Places...)
	}
	if err := s.loadTeam(files, l); err != nil {
		return err
	}
	for _, p := range places {
		l.places = append(l.places, p.At)
	}
	s.loaded = l
	return s.findPlaces(places)
}

// firstFile returns the first file that the scene names, or its first name of a place.
func (s *Scene) firstFile() string {
	names := append([]string{s.Map.File}, s.Map.Places...)
	if s.Team != nil {
		names = append(names, s.Team.File)
	}
	for _, r := range s.Robots {
		names = append(names, r.Start.Name, r.Goal.Name)
	}
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// maxTeamBytes is the size of the largest file of a team.
const maxTeamBytes = 4 << 20

// loadTeam adds the robots of the team.
func (s *Scene) loadTeam(files Files, l *loadedMap) error {
	t := s.Team
	if t == nil {
		return nil
	}
	if t.File == "" || t.Count < 0 {
		return &ValueError{Key: "team", Value: fmt.Sprintf("%q, count %d", t.File, t.Count), Want: "the name of a file, and a count of 1 or more or none"}
	}
	data, err := files(t.File, maxTeamBytes)
	if err != nil {
		return fmt.Errorf("nav2d: team: %w", err)
	}
	if !strings.EqualFold(path.Ext(t.File), ".scen") {
		return s.AddTeam(t.File, data)
	}
	if l.file == nil {
		return &ValueError{Key: "team.file", Value: t.File, Want: "with a map whose cells it names: map: {file: ...}"}
	}
	agents, note, err := maps.ReadAgents(t.File, data, l.file, s.Map.File, t.Count)
	if err != nil {
		return fmt.Errorf("nav2d: team: %w", err)
	}
	if note != "" {
		l.notes = append(l.notes, note)
	}
	for k, a := range agents {
		s.Robots = append(s.Robots, Robot{
			Name: fmt.Sprintf("agent %d", k+1), Start: At(a.Start.X, a.Start.Y), Goal: At(a.Goal.X, a.Goal.Y),
			Radius: t.Radius, Speed: t.Speed, Acceleration: t.Acceleration,
		})
	}
	return nil
}

// findPlaces replaces the names of places by their points.
func (s *Scene) findPlaces(places []maps.Place) error {
	var c sceneCheck
	for i := range s.Robots {
		for key, p := range map[string]*Place{"start": &s.Robots[i].Start, "goal": &s.Robots[i].Goal} {
			if p.Name == "" || p.At != nil {
				continue
			}
			found, err := maps.Find(places, p.Name)
			if err != nil {
				c.add(fmt.Errorf("nav2d: robots[%d].%s: %w", i, key, err))
				continue
			}
			p.At = []float64{found.At.X, found.At.Y}
		}
	}
	return c.err()
}

// solids returns the obstacles of the file in the coordinates of the map, grown by the
// rounding of their corners. Rectangles along the axes are boxes.
func (l *loadedMap) solids(f Frame) (out geom.Union) {
	if l == nil || l.file == nil {
		return nil
	}
	pad := 2*l.file.Pad/f.Scale + 0x1p-48
	for _, p := range l.file.Obstacles {
		core := make(geom.Polygon, len(p))
		for k, v := range p {
			core[k] = f.ToMap(v)
		}
		if b := (geom.Convex{Core: core}).Bounds(); len(core) == 4 && upright(core) {
			b = b.Grow(pad)
			out = append(out, geom.RoundedBox{Center: b.Center(), Size: b.Size()})
			continue
		}
		out = append(out, geom.Convex{Core: core, Radius: pad})
	}
	return out
}

// upright reports whether the sides of a rectangle run along the axes.
func upright(p geom.Polygon) bool {
	for k, a := range p {
		if b := p[(k+1)%len(p)]; a.X != b.X && a.Y != b.Y {
			return false
		}
	}
	return true
}

// told returns what summaries say of the file, nil without one.
func (l *loadedMap) told(name string) *MapFile {
	if l == nil || l.file == nil {
		return nil
	}
	out := &MapFile{File: name, Kind: string(l.file.Kind), Solids: len(l.file.Obstacles), Places: len(l.file.Places)}
	if l.file.Grid != nil {
		out.Resolution = l.file.Grid.Resolution
	}
	return out
}
