package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of cameras
	_ "image/png"
	"io"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/regular"
)

// observationsFile is the name of the list of observations in a folder of a recording.
const observationsFile = "observations.jsonl"

// Limits of a recording.
const (
	maxRecording = 256 << 20 // bytes of the list
	maxPicture   = 64 << 20  // bytes of a picture
)

// RecordingError says what is wrong with a recording.
type RecordingError struct {
	Line   int // of the list, from 1 on; 0 for none
	Key    string
	Reason string
	Err    error
}

func (e *RecordingError) Error() string {
	s := "policy: " + observationsFile
	if e.Line > 0 {
		s += fmt.Sprintf(": observation %d", e.Line)
	}
	if e.Key != "" {
		s += ": " + quote.Text(e.Key)
	}
	s += ": " + e.Reason
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *RecordingError) Unwrap() error { return e.Err }

// Recording is a folder of what a robot saw and felt, one moment after the other: a file
// observations.jsonl with a JSON object on every line. A list of numbers is a vector, a text
// the name of a picture in the folder, PNG or JPEG.
//
//	{"observation.state": [211, 96.5], "observation.image": "000000.png"}
type Recording struct {
	dir  string
	told *Policy // or nil
	list *json.Decoder
	line int
}

// OpenRecording reads the list of a recording. Pictures are read when they are come to: for a
// policy those of its cameras, whose size is compared with theirs before they are decoded, and all
// for nil.
func OpenRecording(dir string, p *Policy) (*Recording, error) {
	raw, err := regular.ReadFile(filepath.Join(dir, observationsFile), maxRecording)
	if err != nil {
		return nil, &RecordingError{Reason: "cannot be read; a folder of recorded observations has it", Err: err}
	}
	return &Recording{dir: dir, told: p, list: json.NewDecoder(bytes.NewReader(raw))}, nil
}

// Next returns the next observation, and io.EOF after the last.
func (r *Recording) Next() (Observation, error) {
	var keys map[string]json.RawMessage
	switch err := r.list.Decode(&keys); {
	case errors.Is(err, io.EOF):
		return Observation{}, io.EOF
	case err != nil:
		return Observation{}, &RecordingError{Line: r.line + 1, Reason: "is no JSON object", Err: err}
	}
	r.line++
	o := Observation{map[string][]float32{}, map[string]Image{}}
	for key, raw := range keys {
		var numbers []float32
		var name string
		switch {
		case json.Unmarshal(raw, &name) == nil:
			if !filepath.IsLocal(name) {
				return o, &RecordingError{r.line, key, fmt.Sprintf("is %s, want the name of a file in the folder", quote.Text(name)), nil}
			}
			camera, wanted := r.camera(key)
			if !wanted {
				continue
			}
			m, err := r.picture(key, name, camera)
			if err != nil {
				return o, err
			}
			o.Images[key] = m
		case json.Unmarshal(raw, &numbers) == nil:
			o.Vectors[key] = numbers
		default:
			return o, &RecordingError{r.line, key, fmt.Sprintf("is %s, want a list of numbers or the name of a picture", short(raw)), nil}
		}
	}
	return o, nil
}

// camera returns the camera of the policy that a picture is of, nil where there is no policy, and
// whether the picture is wanted.
func (r *Recording) camera(key string) (f *Feature, wanted bool) {
	if r.told == nil {
		return nil, true
	}
	for _, f := range r.told.config.Cameras() {
		if slices.Contains(r.told.names(f.Key), key) {
			return &f, true
		}
	}
	return nil, false
}

// picture reads a file of the folder.
func (r *Recording) picture(key, name string, camera *Feature) (Image, error) {
	bad := func(reason string, err error) (Image, error) {
		return Image{}, &RecordingError{r.line, key, reason, err}
	}
	raw, err := regular.ReadFile(filepath.Join(r.dir, name), maxPicture)
	if err != nil {
		return bad("cannot be read", err)
	}
	c, _, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return bad("is no PNG or JPEG", err)
	}
	if c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide {
		return bad(fmt.Sprintf("has %d×%d pixels, want sides from 1 to %d", c.Width, c.Height, maxSide), nil)
	}
	if camera != nil && (c.Height != camera.Shape[1] || c.Width != camera.Shape[2]) {
		return bad(fmt.Sprintf("has %d×%d pixels, want %d×%d", c.Width, c.Height, camera.Shape[2], camera.Shape[1]), nil)
	}
	m, _, err := image.Decode(bytes.NewReader(raw))
	if err != nil {
		return bad("is no PNG or JPEG", err)
	}
	return FromImage(m), nil
}

// ReadLimits reads limits from a JSON file of the fields of [Limits].
func ReadLimits(path string) (*Limits, error) {
	raw, err := regular.ReadFile(path, maxDocument)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	l := &Limits{}
	if err := d.Decode(l); err != nil {
		return nil, &LimitError{"the file", fmt.Sprintf("%q (%v)", short(raw), err), `an object such as {"min": [0, 0], "max": [512, 512], "groups": [[0, 1]], "speed": [20]}`}
	}
	_, err = l.check()
	return l, err
}
