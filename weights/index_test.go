package weights_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

// shards writes an index and the two files that it names.
func shards(t *testing.T, index string) string {
	t.Helper()
	dir := t.TempDir()
	for name, sd := range map[string]*weights.StateDict{
		"model-1.safetensors": dict(t, weights.New("a", []int{2}, []float32{1, 2}), weights.New("b", nil, []float32{3})),
		"model-2.safetensors": dict(t, weights.New("c", []int{1}, []float32{4})),
	} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := weights.WriteSafetensors(f, sd, nil); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	path := filepath.Join(dir, "model.safetensors.index.json")
	if err := os.WriteFile(path, []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const goodIndex = `{"metadata": {"total_size": 16}, "weight_map": {"c": "model-2.safetensors", "a": "model-1.safetensors", "b": "model-1.safetensors"}}`

func TestIndex(t *testing.T) {
	path := shards(t, goodIndex)
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "shards", sd, dict(t, weights.New("a", []int{2}, []float32{1, 2}), weights.New("b", nil, []float32{3}), weights.New("c", []int{1}, []float32{4})))
	s, err := sd.Summary(path)
	if err != nil || s.FileBytes <= 16 || s.Elements != 4 {
		t.Errorf("summary %+v, %v", s, err)
	}
	x, _ := sd.Tensor("c")
	if err := sd.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Float32s(nil); !errors.Is(err, weights.ErrClosed) {
		t.Errorf("after Close: %v, want ErrClosed", err)
	}
}

func TestIndexRefused(t *testing.T) {
	for what, c := range map[string]struct{ old, new, reason string }{
		"missing tensor":    {`"a":`, `"d": "model-1.safetensors", "a":`, "tensor d: is missing"},
		"additional tensor": {`, "b": "model-1.safetensors"`, ``, "tensor b: is in this file"},
		"wrong file":        {`"b": "model-1`, `"b": "model-2`, "tensor b: is in this file"},
		"missing file":      {`model-2`, `model-3`, "model-3"},
		"above":             {`"c": "model-2.safetensors"`, `"c": "../model-2.safetensors"`, "beside the index"},
		"absolute":          {`"c": "model-2.safetensors"`, `"c": "/etc/passwd"`, "beside the index"},
		"below":             {`"c": "model-2.safetensors"`, `"c": "x/model-2.safetensors"`, "beside the index"},
		"invisible":         {`"c": "model-2.safetensors"`, `"c": "\u001b[2J"`, "beside the index"},
		"itself":            {`"c": "model-2.safetensors"`, `"c": "model.safetensors.index.json"`, "model.safetensors.index.json"},
		"truncated":         {goodIndex[60:], ``, "is no index"},
		"numbers":           {`"model-2.safetensors"`, `2`, "is no index"},
		"empty":             {goodIndex, `{}`, "names 0 files"},
		"escape":            {`"a":`, `"\u001b[2J": "model-1.safetensors", "a":`, `"\x1b[2J"`},
	} {
		index := strings.Replace(goodIndex, c.old, c.new, 1)
		_, err := weights.Open(shards(t, index), weights.Options{})
		var refused *weights.IndexError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.reason) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, want a *weights.IndexError that says %q", what, err, c.reason)
		}
		if errors.Is(err, fs.ErrNotExist) != (what == "missing file") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
