package serve

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/maps"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// ReadScene implements [pcdv1connect.PlanServiceHandler]. It reads what the request holds
// and nothing else: names are those of its own files.
func (s planService) ReadScene(_ context.Context, r *connect.Request[pb.ReadSceneRequest]) (*connect.Response[pb.ReadSceneResponse], error) {
	files := r.Msg.GetFiles()
	if len(files) == 0 {
		return nil, refuse(&fieldError{"files", "empty", "want a scene file or a map"})
	}
	keys, notes, err := readFiles(files)
	if err != nil {
		return nil, refuse(err)
	}
	scene, err := structpb.NewStruct(keys)
	if err == nil {
		_, err = protojson.Marshal(scene) // YAML has numbers that JSON has not: .inf
	}
	if err != nil {
		return nil, refuse(&fieldError{"files", err, "want a scene file"})
	}
	return connect.NewResponse(&pb.ReadSceneResponse{Scene: scene, Notes: notes}), nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// readFiles returns the keys of the scene among some files or, where none is one, of the map that begins them.
func readFiles(files []*pb.File) (keys map[string]any, notes []string, err error) {
	var sceneErr error
	for _, f := range files {
		scene, err := nav2d.ReadScene(bytes.NewReader(f.GetContent()))
		if err == nil {
			return loadedScene(scene, f.GetContent(), files)
		}
		sceneErr = cmp.Or(sceneErr, err)
	}
	if keys, notes, err = readMap(files); err != nil && isYAML(files[0].GetName()) && len(files) == 1 {
		err = sceneErr // of a file that is as likely a scene
	}
	return keys, notes, err
}

// loadedScene returns the keys of a scene with what the files that it names hold in their place: obstacles
// of its map, robots of its team, points of its places.
func loadedScene(scene *nav2d.Scene, text []byte, files []*pb.File) (keys map[string]any, notes []string, err error) {
	if keys, err = readKeys(string(text)); err != nil {
		return nil, nil, err
	}
	if err := scene.LoadMap(opener(files)); err != nil {
		return nil, nil, err
	}
	if k := scene.Map; k.File != "" {
		m, err := maps.Read(opener(files), k.File, maps.Options{Unknown: k.Unknown, Doors: k.Doors, Level: k.Level, Outline: k.Kind})
		if err != nil {
			return nil, nil, err
		}
		before, _ := keys["polygons"].([]any)
		keys["polygons"], notes = append(before, polygonsOf(m)...), m.Notes
		keys["bounds"], keys["units"] = map[string]any{"min": numbers(scene.Bounds.Min), "max": numbers(scene.Bounds.Max)}, scene.Units
	}
	delete(keys, "map") // also where it names places alone, which are points now
	delete(keys, "team")
	robots, _ := keys["robots"].([]any)
	for i, r := range scene.Robots {
		if i == len(robots) { // of the team
			robots = append(robots, robotKeys(r))
		}
		if robot, ok := robots[i].(map[string]any); ok {
			robot["start"], robot["goal"] = numbers(r.Start.At), numbers(r.Goal.At)
		}
	}
	if robots != nil {
		keys["robots"] = robots
	}
	return keys, notes, nil
}

// robotKeys returns the keys of a robot of a team but for its places.
func robotKeys(r nav2d.Robot) map[string]any {
	keys := map[string]any{"name": r.Name}
	if r.Model != "" {
		keys["model"] = r.Model
	}
	for key, v := range map[string]*float64{"radius": r.Radius, "speed": r.Speed, "acceleration": r.Acceleration} {
		if v != nil {
			keys[key] = *v
		}
	}
	return keys
}

func numbers(of []float64) (out []any) {
	for _, v := range of {
		out = append(out, v)
	}
	return out
}

// opener returns what opens the files of a request, and no others.
func opener(files []*pb.File) func(name string, most int64) ([]byte, error) {
	return func(name string, most int64) ([]byte, error) {
		for _, f := range files {
			if f.GetName() == name && int64(len(f.GetContent())) <= most {
				return f.GetContent(), nil
			}
		}
		return nil, &fieldError{"files", fmt.Sprintf("without %q", name), "which the scene or the map refers to: send it too"}
	}
}

// readMap returns the keys of a scene with the obstacles of a map.
func readMap(files []*pb.File) (keys map[string]any, notes []string, err error) {
	m, err := maps.Read(opener(files), files[0].GetName(), maps.Options{})
	if errors.Is(err, fs.ErrNotExist) {
		err = &fieldError{"files", err, "want every file that the map refers to"}
	}
	if err != nil {
		return nil, nil, err
	}
	b := m.Bounds
	keys = map[string]any{
		"units": m.Units, "polygons": polygonsOf(m),
		"bounds": map[string]any{"min": []any{b.Min.X, b.Min.Y}, "max": []any{b.Max.X, b.Max.Y}},
	}
	return keys, m.Notes, nil
}

// polygonsOf returns the obstacles of a map as a scene has them.
func polygonsOf(m *maps.Map) []any {
	polygons := []any{}
	for _, o := range m.Obstacles {
		points := []any{}
		for _, p := range o {
			points = append(points, []any{p.X, p.Y})
		}
		polygons = append(polygons, map[string]any{"points": points})
	}
	return polygons
}
