package portraits

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/experiment"
)

// own is a setting of some parts.
type own struct {
	name  string // in files
	given bool   // not what a recipe without it has
	parts []Part // that read it
}

// owned returns the settings of the recipe that not all parts read.
func (r Recipe) owned() []own {
	autoencoder, noisy, prompted := []Part{Autoencoder}, []Part{Classifier, Denoiser, Adapter}, []Part{Denoiser, Adapter}
	return []own{
		{"latent", r.Latent != 0, autoencoder}, {"edges", r.Edges != 0, autoencoder}, {"kl", r.KL != 0, autoencoder}, {"squares", r.Squares != 0, autoencoder},
		{"chroma", r.Chroma != 0, autoencoder}, {"tints", r.Tints != 0, autoencoder}, {"witnessed", r.Witnessed != 0, autoencoder},
		{"decoder_only", r.DecoderOnly, autoencoder}, {"groups", r.Groups != 0, autoencoder},
		{"start", r.Start != "", []Part{Autoencoder, Denoiser}},
		{"dropout", r.Dropout != 0, prompted}, {"emphasis", r.Emphasis != 0, prompted}, {"terminal", r.Terminal != 0, noisy},
		{"prediction_type", r.Prediction != "", []Part{Denoiser}}, {"min_snr", r.MinSNR != 0, []Part{Denoiser}},
		{"smooth", r.Smooth != 0, []Part{Classifier, Judge, Guide}}, {"noisy", r.Noisy != 0, []Part{Classifier}},
	}
}

// checkOwn returns an error for the first setting that the part does not read.
func (r Recipe) checkOwn() error {
	for _, s := range r.owned() {
		if s.given && !slices.Contains(s.parts, r.Part) {
			return fmt.Errorf("images: the recipe of the %s sets %q, which only the %s reads: leave it out", r.Part, s.name, either(s.parts))
		}
	}
	return nil
}

// either lists parts.
func either(parts []Part) string {
	var names []string
	for _, p := range parts {
		names = append(names, string(p))
	}
	return strings.Join(names, " or the ")
}

// startedFrom keeps the digest of the weights that the part goes on from, which a recipe that
// names others does not.
func (r *Recipe) startedFrom(digest string, err error) error {
	if err == nil && r.Start != "" && r.Start != digest {
		return &experiment.SpecError{Err: fmt.Errorf("images: the recipe starts from weights of the digest %s, and those of %s have %s: leave out \"start\", or name their folder", r.Start, r.From, digest)}
	}
	r.Start = digest
	return err
}
