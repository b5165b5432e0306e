package planner

import (
	"fmt"
	"io"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/pair"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// maxEncoded bounds how many images are encoded at a time.
const maxEncoded = 10_000

// The files of images, beside one for each.
const (
	gridFile    = "grid.png" // all of them side by side
	latentsFile = "latents.npz"
	edgesFile   = "edges.png"
	gridGap     = 4 // pixels between the images of the grid
)

// openLatent opens the folder or file of a latent diffusion model, or without a path the one that
// ships, and enters it among the inputs. Of a folder or file nothing but the diffusion model is read.
func openLatent(path string, inputs map[string]manifest.Input) (*pair.Model, error) {
	if path == "" {
		return openPortraits(inputs)
	}
	model, err := latent.Open(path)
	if err != nil {
		return nil, err
	}
	return &pair.Model{Model: model}, enterFile(inputs, "model", path)
}

// PortraitsGuidance is how far prompts of the portraits that ship are exaggerated where nothing else is
// asked for: what makes a photograph of Stable Diffusion clearer makes a caricature of a drawing.
const PortraitsGuidance = 2.0

// openPortraits opens the model of portraits that ships, and enters it among the inputs.
func openPortraits(inputs map[string]manifest.Input) (*pair.Model, error) {
	m, err := pair.Bundled()
	if err != nil {
		return nil, err
	}
	digest, err := pair.BundledDigest()
	inputs["model"] = manifest.Input{Path: "ships with the program", SHA256: digest}
	return m, err
}

// The decoders by name; any other is the path of a tiny one.
const (
	fullDecoder = "full"
	tinyDecoder = "tiny"
)

// useDecoder lets a model decode by a tiny autoencoder, if that is asked for: its own, or
// that of a path.
func useDecoder(model *latent.Model, decoder string, inputs map[string]manifest.Input) error {
	switch decoder {
	case "", fullDecoder:
		return nil
	case tinyDecoder:
		if err := model.UseTiny(""); err != nil {
			return &RequestError{Field: "decoder", Value: decoder, Err: fmt.Errorf("--decoder %s wants the folder %s beside the others of the model; the path of a tiny autoencoder may stand in its place: %w", tinyDecoder, latent.TinyPart, err)}
		}
		return nil
	}
	if err := model.UseTiny(decoder); err != nil {
		return err
	}
	return enterFile(inputs, "decoder", decoder)
}

// enterFile enters a file or a folder among inputs, with its digest.
func enterFile(inputs map[string]manifest.Input, name, path string) error {
	digest, err := manifest.DigestFile(path)
	inputs[name] = manifest.Input{Path: path, SHA256: digest}
	return err
}

// imageFiles lists the files of so many pictures.
func imageFiles(n int) (names []string) {
	for k := range n {
		names = append(names, imageFile(k))
	}
	return append(names, gridFile)
}

func imageFile(k int) string { return fmt.Sprintf("image-%03d.png", k) }

// imageParts makes a file for each picture, and one with all of them side by side in so
// many columns; 0 is as many as rows.
func imageParts(pictures []*dataset.Picture, columns int) (parts []part) {
	for k, p := range pictures {
		parts = append(parts, part{imageFile(k), p.WritePNG})
	}
	if columns == 0 {
		for columns*columns < len(pictures) {
			columns++
		}
	}
	return append(parts, part{gridFile, func(path string) error { return dataset.Grid(pictures, columns, gridGap, 0xff).WritePNG(path) }})
}

// CodeSummary is what encoding and decoding amount to.
type CodeSummary struct {
	Images int    `json:"images"`
	Image  []int  `json:"image"`  // shape: channels, height, width
	Latent []int  `json:"latent"` // likewise
	Output string `json:"output"`
	// Stretched are the pictures that were encoded with other proportions than theirs.
	Stretched []Stretched `json:"stretched,omitempty"`
}

// latentsName is the name of the array of latents in an archive.
const latentsName = "latents"

// readLatents reads the array of latents of an .npz file. What a file that is there holds
// instead is a mistake of the request.
func readLatents(path string) (tensor.Batch, error) {
	z, err := dataset.OpenNPZ(path, dataset.ReadOptions{})
	if err != nil {
		return tensor.Batch{}, err
	}
	defer z.Close()
	b, err := latentsOf(z)
	if err != nil {
		return tensor.Batch{}, &RequestError{Field: "latents", Value: quoted(path), Err: err}
	}
	return b, nil
}

// latentsOf returns the latents of an archive.
func latentsOf(z *dataset.NPZ) (tensor.Batch, error) {
	a, err := z.Read(latentsName)
	if err != nil {
		return tensor.Batch{}, err
	}
	b, err := a.Batch()
	if err != nil {
		return tensor.Batch{}, err
	}
	if len(b.Shape) != 3 {
		return tensor.Batch{}, &dataset.FormatError{Part: latentsName, Reason: fmt.Sprintf("has shape %v, want images, channels, height, width", a.Shape)}
	}
	if err := b.CheckFinite(); err != nil {
		return tensor.Batch{}, fmt.Errorf("array %s: %w", latentsName, err)
	}
	return b, nil
}

// writeLatents writes scaled latents as an array [n, channels, height, width].
func writeLatents(path string, b tensor.Batch) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		a, err := dataset.NewArray(latentsName, append([]int{b.N}, b.Shape...), b.Data)
		if err != nil {
			return err
		}
		return dataset.EncodeNPZ(w, false, a)
	})
}
