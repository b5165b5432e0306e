package messages

import (
	"encoding/json"
	"reflect"
	"strings"
)

// The schemas of Foxglove, as far as they are written. All keys are wanted, arrays may be
// empty.
type (
	foxTime struct {
		Sec  int64 `json:"sec"`
		Nsec int64 `json:"nsec"`
	}
	foxVector struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
		Z float64 `json:"z"`
	}
	foxQuaternion struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
		Z float64 `json:"z"`
		W float64 `json:"w"`
	}
	foxPose struct {
		Position    foxVector     `json:"position"`
		Orientation foxQuaternion `json:"orientation"`
	}
	foxColor struct {
		R float64 `json:"r"`
		G float64 `json:"g"`
		B float64 `json:"b"`
		A float64 `json:"a"`
	}
	foxTransform struct {
		Timestamp   foxTime       `json:"timestamp"`
		Parent      string        `json:"parent_frame_id"`
		Child       string        `json:"child_frame_id"`
		Translation foxVector     `json:"translation"`
		Rotation    foxQuaternion `json:"rotation"`
	}
	foxTransforms struct {
		Transforms []foxTransform `json:"transforms"`
	}
	foxPoses struct {
		Timestamp foxTime   `json:"timestamp"`
		Frame     string    `json:"frame_id"`
		Poses     []foxPose `json:"poses"`
	}
	foxKeyValue struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	foxCylinder struct {
		Pose   foxPose   `json:"pose"`
		Size   foxVector `json:"size"`
		Bottom float64   `json:"bottom_scale"`
		Top    float64   `json:"top_scale"`
		Color  foxColor  `json:"color"`
	}
	foxLine struct {
		Type           int         `json:"type"` // 0 strip, 1 loop, 2 list
		Pose           foxPose     `json:"pose"`
		Thickness      float64     `json:"thickness"`
		ScaleInvariant bool        `json:"scale_invariant"`
		Points         []foxVector `json:"points"`
		Color          foxColor    `json:"color"`
		Colors         []foxColor  `json:"colors"`
		Indices        []int       `json:"indices"`
	}
	foxTriangles struct {
		Pose    foxPose     `json:"pose"`
		Points  []foxVector `json:"points"`
		Color   foxColor    `json:"color"`
		Colors  []foxColor  `json:"colors"`
		Indices []int       `json:"indices"`
	}
	foxText struct {
		Pose           foxPose  `json:"pose"`
		Billboard      bool     `json:"billboard"`
		FontSize       float64  `json:"font_size"`
		ScaleInvariant bool     `json:"scale_invariant"`
		Color          foxColor `json:"color"`
		Text           string   `json:"text"`
	}
	foxNothing struct{} // primitives that are not written
	foxEntity  struct {
		Timestamp   foxTime        `json:"timestamp"`
		Frame       string         `json:"frame_id"`
		ID          string         `json:"id"`
		Lifetime    foxTime        `json:"lifetime"`
		FrameLocked bool           `json:"frame_locked"`
		Metadata    []foxKeyValue  `json:"metadata"`
		Arrows      []foxNothing   `json:"arrows"`
		Cubes       []foxNothing   `json:"cubes"`
		Spheres     []foxNothing   `json:"spheres"`
		Cylinders   []foxCylinder  `json:"cylinders"`
		Lines       []foxLine      `json:"lines"`
		Triangles   []foxTriangles `json:"triangles"`
		Texts       []foxText      `json:"texts"`
		Models      []foxNothing   `json:"models"`
	}
	foxScene struct {
		Deletions []foxNothing `json:"deletions"`
		Entities  []foxEntity  `json:"entities"`
	}
	// clearance is a schema of this program: how far robots are from each other.
	clearance struct {
		Timestamp  foxTime  `json:"timestamp"`
		Separation *float64 `json:"separation"` // of a robot from the nearest other one or traffic, rim to rim; null for one alone
		Obstacles  *float64 `json:"obstacles"`  // between a robot and the nearest obstacle; null without any
		Margin     float64  `json:"margin"`     // that the certificate keeps
	}
)

// newEntity returns an entity with its arrays empty.
func newEntity(id, frame string) foxEntity {
	return foxEntity{
		ID: id, Frame: frame, Metadata: []foxKeyValue{}, Arrows: []foxNothing{}, Cubes: []foxNothing{}, Spheres: []foxNothing{},
		Cylinders: []foxCylinder{}, Lines: []foxLine{}, Triangles: []foxTriangles{}, Texts: []foxText{}, Models: []foxNothing{},
	}
}

// schemaOf returns the JSON schema of a message, from its type.
func schemaOf(title string, message any) ([]byte, error) {
	s := typeSchema(reflect.TypeOf(message))
	s["$schema"], s["title"] = "http://json-schema.org/draft-07/schema#", title
	return json.Marshal(s)
}

func typeSchema(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Pointer:
		return map[string]any{"type": []any{typeSchema(t.Elem())["type"], "null"}}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem())}
	}
	keys, wanted := map[string]any{}, []string{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		keys[name] = typeSchema(t.Field(i).Type)
		wanted = append(wanted, name)
	}
	return map[string]any{"type": "object", "properties": keys, "required": wanted}
}
