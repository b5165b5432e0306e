package attributes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// Album are pictures with labels, brought to one size: the last of them are not learned from.
// It is train.Data.
type Album struct {
	heads         []nn.ClassifierHead
	all           []labelled
	pixels        [][]uint8 // of each picture, as a PNG has them
	held          int
	height, width int
	identity      string
}

// splitSeed decides which pictures are held out.
const splitSeed = 42

// ReadAlbum reads the pictures of a table of labels below a folder and resizes them to height ×
// width. share of them, at least one, is held out: which, the table does not decide, but a fixed
// shuffle of it. Progress may be nil.
func ReadAlbum(ctx context.Context, images, labels string, height, width int, share float64, progress func(done, total int)) (*Album, error) {
	if info, err := os.Stat(images); err != nil {
		return nil, err
	} else if !info.IsDir() {
		return nil, &LabelError{Path: images, Reason: "is a file, want the folder of the pictures"}
	}
	all, heads, err := readLabels(labels, images)
	if err != nil {
		return nil, err
	}
	if err := experiment.CheckRoom(float64(len(all)), float64(3*height*width), "pictures"); err != nil {
		return nil, err
	}
	a := &Album{heads: heads, all: all, height: height, width: width, pixels: make([][]uint8, len(all))}
	a.held = min(max(1, int(math.Round(share*float64(len(all))))), len(all)-1)
	r := rand.New(noise.NewSource(noise.New(splitSeed), 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if err := a.checkLearned(labels); err != nil {
		return nil, err
	}
	const some = 64
	for lo := 0; lo < len(all); lo += some {
		hi := min(lo+some, len(all))
		err := parallel.For(ctx, parallel.Workers(0), hi-lo, func(_, k int) error {
			p, err := dataset.ReadPicture(all[lo+k].path)
			if err != nil {
				return fmt.Errorf("%s, line %d: %w", labels, all[lo+k].line, err)
			}
			a.pixels[lo+k] = p.Resize(width, height).Pix
			return nil
		})
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(hi, len(all))
		}
	}
	a.identity = a.digest()
	return a, nil
}

// checkLearned returns an error where the pictures that are not held out answer a question in one way, or not at all.
func (a *Album) checkLearned(labels string) error {
	for h, head := range a.heads {
		if classes(a.all[:len(a.all)-a.held], h) < 2 {
			return &LabelError{Path: labels, Reason: fmt.Sprintf("says the same of all pictures about %s but for those that are held out, %d of %d: label more, or hold out fewer (--held-out)", head.Name, a.held, len(a.all))}
		}
	}
	return nil
}

// digest identifies the pictures and their labels.
func (a *Album) digest() string {
	h := sha256.New()
	for i, p := range a.pixels {
		h.Write(p)
		fmt.Fprintln(h, a.all[i].classes)
	}
	for _, head := range a.heads {
		io.WriteString(h, head.Name+"\n")
	}
	return fmt.Sprintf("%d pictures of %d x %d, %d held out: %s", len(a.all), a.width, a.height, a.held, hex.EncodeToString(h.Sum(nil)[:16]))
}

// Heads lists what the labels tell, in their order.
func (a *Album) Heads() []nn.ClassifierHead { return slices.Clone(a.heads) }

// Len returns the number of pictures.
func (a *Album) Len() int { return len(a.all) }

// HeldOut returns how many of them are not learned from.
func (a *Album) HeldOut() int { return a.held }

// Shape returns the shape of a picture.
func (a *Album) Shape() tensor.Shape { return tensor.Shape{3, a.height, a.width} }

// ConditionShape returns the shape of the labels: a class for each head.
func (a *Album) ConditionShape() tensor.Shape { return tensor.Shape{len(a.heads)} }

// Identity names the pictures by what is in them.
func (a *Album) Identity() string { return a.identity }

// Picture writes picture i, in [-1, 1].
func (a *Album) Picture(dst []float32, i int) error {
	(&dataset.Picture{Width: a.width, Height: a.height, Pix: a.pixels[i]}).Unit(dst)
	return nil
}

// Condition writes the labels of picture i.
func (a *Album) Condition(dst []float32, i int) { copy(dst, a.all[i].classes) }

// Example writes picture i with its labels.
func (a *Album) Example(x, labels []float32, i int) {
	_ = a.Picture(x, i) // it is in memory
	a.Condition(labels, i)
}
