package render

import (
	"fmt"

	"github.com/go-pcd/pcd/dataset"
)

// ImageView is what pictures show of images that were drawn together: pairs, or more at
// a time, each inside the hull of its exemplars or free.
type ImageView struct {
	Title, Note string
	Members     []ImageMember
	Tuples      []ImageTuple
	Timesteps   []int // of the steps, first to last
	// Frames are the steps, counted from 0, whose images tuples have.
	Frames []int
}

// ImageMember is one image of every tuple.
type ImageMember struct {
	Name      string
	Exemplars []*dataset.Picture // that span the hull; none for a free image
}

// ImageTuple is a pair of images, or more.
type ImageTuple struct {
	Name   string
	Images []*dataset.Picture // by member
	// Weights are the convex weights of the exemplars after every step, by member and
	// step; nil for a free image, and for steps after which nothing was projected.
	Weights [][][]float32
	Frames  [][]*dataset.Picture // by member and frame
	Facts   []Fact
}

// ImageViewError says why a view cannot be shown.
type ImageViewError struct {
	Tuple  int // -1 for none
	Reason string
}

func (e *ImageViewError) Error() string {
	if e.Tuple < 0 {
		return "render: images: " + e.Reason
	}
	return fmt.Sprintf("render: images: tuple %d %s", e.Tuple, e.Reason)
}

// check returns an error for a view whose parts do not belong together.
func (v ImageView) check() error {
	switch {
	case len(v.Members) == 0 || len(v.Tuples) == 0:
		return &ImageViewError{-1, "nothing to show"}
	case v.Tuples[0].Images == nil:
		return &ImageViewError{0, "has no images"}
	}
	first := v.Tuples[0].Images[0]
	for k, t := range v.Tuples {
		if err := v.checkTuple(t, first); err != "" {
			return &ImageViewError{k, err}
		}
	}
	return nil
}

func (v ImageView) checkTuple(t ImageTuple, first *dataset.Picture) string {
	n := len(v.Members)
	if len(t.Images) != n || len(t.Weights) != n || len(t.Frames) != n {
		return fmt.Sprintf("has %d images, %d histories of weights and %d of images, want those of %d members", len(t.Images), len(t.Weights), len(t.Frames), n)
	}
	for i, m := range v.Members {
		if p := t.Images[i]; p == nil || p.Width != first.Width || p.Height != first.Height {
			return fmt.Sprintf("has an image %d of another size than the first", i)
		}
		if len(t.Frames[i]) != len(v.Frames) {
			return fmt.Sprintf("has %d frames of image %d, want %d", len(t.Frames[i]), i, len(v.Frames))
		}
		if t.Weights[i] != nil && len(t.Weights[i]) != len(v.Timesteps) {
			return fmt.Sprintf("has the weights of image %d after %d steps, want %d", i, len(t.Weights[i]), len(v.Timesteps))
		}
		for _, w := range t.Weights[i] {
			if w != nil && len(w) != len(m.Exemplars) {
				return fmt.Sprintf("has %d weights of image %d for %d exemplars", len(w), i, len(m.Exemplars))
			}
		}
	}
	return ""
}

// final returns the weights of a member in the end, nil where there are none.
func (t ImageTuple) final(member int) []float32 {
	w := t.Weights[member]
	if len(w) == 0 {
		return nil
	}
	return w[len(w)-1]
}
