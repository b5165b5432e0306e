package planner

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/tensor"
)

// imagePiece is a group of images that were drawn together.
type imagePiece struct {
	latents  tensor.Batch
	pictures []*dataset.Picture
	imageFacts
}

// imageFacts is what a kept piece says beside its arrays.
type imageFacts struct {
	First   int     `json:"first"` // number of the first image, as its noise has it
	Images  int     `json:"images"`
	Lost    int     `json:"tokens_lost"`
	Seconds float64 `json:"seconds"`
}

// The names of a piece are those of its files without these endings, and of its arrays. The
// numbers of the pictures are there a second time, beside the files: those are for people,
// who may take them away.
const (
	pieceArrays  = ".npz"
	pieceFacts   = ".json"
	picturesName = "pictures" // [images, height, width, colours]
	maxFacts     = 1 << 16
)

// imagePieceName returns the name of the piece that begins with an image.
func imagePieceName(first int) string { return fmt.Sprintf("images-%06d", first) }

// write writes a piece to two files whose names begin with path. Whole pieces have both.
func (p *imagePiece) write(path string) error {
	size := []int{len(p.pictures), p.pictures[0].Height, p.pictures[0].Width, 3}
	var pixels []uint8
	for _, picture := range p.pictures {
		pixels = append(pixels, picture.Pix...)
	}
	latents, err := dataset.NewArray(latentsName, append([]int{p.latents.N}, p.latents.Shape...), p.latents.Data)
	if err != nil {
		return err
	}
	pictures, err := dataset.NewArray(picturesName, size, pixels)
	if err != nil {
		return err
	}
	if err := dataset.WriteNPZ(path+pieceArrays, latents, pictures); err != nil {
		return err
	}
	return atomicfile.Write(path+pieceFacts, func(w io.Writer) error { return json.NewEncoder(w).Encode(p.imageFacts) })
}

// readImagePiece reads what write wrote: latents of a shape, and their pictures of a size.
func readImagePiece(path string, latent tensor.Shape, height, width int) (*imagePiece, error) {
	raw, err := regular.ReadFile(path+pieceFacts, maxFacts)
	if err != nil {
		return nil, err
	}
	p := &imagePiece{}
	if err := json.Unmarshal(raw, &p.imageFacts); err != nil {
		return nil, err
	}
	z, err := dataset.OpenNPZ(path+pieceArrays, dataset.ReadOptions{})
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if p.latents, err = latentsOf(z); err != nil {
		return nil, err
	}
	pictures, err := z.Read(picturesName)
	if err != nil {
		return nil, err
	}
	pixels, err := dataset.Values[uint8](pictures)
	if err != nil {
		return nil, err
	}
	if want := (tensor.Shape{p.Images, height, width, 3}); !p.latents.Shape.Equal(latent) || p.latents.N != p.Images || !want.Equal(pictures.Shape) {
		return nil, &dataset.FormatError{Part: picturesName, Reason: fmt.Sprintf("has shape %v and latents %v, want %v and %v", pictures.Shape, p.latents.Shape, want, latent)}
	}
	for size := height * width * 3; len(pixels) > 0; pixels = pixels[size:] {
		p.pictures = append(p.pictures, &dataset.Picture{Width: width, Height: height, Pix: pixels[:size:size]})
	}
	return p, nil
}
