package pair

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/singlefile"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/nn"
)

// Model is a latent diffusion model with its classifiers.
type Model struct {
	*latent.Model
	// Classifier answers questions about latents, and couples images. Judge answers them
	// about pictures. They are nil where the folder has none.
	Classifier, Judge *latent.Classifier
	// Guide answers questions about pictures as the judge does, and couples them in
	// SyncDiffusion. Control steers the network by edges. Both may be nil.
	Guide   *latent.Classifier
	Control *nn.ControlNetXS
}

// The parts of a folder beside those of the diffusion model.
const (
	classifierPart = "classifier"
	judgePart      = "judge"
	guidePart      = "guide"
)

// Beside are the parts of a model that are read where their folders lie in its own, whether model_index.json names them or not.
var Beside = []string{classifierPart, guidePart, judgePart, latent.TinyPart}

// Open reads a model folder: see [latent.Open], and the parts classifier, judge, guide and
// controlnet, if they are there.
func Open(dir string) (*Model, error) {
	base, err := latent.Open(dir)
	if err != nil {
		return nil, unfinished(dir, err)
	}
	m := &Model{Model: base}
	for name, to := range map[string]**latent.Classifier{classifierPart: &m.Classifier, judgePart: &m.Judge, guidePart: &m.Guide} {
		part := filepath.Join(singlefile.Beside(dir), name)
		if _, err := os.Stat(part); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if *to, err = latent.OpenClassifier(part); err != nil {
			return nil, unfinished(part, err)
		}
	}
	if m.Control, err = base.OpenControl(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	return m, nil
}

// check returns an error when a classifier does not look at what the model draws.
func (m *Model) check() error {
	latents, images := m.Codec.Channels()
	for _, c := range []struct {
		part     string
		of       *latent.Classifier
		channels int
	}{{classifierPart, m.Classifier, latents}, {judgePart, m.Judge, images}, {guidePart, m.Guide, images}} {
		if c.of == nil {
			continue
		}
		if got := c.of.Net.Config().InChannels; got != c.channels {
			return &latent.SettingError{Where: c.part, Name: "in_channels", Value: got, Want: fmt.Sprint(c.channels)}
		}
	}
	return nil
}

// bundled is the folder of the model that package internal/pair/bundled registers.
const bundled = "models/portraits"

// Bundled returns the model that ships, where package internal/pair/bundled is imported. Where a
// program has none, the error matches [modelfile.ErrNoModel].
func Bundled() (*Model, error) { return openEmbedded(modelfile.Bundled("pair"), bundled) }

// BundledDigest identifies the model that ships: the SHA-256 of a line for every file
// with its own. The error is that of [Bundled].
func BundledDigest() (string, error) {
	from := modelfile.Bundled("pair")
	if from.Files == nil {
		return "", from.Missing()
	}
	lines := sha256.New()
	err := fs.WalkDir(from.Files, bundled, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(from.Files, name)
		fmt.Fprintf(lines, "%x  %s\n", sha256.Sum256(raw), strings.TrimPrefix(name, bundled+"/"))
		return err
	})
	return hex.EncodeToString(lines.Sum(nil)), err
}

// openEmbedded opens a model folder of a bundle: its files are laid out on disk
// for as long as they are read.
func openEmbedded(from modelfile.Bundle, dir string) (*Model, error) {
	if from.Files == nil {
		return nil, from.Missing()
	}
	to, err := atomicfile.MkdirTemp(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer to.Remove()
	part, err := fs.Sub(from.Files, dir)
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(filepath.Join(to.Path, path.Base(dir)), part); err != nil {
		return nil, err
	}
	m, err := Open(filepath.Join(to.Path, path.Base(dir)))
	if err != nil {
		return nil, err
	}
	m.Path = path.Base(dir)
	return m, nil
}
