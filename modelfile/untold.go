package modelfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/nn"
)

// untoldKeys are numbers that the shapes of tensors do not say: of groups and of heads.
var untoldKeys = []string{"norm_num_groups", "attention_head_dim", "num_attention_heads"}

// untold says of a part of a single file where its settings are looked for, if they are what keeps its network from being
// made: with other numbers of groups and heads, its tensors make one.
func (p *Part) untold(err error) error {
	var cause *nn.ConfigError
	if p.open == nil || p.Settings != p.Path || !errors.As(err, &cause) {
		return err
	}
	var settings map[string]any
	if json.Unmarshal(p.text, &settings) != nil {
		return err
	}
	for _, key := range untoldKeys {
		if _, ok := settings[key]; ok {
			settings[key] = 1
		}
	}
	other := *p
	var failed error
	if other.text, failed = json.Marshal(settings); failed != nil {
		return err
	}
	net, failed := networks[p.Class].build(&other)
	if failed != nil {
		return err
	}
	sd, failed := p.Open()
	if failed != nil {
		return err
	}
	defer sd.Close()
	if p.check(net, sd) != nil {
		return err
	}
	return &Error{Path: p.Path, Err: cause, Reason: fmt.Sprintf(
		"does not hold the settings of its %s, which do not follow from its shapes: want %s/%s of the model beside it, or in a folder that pcd image convert --settings names", p.Name, p.Name, settingsFiles[0])}
}

// maxSingles bounds how many files of a folder without a model are tried.
const maxSingles = 8

// singles lists the files in a folder that are whole models, each of which may be named in its place.
func singles(dir string) (files []string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	tried := 0
	for _, e := range entries {
		if !slices.Contains([]string{".safetensors", ".ckpt", ".gguf"}, filepath.Ext(e.Name())) || e.IsDir() || tried == maxSingles {
			continue
		}
		tried++
		file := filepath.Join(dir, e.Name())
		if f, err := OpenSingle(file, dir); err == nil && f.whole() {
			files = append(files, file)
		}
	}
	return files
}

// whole reports whether there is all that pictures are drawn with.
func (f *Folder) whole() bool {
	for _, name := range []string{"unet", "vae"} {
		if _, err := f.Part(name); err != nil {
			return false
		}
	}
	return true
}

// inOneFile returns what to name in the place of a folder without a model: the file of one in it, or nothing.
func inOneFile(dir string) string {
	files := singles(dir)
	if len(files) == 0 {
		return ""
	}
	return fmt.Sprintf(", but a model in one file: name %s in its place", quote.List(files, maxSingles))
}
