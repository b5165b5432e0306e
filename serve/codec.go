package serve

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// jsonCodec reads and writes messages as JSON. Unlike that of package connect it refuses
// keys that it does not know: a limit that is misspelt must not be left out. Keys are
// those of the schema, which are those of scenes; zeros are written.
type jsonCodec struct{}

// Name implements [connect.Codec].
func (jsonCodec) Name() string { return "json" }

// Marshal implements [connect.Codec].
func (jsonCodec) Marshal(v any) ([]byte, error) {
	m, ok := v.(proto.Message)
	if !ok {
		return nil, fmt.Errorf("serve: %T is no message", v)
	}
	return protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(m)
}

// depth bounds how deeply a request may be nested: scenes need six.
const depth = 32

// Unmarshal implements [connect.Codec].
func (jsonCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return fmt.Errorf("serve: %T is no message", v)
	}
	if len(data) == 0 {
		return fmt.Errorf("the body is empty, want a JSON object")
	}
	return protojson.UnmarshalOptions{RecursionLimit: depth}.Unmarshal(data, m)
}
