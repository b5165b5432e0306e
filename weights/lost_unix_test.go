//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package weights_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/go-pcd/pcd/weights"
)

// large writes a file with a megabyte of zeros.
func large(t *testing.T) string {
	t.Helper()
	var sd weights.StateDict
	if err := sd.Add(weights.New("w", []int{512, 512}, make([]float32, 512*512))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "large.safetensors")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(weights.WriteSafetensors(f, &sd, nil), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A file that is shortened while it is open is an error of whoever reads it then. What was
// copied before stays.
func TestShortenedFiles(t *testing.T) {
	path := large(t)
	for _, read := range []struct {
		what string
		try  func(x weights.Tensor, sd *weights.StateDict) error
	}{
		{"Float32s", func(x weights.Tensor, _ *weights.StateDict) error { _, err := x.Float32s(nil); return err }},
		{"Stored", func(x weights.Tensor, _ *weights.StateDict) error { _, err := x.Stored(); return err }},
		{"NonFinite", func(x weights.Tensor, _ *weights.StateDict) error { _, err := x.NonFinite(); return err }},
		{"Stats", func(x weights.Tensor, _ *weights.StateDict) error { _, err := x.Stats(); return err }},
		{"Load", func(x weights.Tensor, sd *weights.StateDict) error {
			return weights.Load([]weights.Target{{Name: "w", Shape: x.Shape, Data: make([]float32, x.Elements())}}, sd, weights.LoadOptions{})
		}},
		{"Raw", func(x weights.Tensor, _ *weights.StateDict) error {
			return x.Raw(func(raw []byte) error { bytes.Clone(raw); return nil })
		}},
		{"WriteSafetensors", func(_ weights.Tensor, sd *weights.StateDict) error {
			f, err := os.Create(filepath.Join(t.TempDir(), "out"))
			if err != nil {
				return err
			}
			defer f.Close()
			return weights.WriteSafetensors(f, sd, nil)
		}},
		{"As", func(_ weights.Tensor, sd *weights.StateDict) error {
			half, err := sd.As(weights.F16)
			if err == nil {
				_, err = half.Tensors()[0].Float32s(nil)
			}
			return err
		}},
	} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sd, err := weights.Open(path, weights.Options{})
		if err != nil {
			t.Fatal(err)
		}
		x := sd.Tensors()[0]
		before, err := x.Stored()
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, 4096); err != nil {
			t.Fatal(err)
		}
		var format *weights.FormatError
		if err := read.try(x, sd); !errors.Is(err, weights.ErrLost) || !errors.As(err, &format) || format.Path != path {
			t.Errorf("%s of a file that became shorter = %v, want %v with its path", read.what, err, weights.ErrLost)
		}
		for _, b := range before {
			if b != 0 {
				t.Fatalf("%s: the copy has changed", read.what)
			}
		}
		if err := errors.Join(sd.Close(), os.WriteFile(path, whole, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if debug.SetPanicOnFault(false) {
		t.Error("faults of other addresses are panics afterwards")
	}
}

// Panics that have nothing to do with the file go on.
func TestOtherPanicsGoOn(t *testing.T) {
	sd, err := weights.Open(large(t), weights.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sd.Close()
	defer func() {
		if v := recover(); v != "mine" {
			t.Errorf("recovered %v, want the panic of the caller", v)
		}
	}()
	_ = sd.Tensors()[0].Raw(func([]byte) error { panic("mine") })
}
