package push

import (
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

// A description decides about no memory before it has been compared with the tensors:
// whatever sizes it names, opening the file fails in memory that the file bounds.
func TestDescriptionsAreComparedFirst(t *testing.T) {
	m := goldenModel(t)
	text, err := json.Marshal(m.Spec)
	if err != nil {
		t.Fatal(err)
	}
	tensors := tensorsOf(t, m, "")
	for _, c := range []struct{ what, old, new string }{
		{"widths", `"widths":[32,64,128]`, `"widths":[8000000000,64,128]`},
		{"seventy widths", `"widths":[32,64,128]`, `"widths":[` + strings.Repeat("8,", 69) + `8]`},
		{"no widths", `"widths":[32,64,128]`, `"widths":null`},
		{"kernel", `"kernel":5`, `"kernel":2147483649`},
		{"even kernel", `"kernel":5`, `"kernel":4`},
		{"no kernel", `"kernel":5`, `"kernel":0`},
		{"time", `"time":32`, `"time":1099511627776`},
		{"large time", `"time":32`, `"time":1048576`},
		{"groups", `"groups":8`, `"groups":1099511627776`},
		{"no groups", `"groups":8`, `"groups":-1`},
		{"steps", `"steps":32`, `"steps":1000000000`},
		{"no steps", `"steps":32`, `"steps":0`},
	} {
		description := strings.Replace(string(text), c.old, c.new, 1)
		if description == string(text) {
			t.Fatalf("%s: %q is not in %s", c.what, c.old, text)
		}
		for _, sd := range []*weights.StateDict{{}, tensors} {
			path := save(t, sd, map[string]string{headerKey: description})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := OpenModel(path)
			runtime.ReadMemStats(&after)
			var refused *ModelError
			if !errors.As(err, &refused) || len(err.Error()) > 10000 {
				t.Errorf("%s with %d tensors: %v, want a *ModelError", c.what, sd.Len(), err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
				t.Errorf("%s with %d tensors takes %d bytes", c.what, sd.Len(), used)
			}
		}
	}
}
