package serve

import (
	"encoding/json"
	"maps"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/yamlfile"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// sceneKeys are the keys of a scene and the files that it names.
type sceneKeys struct {
	keys  map[string]any
	files []*pb.File
}

// keysOf returns the keys of a scene that has been checked.
func keysOf(text string, files []*pb.File) (sceneKeys, error) {
	keys, err := readKeys(text)
	return sceneKeys{keys, files}, err
}

// readKeys reads the text of a scene as scenes are read: without a byte-order mark, and with an error where the decoder panics.
func readKeys(text string) (map[string]any, error) {
	keys := map[string]any{}
	err := yamlfile.Decode(strings.NewReader(text), &keys, yamlfile.Options{MaxBytes: nav2d.MaxSceneBytes})
	return keys, err
}

// obstacleKeys are those that an update may replace.
var obstacleKeys = []string{"boxes", "circles", "polygons", "traffic"}

// with returns the scene with other obstacles.
func (s sceneKeys) with(obstacles *structpb.Struct) (sceneKeys, error) {
	out := sceneKeys{maps.Clone(s.keys), s.files}
	for _, key := range obstacleKeys {
		delete(out.keys, key)
	}
	for key, value := range obstacles.AsMap() {
		found := false
		for _, known := range obstacleKeys {
			found = found || key == known
		}
		if !found {
			return out, &fieldError{"obstacles.scene", key, "want boxes, circles, polygons and traffic"}
		}
		out.keys[key] = value
	}
	return out, nil
}

// task returns the task of the scene, wherever its robots are.
func (s sceneKeys) task() (*nav2d.Task, error) {
	text, err := json.Marshal(s.keys)
	if err != nil {
		return nil, err
	}
	scene, err := nav2d.ReadScene(strings.NewReader(string(text)))
	if err == nil {
		err = scene.LoadMap(opener(s.files))
	}
	var task *nav2d.Task
	if err == nil {
		task, err = scene.Workspace()
	}
	if err != nil {
		return nil, &planner.RequestError{Field: "scene", Value: "scene", Err: err}
	}
	return task, nil
}
