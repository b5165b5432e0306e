package portraits

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/tensor"
)

// generator is the version of the portraits. It goes up when photo i of an album
// changes, so that no training continues on other pictures.
const generator = 1

// Photos are portraits as examples to learn from, [3, Size, Size] in [-1, 1], drawn
// when they are asked for. They are train.Data with labels.
type Photos struct {
	Album portrait.Album
	Size  int // pixels of a side
	N     int // photos, held-out ones included
	Held  int // the last of them
	// Labels makes age group and gender the condition of a picture.
	Labels bool
}

// Len returns the number of photos.
func (p Photos) Len() int { return p.N }

// HeldOut returns how many of them are not learned from.
func (p Photos) HeldOut() int { return p.Held }

// Shape returns the shape of a picture.
func (p Photos) Shape() tensor.Shape { return tensor.Shape{3, p.Size, p.Size} }

// ConditionShape returns the shape of the labels, nil if there are none.
func (p Photos) ConditionShape() tensor.Shape {
	if p.Labels {
		return tensor.Shape{len(heads)}
	}
	return nil
}

// Identity says how the photos are made.
func (p Photos) Identity() string {
	return fmt.Sprintf("portraits %d: seed %d, ages %g to %g, %d of %d pixels, %d held out", generator, p.Album.Seed, p.Album.Ages[0], p.Album.Ages[1], p.N, p.Size, p.Held)
}

// Example draws photo i.
func (p Photos) Example(x, labels []float32, i int) {
	photo := p.Album.At(uint64(i))
	pixels := make([]float32, len(x))
	photo.Render(pixels, p.Size)
	plane := p.Size * p.Size
	for at := range plane {
		for c := range 3 {
			x[c*plane+at] = 2*pixels[3*at+c] - 1
		}
	}
	if p.Labels {
		label(labels, photo)
	}
}

// Picture draws photo i.
func (p Photos) Picture(dst []float32, i int) error {
	p.Labels = false
	p.Example(dst, nil, i)
	return nil
}

// Condition writes the labels of photo i without drawing it.
func (p Photos) Condition(labels []float32, i int) {
	if p.Labels {
		label(labels, p.Album.At(uint64(i)))
	}
}

// label writes the classes of a photo in the order of the heads.
func label(dst []float32, p portrait.Photo) {
	dst[0], dst[1] = float32(portrait.GroupOf(p.Age)), float32(p.Gender)
}
