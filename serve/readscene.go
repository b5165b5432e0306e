package serve

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"connectrpc.com/connect"
	"github.com/goccy/go-yaml"
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
	first := files[0]
	keys, notes, err := map[string]any(nil), []string(nil), error(nil)
	if scene, sceneErr := readScene(first.GetContent()); sceneErr == nil {
		keys = scene
	} else if keys, notes, err = readMap(files); err != nil {
		if isYAML(first.GetName()) && len(files) == 1 {
			err = sceneErr // of a file that is as likely a scene
		}
		return nil, refuse(err)
	}
	scene, err := structpb.NewStruct(keys)
	if err != nil {
		return nil, refuse(&fieldError{"files", err, "want a scene file"})
	}
	return connect.NewResponse(&pb.ReadSceneResponse{Scene: scene, Notes: notes}), nil
}

func isYAML(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// readScene returns the keys of a scene file.
func readScene(text []byte) (map[string]any, error) {
	if _, err := nav2d.ReadScene(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	keys := map[string]any{}
	err := yaml.Unmarshal(text, &keys)
	return keys, err
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
	polygons := []any{}
	for _, o := range m.Obstacles {
		points := []any{}
		for _, p := range o {
			points = append(points, []any{p.X, p.Y})
		}
		polygons = append(polygons, map[string]any{"points": points})
	}
	b := m.Bounds
	keys = map[string]any{
		"units": m.Units, "polygons": polygons,
		"bounds": map[string]any{"min": []any{b.Min.X, b.Min.Y}, "max": []any{b.Max.X, b.Max.Y}},
	}
	return keys, m.Notes, nil
}
