package nav2d

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/goccy/go-yaml"
)

// Limits on scene files; the YAML reader needs time that grows with the square
// of either.
const (
	maxSceneBytes = 64 << 10
	maxSceneDepth = 16
)

// sceneKeys are the keys of scene files, for suggestions.
var sceneKeys = []string{"name", "map", "model", "pattern", "duration", "bounds", "min", "max",
	"boxes", "circles", "robots", "center", "size", "radius", "start", "goal", "speed"}

const sceneKeysHelp = "a scene has name, map, model, pattern, duration, bounds {min, max}, boxes {center, size, radius}, " +
	"circles {center, radius} and robots {name, start, goal, radius, speed, model}"

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

// ReadScene reads a scene from YAML. Unknown and repeated keys are errors. The
// values are checked by [Scene.Task], not here.
func ReadScene(r io.Reader) (*Scene, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxSceneBytes+1))
	if err != nil {
		return nil, fmt.Errorf("nav2d: scene: %w", err)
	}
	if len(data) > maxSceneBytes {
		return nil, &SceneError{Message: fmt.Sprintf("the file is larger than %d KiB", maxSceneBytes>>10)}
	}
	if err := checkDepth(data); err != nil {
		return nil, err
	}
	return decodeScene(data)
}

// checkDepth bounds the nesting of brackets.
func checkDepth(data []byte) error {
	depth, line, column := 0, 1, 0
	for _, c := range data {
		column++
		switch c {
		case '\n':
			line, column = line+1, 0
		case '[', '{':
			if depth++; depth > maxSceneDepth {
				return &SceneError{Line: line, Column: column, Message: fmt.Sprintf("brackets are nested more than %d deep", maxSceneDepth)}
			}
		case ']', '}':
			depth--
		}
	}
	return nil
}

func decodeScene(data []byte) (scene *Scene, err error) {
	defer func() { // the decoder panics on some malformed input
		if r := recover(); r != nil {
			scene, err = nil, &SceneError{Message: fmt.Sprintf("not YAML: %v", r)}
		}
	}()
	decoder := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict())
	scene = &Scene{}
	if err := decoder.Decode(scene); errors.Is(err, io.EOF) {
		return nil, &SceneError{Message: "the file is empty; " + sceneKeysHelp}
	} else if err != nil {
		return nil, sceneError(err)
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return nil, &SceneError{Message: "the file holds more than one document"}
	}
	return scene, nil
}

// sceneError gives an error of the decoder its position, and a misspelt key the
// one that was probably meant.
func sceneError(err error) error {
	var y yaml.Error
	if !errors.As(err, &y) || y.GetToken() == nil {
		return &SceneError{Message: err.Error()}
	}
	token := y.GetToken()
	out := &SceneError{Line: token.Position.Line, Column: token.Position.Column, Message: y.GetMessage()}
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		out.Message = fmt.Sprintf("unknown key %q", token.Value)
		if near := mostAlike(token.Value, sceneKeys); near != "" {
			out.Message += fmt.Sprintf(", did you mean %q?", near)
		} else {
			out.Message += "; " + sceneKeysHelp
		}
	}
	return out
}
