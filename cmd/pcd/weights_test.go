package main

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// safetensors returns a file with a header and tensors of the given bytes.
func safetensors(header string, data []byte) string {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return string(append(append(b, header...), data...))
}

// The exit codes of "pcd weights convert": 2 for what cannot be meant, 13 for what
// cannot be read or written, 1 for numbers that do not fit.
func TestConvertExitCodes(t *testing.T) {
	one := binary.LittleEndian.AppendUint64(nil, math.Float64bits(1e300))
	in := file(t, "in.safetensors", safetensors(`{"a":{"dtype":"F64","shape":[1],"data_offsets":[0,8]}}`, one))
	out := filepath.Join(t.TempDir(), "out.safetensors")
	for what, c := range map[string]struct {
		args    []string
		code    int
		message string
	}{
		"kept as it is":  {[]string{in, out}, exitOK, ""},
		"too large":      {[]string{in, out, "--dtype", "f16"}, exitRuntime, "too large for float16"},
		"another format": {[]string{in, "out.pth"}, exitUsage, "ends in .safetensors"},
		"unknown type":   {[]string{in, out, "--dtype", "i8"}, exitUsage, "--dtype"},
		"one argument":   {[]string{in}, exitUsage, "IN OUT"},
		"no input":       {[]string{in + "x", out}, exitMissing, "no such file"},
		"no folder":      {[]string{in, filepath.Join(t.TempDir(), "no", "out.safetensors")}, exitMissing, "cannot be written"},
		"below a file":   {[]string{in, filepath.Join(in, "out.safetensors")}, exitUsage, "cannot be written"},
	} {
		code, _, stderr := invoke(t, append([]string{"weights", "convert"}, c.args...)...)
		if code != c.code || !strings.Contains(stderr, c.message) {
			t.Errorf("%s: exit code %d, want %d: %s", what, code, c.code, stderr)
		}
	}
}

// Names in a file cannot steer the terminal.
func TestNamesOfTensorsAreQuoted(t *testing.T) {
	header := `{"\u001b]0;x\u0007\n\u009b2J":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"plain":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}`
	in := file(t, "in.safetensors", safetensors(header, []byte{1, 2}))
	out := must(t, "weights", "inspect", in)
	if strings.ContainsAny(out, "\x1b\a\u009b") || !strings.Contains(out, `"\x1b]0;x\a\n\u009b2J"`) || !strings.Contains(out, "\nplain ") {
		t.Errorf("weights inspect prints %q", out)
	}
	out = must(t, "weights", "convert", in, filepath.Join(t.TempDir(), "out.safetensors"), "--prefix", "p")
	if bytes.ContainsAny([]byte(out), "\x1b\a\u009b") || !strings.Contains(out, `left out: "\x1b`) {
		t.Errorf("weights convert prints %q", out)
	}
}

// A model folder is shown part by part, and a part that does not fit its settings is an
// error that names the tensors.
func TestInspectFolder(t *testing.T) {
	dir := t.TempDir()
	put := func(path, content string) {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("model_index.json", `{"_class_name": "StableDiffusionPipeline", "text_encoder": ["transformers", "CLIPTextModel"], "scheduler": ["diffusers", "DDIM\u001b[2J"]}`)
	put("scheduler/scheduler_config.json", `{}`)
	put("text_encoder/config.json", `{"hidden_size": 8, "intermediate_size": 8, "num_attention_heads": 1, "num_hidden_layers": 1, "hidden_act": "gelu", "vocab_size": 4, "max_position_embeddings": 2}`)
	code, out, stderr := invoke(t, "weights", "inspect", dir)
	if !strings.Contains(out, "2 parts of a StableDiffusionPipeline") || !strings.Contains(out, "20 tensors") || strings.Contains(out, "\x1b") {
		t.Errorf("weights inspect prints %q", out)
	}
	if code != exitMissing || !strings.Contains(stderr, "text_encoder: has no weights") {
		t.Errorf("a network without weights: exit code %d: %s", code, stderr)
	}
	put("text_encoder/model.safetensors", safetensors(`{"text_model.other":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, make([]byte, 4)))
	code, out, stderr = invoke(t, "weights", "inspect", dir)
	if code != exitRuntime && code != exitUsage || !strings.Contains(out, "refused, see below") {
		t.Errorf("exit code %d, %q", code, out)
	}
	if !strings.Contains(stderr, "missing text_model.embeddings.token_embedding.weight [4 8]") || !strings.Contains(stderr, "unexpected text_model.other [1]") {
		t.Errorf("the error is %q", stderr)
	}
	if code, _, stderr := invoke(t, "weights", "inspect", t.TempDir()); code == exitOK || !strings.Contains(stderr, "model_index.json") {
		t.Errorf("an empty folder: exit code %d: %s", code, stderr)
	}
}
