package pyjson_test

import (
	"encoding/json"
	"testing"

	"github.com/go-pcd/pcd/internal/pyjson"
)

func TestStandard(t *testing.T) {
	for in, want := range map[string]string{
		`{"a": -Infinity, "b": [NaN,Infinity]}`: `{"a": "-Infinity", "b": ["NaN","Infinity"]}`,
		`{"a NaN": "Infinity \" NaN", "b": 1}`:  `{"a NaN": "Infinity \" NaN", "b": 1}`,
		`-Infinity`:                             `"-Infinity"`,
		``:                                      ``,
		`"\\": NaN`:                             `"\\": "NaN"`,
	} {
		if got := string(pyjson.Standard([]byte(in))); got != want {
			t.Errorf("Standard(%s) = %s, want %s", in, got, want)
		}
	}
}

// FuzzStandard wants valid JSON to come back as it is.
func FuzzStandard(f *testing.F) {
	f.Add([]byte(`{"a": [1, "NaN", "x\"Infinity"]}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if got := pyjson.Standard(in); json.Valid(in) && string(got) != string(in) {
			t.Errorf("Standard(%q) = %q, want it unchanged", in, got)
		}
	})
}
