package portraits

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Part is a network of the model.
type Part string

// The parts, in the order in which they are trained.
const (
	Autoencoder Part = "autoencoder"
	Denoiser    Part = "denoiser"
	Classifier  Part = "classifier" // of latents: couples
	Judge       Part = "judge"      // of pictures: evaluates
	Guide       Part = "guide"      // of pictures: couples them in SyncDiffusion; need not be there
	Adapter     Part = "adapter"    // of the denoising network: steers it by edges; need not be there
)

// Parts are all parts, each after those that it needs.
var Parts = []Part{Autoencoder, Denoiser, Classifier, Judge, Guide, Adapter}

// ParsePart returns the part of a name. The error for another one lists those there
// are.
func ParsePart(name string) (Part, error) {
	if p := Part(name); slices.Contains(Parts, p) {
		return p, nil
	}
	var names []string
	for _, p := range Parts {
		names = append(names, string(p))
	}
	return "", fmt.Errorf("%.40q is no part of the image model, want %s", name, strings.Join(names, ", "))
}

// Dir returns the folder that a part is trained in.
func (p Part) Dir(dir string) string { return filepath.Join(dir, string(p)) }

// folder is the name of the part's folder in a model.
func (p Part) folder() string {
	switch p {
	case Autoencoder:
		return "vae"
	case Denoiser:
		return "unet"
	case Adapter:
		return controlFolder
	}
	return string(p)
}

// optional reports whether a model is whole without the part: baselines need it.
func (p Part) optional() bool { return p == Guide || p == Adapter }

// album is the seed of the portraits of a part. They differ, so that the judge knows
// nobody whom the classifier learned from.
func (p Part) album() uint64 { return uint64(slices.Index(Parts, p)) + 1 }

// MissingError says that a part is not trained yet.
type MissingError struct {
	Part Part
	Dir  string // where all parts are trained
	Err  error  // cause
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("images: the %s is not trained in %s: run pcd train images %s -o %s first: %v", e.Part, e.Dir, e.Part, e.Dir, e.Err)
}

// Unwrap returns the cause.
func (e *MissingError) Unwrap() error { return e.Err }
