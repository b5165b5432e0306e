package modelfile_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// What does not fit is named, with what was expected.
func TestFolderRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("what is refused before anything is computed")
	}
	for what, c := range map[string]struct {
		change func(t *testing.T, dir string)
		part   string
		cause  func(error) bool
		says   string
	}{
		"missing and additional tensors": {func(t *testing.T, dir string) {
			sd, err := stored(t, vae(t)).Rename(weights.KeyMap{weights.Rename("encoder.conv_in.weight", "encoder.conv_new.weight")})
			if err != nil {
				t.Fatal(err)
			}
			save(t, sd, dir, "vae", "diffusion_pytorch_model.safetensors") // preferred
		}, "vae", as[*weights.LoadError], "missing encoder.conv_in.weight [8 3 3 3]\n  unexpected encoder.conv_new.weight [8 3 3 3]"},
		"another width": {settings("unet", unetSettings, `[8, 16]`, `[8, 32]`), "unet", as[*weights.LoadError], "want [32"},
		"contradiction": {settings("unet", unetSettings, `, "DownBlock2D"]`, `]`), "unet", as[*nn.ConfigError], "down_block_types"},
		"truncated":     {settings("unet", unetSettings, unetSettings[100:], ``), "unet", as[*json.SyntaxError], "config.json"},
		"another class": {settings("vae", vaeSettings, `AutoencoderKL`, `UNet2DModel`), "vae", as[*nn.ConfigError], "_class_name"},
		"giant":         {settings("text_encoder", textSettings, `"hidden_size": 16`, `"hidden_size": 1600000000`), "text_encoder", as[*nn.ConfigError], "hidden_size"},
		"large":         {settings("text_encoder", textSettings, `"vocab_size": 20`, `"vocab_size": 1000000`), "text_encoder", as[*weights.LoadError], "want [1000000 16]"},
		"no settings":   {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "unet", "config.json")) }, "unet", func(err error) bool { return errors.Is(err, fs.ErrNotExist) }, "config.json"},
		"no file":       {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "unet", "b.safetensors")) }, "unet", as[*weights.FormatError], "b.safetensors"},
		"no weights": {func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "text_encoder", "model.safetensors")) }, "text_encoder",
			func(err error) bool { return errors.Is(err, fs.ErrNotExist) }, "has no weights"},
		"cut off": {func(t *testing.T, dir string) {
			write(t, []byte("x"), dir, "vae", "diffusion_pytorch_model.safetensors")
		}, "vae", as[*weights.FormatError], "unknown format"},
	} {
		dir := folder(t)
		c.change(t, dir)
		s, err := modelfile.InspectFolder(dir)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if err := s.Err(); err == nil || !c.cause(err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", what, err, c.says)
		}
		for _, p := range s.Parts {
			if (p.Problem != "") != (p.Name == c.part) {
				t.Errorf("%s: problem of %s: %q", what, p.Name, p.Problem)
			}
		}
		f, err := modelfile.OpenFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Part(c.part)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(); err == nil || !c.cause(err) {
			t.Errorf("%s: Check = %v", what, err)
		}
	}
}

// settings changes the settings of a part.
func settings(part, text, old, new string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		t.Helper()
		changed := strings.Replace(text, old, new, 1)
		if changed == text {
			t.Fatalf("%q is not in %s", old, text)
		}
		write(t, []byte(changed), dir, part, "config.json")
	}
}

func TestNoFolder(t *testing.T) {
	with := func(name, text string) string {
		dir := t.TempDir()
		write(t, []byte(text), dir, name)
		return dir
	}
	for what, c := range map[string]struct{ dir, says string }{
		"empty":       {t.TempDir(), "model_index.json"},
		"absent":      {filepath.Join(t.TempDir(), "x"), "x"},
		"broken":      {with("model_index.json", `{"unet": [`), "JSON"},
		"no parts":    {with("model_index.json", `{"_class_name": "X", "unet": [null, null]}`), "names 0 parts"},
		"absent part": {with("model_index.json", `{"unet": ["diffusers", "UNet2DConditionModel"]}`), "unet"},
		"above":       {with("model_index.json", `{"../unet": ["diffusers", "UNet2DConditionModel"]}`), "not the name of a folder"},
		"large":       {with("model_index.json", `{"a": "`+strings.Repeat("x", 2<<20)+`"}`), "at most"},
		"class":       {with("model_index.json", `{"_class_name": 3}`), "_class_name"},
	} {
		_, err := modelfile.OpenFolder(c.dir)
		var refused *modelfile.Error
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a *modelfile.Error that says %q", what, err, c.says)
		}
	}
	dir := with("config.json", vaeSettings)
	s, err := modelfile.InspectFolder(dir)
	if err != nil || len(s.Parts) != 1 || s.Parts[0].Class != "AutoencoderKL" || s.Parts[0].Expected == "" {
		t.Errorf("a folder of one network: %+v, %v", s, err)
	}
}
