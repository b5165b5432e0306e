package pcdv1

import _ "embed"

// OpenAPI describes the calls in plain JSON, in the format of OpenAPI 3.1.
//
//go:embed openapi.json
var OpenAPI []byte
