package pair

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
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

// Open reads a model folder: see [latent.Open], and the parts classifier, judge, guide and
// controlnet, if they are there.
func Open(dir string) (*Model, error) {
	base, err := latent.Open(dir)
	if err != nil {
		return nil, err
	}
	m := &Model{Model: base}
	for name, to := range map[string]**latent.Classifier{classifierPart: &m.Classifier, judgePart: &m.Judge, guidePart: &m.Guide} {
		part := filepath.Join(dir, name)
		if _, err := os.Stat(part); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if *to, err = latent.OpenClassifier(part); err != nil {
			return nil, err
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
	for _, c := range []struct {
		part     string
		of       *latent.Classifier
		channels int
	}{{classifierPart, m.Classifier, m.Codec.Net.Config().LatentChannels}, {judgePart, m.Judge, m.Codec.Net.Config().OutChannels},
		{guidePart, m.Guide, m.Codec.Net.Config().OutChannels}} {
		if c.of == nil {
			continue
		}
		if got := c.of.Net.Config().InChannels; got != c.channels {
			return &latent.SettingError{Where: c.part, Name: "in_channels", Value: got, Want: fmt.Sprint(c.channels)}
		}
	}
	return nil
}

//go:embed models
var files embed.FS

// bundled is the folder of the model that ships with the program, among the embedded
// files.
const bundled = "models/portraits"

// Bundled returns the model that ships with the program. Where a build has none, the
// error matches [modelfile.ErrNoModel] and fs.ErrNotExist.
func Bundled() (*Model, error) { return openEmbedded(files, bundled) }

// BundledDigest identifies the model that ships with the program: the SHA-256 of a line
// for every file with its own.
func BundledDigest() (string, error) {
	lines := sha256.New()
	err := fs.WalkDir(files, bundled, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := files.ReadFile(name)
		fmt.Fprintf(lines, "%x  %s\n", sha256.Sum256(raw), strings.TrimPrefix(name, bundled+"/"))
		return err
	})
	return hex.EncodeToString(lines.Sum(nil)), err
}

// noBundleError says that a build has no model.
type noBundleError struct{ err error }

func (e *noBundleError) Error() string {
	return "pair: no model of portraits ships with this build: give the folder of one, or train it with pcd train images and pcd image assemble"
}

func (e *noBundleError) Is(target error) bool { return target == modelfile.ErrNoModel }
func (e *noBundleError) Unwrap() error        { return e.err }

// openEmbedded opens a model folder of a file system: its files are laid out on disk
// for as long as they are read.
func openEmbedded(from fs.FS, dir string) (*Model, error) {
	if _, err := fs.Stat(from, path.Join(dir, "model_index.json")); err != nil {
		return nil, &noBundleError{err}
	}
	to, err := atomicfile.MkdirTemp(os.TempDir())
	if err != nil {
		return nil, err
	}
	defer to.Remove()
	part, err := fs.Sub(from, dir)
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
