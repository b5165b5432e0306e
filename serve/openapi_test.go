package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// The description has every call that does not stream, and every name that it refers to.
func TestOpenAPI(t *testing.T) {
	s, url := start(t, Config{})
	r, err := http.Get(url + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || string(text) != string(pb.OpenAPI) {
		t.Fatalf("%d bytes, %v", len(text), err)
	}
	var d struct {
		Paths      map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for path, name := range s.metrics.names {
		if streams := name == "PlanStream" || name == "Watch"; (d.Paths[path] == nil) != streams {
			t.Errorf("%s is described: %v", path, d.Paths[path] != nil)
		}
	}
	for _, part := range strings.Split(string(text), `"#/components/schemas/`)[1:] {
		if name, _, _ := strings.Cut(part, `"`); d.Components.Schemas[name] == nil {
			t.Errorf("no schema %q", name)
		}
	}
}
