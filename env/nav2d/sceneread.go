package nav2d

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-pcd/pcd/internal/yamlfile"
)

// MaxSceneBytes is the size of the largest scene file: reading one takes seconds and a
// gigabyte. Walls that are more belong into the file of a map.
const MaxSceneBytes = 4 << 20

const sceneKeysHelp = "a scene has name, units, map or map {file, unknown, doors, level, kind, places}, model, pattern, duration, motion, margin, lateness, acceleration, bounds {min, max}, boxes {center, size, radius, angle}, " +
	"circles {center, radius}, polygons {points}, traffic {name, radius, path} and robots {name, start, goal, radius, speed, model, " +
	"acceleration, start_velocity, goal_velocity, turn_rate, turning_radius, start_heading, goal_heading}, team {file, count, radius, speed, acceleration}"

// SceneError says where a scene file cannot be read. Line and Column count from
// 1; they are 0 when the file as a whole is at fault.
type SceneError struct {
	Line, Column int
	Message      string
}

func (e *SceneError) Error() string {
	if e.Line == 0 {
		return "nav2d: scene: " + e.Message
	}
	return fmt.Sprintf("nav2d: scene: line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// ReadScene reads a scene from YAML without anchors, aliases and merge keys. Unknown
// and repeated keys are errors, and files of other kinds that people have are told by
// what they are. The values are checked by [Scene.Task], not here.
func ReadScene(r io.Reader) (*Scene, error) {
	scene := &Scene{}
	var text strings.Builder
	err := yamlfile.Decode(io.TeeReader(r, &text), scene, yamlfile.Options{MaxBytes: MaxSceneBytes, Strict: true, Help: sceneKeysHelp})
	var broken *yamlfile.Error
	switch {
	case err == nil:
		return scene, nil
	case errors.Is(err, yamlfile.ErrEmpty):
		return nil, &SceneError{Message: "the file is empty; " + sceneKeysHelp}
	case errors.As(err, &broken):
		if words := recognised(text.String()); words != "" {
			return nil, &SceneError{Message: words}
		}
		return nil, &SceneError{Line: broken.Line, Column: broken.Column, Message: broken.Message}
	}
	return nil, fmt.Errorf("nav2d: scene: %w", err)
}
