package pair

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/quote"
)

// UnfinishedError refuses a folder in the place of a model in which a training was stopped before it wrote one.
type UnfinishedError struct {
	Path   string
	Remedy string // what continues the training
	Err    error  // what the folder lacks
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("pair: in %s a training was stopped before it wrote a model: %s", quote.Text(e.Path), e.Remedy)
}

// Unwrap returns the cause.
func (e *UnfinishedError) Unwrap() error { return e.Err }

// The commands that train what pairs of images are drawn with, by their names in manifests.
const (
	trainClassifier = "image train-classifier"
	trainImages     = "train images"
)

// trainedParts are the folders that parts of the image model are trained in.
var trainedParts = []string{"autoencoder", "denoiser", classifierPart, judgePart, guidePart, "adapter"}

// unfinished returns an [UnfinishedError] for the error err that a folder was refused with, where a training left the folder
// without a model, or trainings of parts that no model was made of yet; otherwise err.
func unfinished(dir string, err error) error {
	if err == nil || has(dir, "model_index.json") {
		return err
	}
	for _, part := range trainedParts {
		below := filepath.Join(dir, part)
		if m, _ := manifest.Read(below); m == nil || m.Verb != trainImages {
			continue
		}
		if remedy := continues(below); remedy != "" {
			return &UnfinishedError{below, remedy + fmt.Sprintf("; when all parts are trained, pcd image assemble %s makes a model of them", quoteShell(dir)), err}
		}
		return fmt.Errorf("%w: parts of a model are trained in it, of which pcd image assemble %s makes one", err, quoteShell(dir))
	}
	if remedy := continues(dir); remedy != "" {
		return &UnfinishedError{dir, remedy, err}
	}
	return err
}

// continues says what continues the training in a folder that holds no model of it yet, and nothing of others.
func continues(dir string) string {
	if has(dir, "config.json") && has(dir, "model.safetensors") {
		return ""
	}
	m, _ := manifest.Read(dir)
	if m != nil && (m.Verb == trainClassifier || m.Verb == trainImages) {
		return "the same command continues it: " + commandLine(m)
	}
	if !has(dir, "checkpoint.safetensors") && !has(dir, "latents") {
		return ""
	}
	return fmt.Sprintf("the same command continues it: pcd %s … -o %s", trainClassifier, quoteShell(dir))
}

// commandLine writes a command as it was given, as far as a manifest says it.
func commandLine(m *manifest.Manifest) string {
	if len(m.Command) < 2 || strings.ContainsFunc(strings.Join(m.Command, ""), func(r rune) bool { return r < ' ' }) {
		return "pcd " + m.Verb + " …"
	}
	words := slices.Clone(m.Command)
	for i, w := range words {
		words[i] = quoteShell(w)
	}
	words[0] = "pcd"
	return strings.Join(words, " ")
}

// plain are words that shells read as they are.
var plain = regexp.MustCompile(`^[\pL\pN_./:=@%+,-]+$`)

// quoteShell writes a word for a shell.
func quoteShell(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func has(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
