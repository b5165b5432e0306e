package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"

	"google.golang.org/protobuf/compiler/protogen"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/pluginpb"
)

// object is an object of JSON, whose keys are written in order.
type object = map[string]any

// openAPI returns the description of the calls in plain JSON: OpenAPI 3.1, in which schemas
// are those of JSON Schema.
func openAPI(request *pluginpb.CodeGeneratorRequest) ([]byte, error) {
	plugin, err := protogen.Options{}.New(request)
	if err != nil {
		return nil, err
	}
	d := &document{schemas: object{}, paths: object{}}
	d.schemas["Error"] = errorSchema
	for _, f := range plugin.Files {
		if !f.Generate {
			continue
		}
		for _, s := range f.Services {
			for _, m := range s.Methods {
				d.addCall(s, m)
			}
		}
		for _, m := range f.Messages { // also those that only details and streams have
			d.refer(m)
		}
	}
	for path, get := range plainPaths {
		d.paths[path] = object{"get": get}
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err = e.Encode(object{
		"openapi": "3.1.0",
		"info": object{"title": "pcd", "version": "v1", "license": object{"name": "MIT", "identifier": "MIT"},
			"description": "Plans for teams of robots, certified in continuous time. Calls are POST requests with JSON. The same calls at the same address speak gRPC and gRPC-Web; calls that stream have envelopes, as of the Connect protocol, and are left to its clients."},
		"paths":      d.paths,
		"components": object{"schemas": d.schemas, "securitySchemes": object{"token": object{"type": "http", "scheme": "bearer"}}},
		"security":   []any{object{}, object{"token": []any{}}},
	})
	return out.Bytes(), err
}

// document is what is described so far.
type document struct{ schemas, paths object }

// addCall describes a call, unless it streams.
func (d *document) addCall(s *protogen.Service, m *protogen.Method) {
	if m.Desc.IsStreamingServer() || m.Desc.IsStreamingClient() {
		return
	}
	call := object{
		"operationId": string(m.Desc.Name()), "tags": []any{string(s.Desc.Name())},
		"requestBody": object{"required": true, "content": content(d.refer(m.Input))},
		"responses": object{
			"200":     object{"description": "The answer.", "content": content(d.refer(m.Output))},
			"default": object{"description": "Why there is none.", "content": content(object{"$ref": "#/components/schemas/Error"})},
		},
	}
	describe(call, m.Comments)
	d.paths["/"+string(s.Desc.FullName())+"/"+string(m.Desc.Name())] = object{"post": call}
}

func content(schema object) object { return object{"application/json": object{"schema": schema}} }

// describe adds the comment of the schema.
func describe(to object, c protogen.CommentSet) {
	text := strings.TrimSpace(string(c.Leading) + string(c.Trailing))
	if text != "" {
		lines := strings.Split(text, "\n")
		for i := range lines {
			lines[i] = strings.TrimSpace(lines[i])
		}
		to["description"] = strings.Join(lines, " ")
	}
}

// wellKnown are messages that have a form of their own in JSON.
var wellKnown = map[protoreflect.FullName]object{
	"google.protobuf.Struct":    {"type": "object"},
	"google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
}

// refer returns a reference to the schema of a message, which it adds with those that it has.
func (d *document) refer(m *protogen.Message) object {
	if own := wellKnown[m.Desc.FullName()]; own != nil {
		return own
	}
	name := string(m.Desc.Name())
	ref := object{"$ref": "#/components/schemas/" + name}
	if d.schemas[name] != nil {
		return ref
	}
	properties := object{}
	schema := object{"type": "object", "properties": properties, "additionalProperties": false}
	d.schemas[name] = schema
	describe(schema, m.Comments)
	for _, f := range m.Fields {
		v := object{}
		switch {
		case f.Desc.IsMap():
			v = object{"type": "object", "additionalProperties": d.field(f.Message.Fields[1])}
		case f.Desc.IsList():
			v = object{"type": "array", "items": d.field(f)}
		default:
			v = d.field(f)
		}
		v = maps.Clone(v) // those of messages of a form of their own are shared
		describe(v, f.Comments)
		properties[string(f.Desc.Name())] = v
	}
	return ref
}

// field returns the schema of a value of a field.
func (d *document) field(f *protogen.Field) object {
	switch f.Desc.Kind() {
	case protoreflect.MessageKind:
		return d.refer(f.Message)
	case protoreflect.BoolKind:
		return object{"type": "boolean"}
	case protoreflect.Int32Kind, protoreflect.Uint32Kind:
		return object{"type": "integer", "format": f.Desc.Kind().String()}
	case protoreflect.Int64Kind, protoreflect.Uint64Kind: // beyond the integers of JSON: answers have texts
		return object{"type": []any{"string", "integer"}, "format": f.Desc.Kind().String()}
	case protoreflect.FloatKind:
		return object{"type": "number", "format": "float"}
	case protoreflect.DoubleKind:
		return object{"type": "number", "format": "double"}
	case protoreflect.BytesKind:
		return object{"type": "string", "contentEncoding": "base64"}
	}
	return object{"type": "string"}
}

// errorSchema is the form of errors.
var errorSchema = object{
	"type": "object", "description": "The status of the answer says the same as the code. The debug value of a detail is a Refusal.",
	"properties": object{
		"code": object{"type": "string"}, "message": object{"type": "string"},
		"details": object{"type": "array", "items": object{"type": "object", "properties": object{
			"type": object{"type": "string"}, "value": object{"type": "string", "contentEncoding": "base64"}, "debug": object{"$ref": "#/components/schemas/Refusal"},
		}}},
	},
}

// plainPaths are those that are no calls.
var plainPaths = object{
	"/jobs/{id}/{name}": object{
		"operationId": "JobFile", "tags": []any{"JobService"}, "description": "A file that a job has written. Names may have slashes.",
		"parameters": []any{parameter("id"), parameter("name")},
		"responses":  object{"200": object{"description": "The file.", "content": object{"application/octet-stream": object{}}}, "404": object{"description": "There is none."}},
	},
	"/live":  object{"operationId": "Live", "description": "Whether the service runs.", "responses": object{"200": object{"description": "It does."}}},
	"/ready": object{"operationId": "Ready", "description": "Whether it takes requests.", "responses": object{"200": object{"description": "It does."}, "503": object{"description": "It is ending."}}},
}

func parameter(name string) object {
	return object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
}
