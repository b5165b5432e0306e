package lerobot

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/tensor"
)

// Frames are rows of features, one episode after the other.
type Frames struct {
	Vectors  map[string]tensor.Batch // by key, [frames, numbers]
	Pictures map[string][][]byte     // by key, the file of every frame, PNG or JPEG
	Ends     []int64                 // one past the last frame of each episode
}

// The columns that say where a row belongs.
const (
	episodeKey = "episode_index"
	frameKey   = "frame_index"
)

// Read reads features of numbers and of pictures. It returns an [Error] for those that are
// neither, and for files that do not hold what info.json says.
func (d *Dataset) Read(keys ...string) (*Frames, error) {
	out, need := &Frames{Vectors: map[string]tensor.Batch{}, Pictures: map[string][][]byte{}}, 0.0
	for _, key := range keys {
		f, ok := d.Features[key]
		switch {
		case !ok:
			return nil, &Error{infoFile, fmt.Sprintf("has no feature %q; there are %q", key, d.Keys("")), nil}
		case f.Type == "video":
			return nil, d.isVideo(key)
		case f.Type == "image":
			height, width, err := f.Picture()
			if err != nil {
				return nil, &Error{infoFile, fmt.Sprintf("feature %q", key), err}
			}
			need += float64(d.Frames) * float64(3*height*width) // their files are hardly ever larger
			continue
		case f.Type != "float32" && f.Type != "float64" || f.Size() > maxNumbers:
			return nil, &Error{infoFile, fmt.Sprintf("feature %q is %s of shape %v, want up to %d numbers of type float32 or float64", key, f.Type, f.Shape, maxNumbers), nil}
		}
		need += 4 * float64(d.Frames) * float64(f.Size())
	}
	if err := memory.CheckMachine(1, need, "the frames"); err != nil {
		return nil, &Error{infoFile, "lists more than this machine holds", err}
	}
	place := &place{}
	for _, name := range d.files {
		if err := d.readFile(name, keys, out, place); err != nil {
			return nil, err
		}
	}
	if place.rows != d.Frames || len(out.Ends)+1 != d.Episodes {
		return nil, &Error{"data", fmt.Sprintf("holds %d frames of %d episodes, %s lists %d of %d", place.rows, len(out.Ends)+1, infoFile, d.Frames, d.Episodes), nil}
	}
	out.Ends = append(out.Ends, int64(place.rows))
	for key, v := range out.Vectors {
		if err := v.CheckFinite(); err != nil {
			return nil, &Error{"data", "feature " + key, err}
		}
	}
	return out, nil
}

// isVideo says what to do about a video.
func (d *Dataset) isVideo(key string) error {
	return &Error{infoFile, fmt.Sprintf("feature %q is a video, and videos are not read: record the data set anew with pictures (dataset.video=false), or name features of numbers", key), nil}
}

// place is how far the frames have been read.
type place struct {
	rows, episode, frame int
}

// readFile appends the rows of a file.
func (d *Dataset) readFile(name string, keys []string, out *Frames, at *place) (err error) {
	f, err := openTable(d.dir, name)
	if err != nil {
		return err
	}
	defer f.close()
	if n := f.rows(); n < 0 || n > int64(d.Frames-at.rows) {
		return &Error{name, fmt.Sprintf("has %d rows, with those before more than the %d frames of %s", n, d.Frames, infoFile), nil}
	}
	episodes, err := f.integers(episodeKey)
	if err != nil {
		return err
	}
	frames, err := f.integers(frameKey)
	if err != nil {
		return err
	}
	for i, e := range episodes {
		switch {
		case int(e) == at.episode && int(frames[i]) == at.frame:
		case int(e) == at.episode+1 && frames[i] == 0 && at.frame > 0:
			out.Ends = append(out.Ends, int64(at.rows))
			at.episode, at.frame = at.episode+1, 0
		default:
			return &Error{name, fmt.Sprintf("row %d is frame %d of episode %d, want frame %d of episode %d or the first of the next", i, frames[i], e, at.frame, at.episode), nil}
		}
		at.frame++
		at.rows++
	}
	for _, key := range keys {
		if d.Features[key].Type == "image" {
			if err := d.readPictures(f, key, out, episodes, frames); err != nil {
				return err
			}
			continue
		}
		size := d.Features[key].Size()
		v := out.Vectors[key]
		v.Shape = tensor.Shape{size}
		if v.Data, err = f.numbers(v.Data, key, size); err != nil {
			return err
		}
		v.N = len(v.Data) / size
		out.Vectors[key] = v
	}
	return nil
}

// narrow rounds a number to float32; one that is too large for it is infinite, and found later.
func narrow(v float64) float32 {
	if math.Abs(v) > math.MaxFloat32 {
		return float32(math.Inf(1))
	}
	return float32(v)
}
