package imitation

import (
	"bytes"
	"context"
	"fmt"
	"image"
	_ "image/jpeg" // pictures of cameras
	_ "image/png"
	"math"
	"strings"

	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/tensor"
)

// The keys of features that a policy learns from.
const (
	stateKey       = "observation.state"
	environmentKey = "observation.environment_state"
	actionKey      = "action"
	cameraPrefix   = "observation.image"
)

// Demonstrations are what a policy learns from.
type Demonstrations struct {
	frames   *lerobot.Frames
	features []policy.Feature   // in the order in which a policy is told them, the action last
	pixels   map[string][]uint8 // by camera: frame by frame, line by line, red, green and blue
}

// DataError says what a data set lacks for a policy.
type DataError struct{ Reason string }

func (e *DataError) Error() string { return "imitation: " + e.Reason }

// Read returns what a policy learns from a data set: the state of the robot, the pictures of all
// cameras, the state of the environment if there is one, and the actions.
func Read(d *lerobot.Dataset) (*Demonstrations, error) {
	out := &Demonstrations{pixels: map[string][]uint8{}}
	add := func(key string, t policy.FeatureType) {
		out.features = append(out.features, policy.Feature{Key: key, Type: t})
	}
	add(stateKey, policy.State)
	for _, key := range d.Keys("image") {
		if strings.HasPrefix(key, cameraPrefix) {
			add(key, policy.Visual)
		}
	}
	if _, ok := d.Features[environmentKey]; ok {
		add(environmentKey, policy.Environment)
	}
	if len(out.features) == 1 {
		return nil, sightless(d)
	}
	add(actionKey, policy.Action)
	var keys []string
	for _, f := range out.features {
		if _, ok := d.Features[f.Key]; !ok {
			return nil, &DataError{fmt.Sprintf("the data set has no feature %s; there are %s", f.Key, strings.Join(d.Keys(""), ", "))}
		}
		keys = append(keys, f.Key)
	}
	var err error
	if out.frames, err = d.Read(keys...); err != nil {
		return nil, err
	}
	for i, f := range out.features {
		if f.Type != policy.Visual {
			out.features[i].Shape = []int{d.Features[f.Key].Size()}
			continue
		}
		height, width, err := d.Features[f.Key].Picture()
		if err != nil {
			return nil, err
		}
		out.features[i].Shape = []int{3, height, width}
		if out.pixels[f.Key], err = decode(out.frames.Pictures[f.Key], out.features[i]); err != nil {
			return nil, err
		}
		delete(out.frames.Pictures, f.Key)
	}
	return out, nil
}

// sightless says that a data set has neither pictures nor a state of the environment. Where there
// are videos, it is told how to record pictures instead.
func sightless(d *lerobot.Dataset) error {
	for _, key := range d.Keys("video") {
		if _, err := d.Read(key); err != nil {
			return err
		}
	}
	return &DataError{fmt.Sprintf("the data set has neither pictures, features of type image whose names begin with %s, nor the feature %s; there are %s",
		cameraPrefix, environmentKey, strings.Join(d.Keys(""), ", "))}
}

// decode returns the bytes of pictures, all of the size of the feature.
func decode(files [][]byte, f policy.Feature) ([]uint8, error) {
	if err := memory.CheckMachine(float64(len(files)), float64(f.Size()), "the pictures"); err != nil {
		return nil, err
	}
	out := make([]uint8, len(files)*f.Size())
	bad := func(i int, format string, args ...any) error {
		return &DataError{fmt.Sprintf("%s, frame %d: ", f.Key, i) + fmt.Sprintf(format, args...)}
	}
	err := parallel.For(context.Background(), parallel.Workers(0), len(files), func(_, i int) error {
		c, _, err := image.DecodeConfig(bytes.NewReader(files[i]))
		if err != nil {
			return bad(i, "is no PNG or JPEG: %v", err)
		}
		if c.Height != f.Shape[1] || c.Width != f.Shape[2] {
			return bad(i, "is a picture of %d×%d pixels, want %d×%d", c.Width, c.Height, f.Shape[2], f.Shape[1])
		}
		m, _, err := image.Decode(bytes.NewReader(files[i]))
		if err != nil {
			return bad(i, "is no PNG or JPEG: %v", err)
		}
		copy(out[i*f.Size():], policy.FromImage(m).Pix)
		return nil
	})
	return out, err
}

// statistics returns the bounds of vectors, and mean and deviation of the channels of pictures.
func (d *Demonstrations) statistics() map[string]policy.Statistics {
	out := map[string]policy.Statistics{}
	for _, f := range d.features {
		if f.Type == policy.Visual {
			out[f.Key] = moments(d.pixels[f.Key], f.Shape[0])
		} else {
			out[f.Key] = bounds(d.frames.Vectors[f.Key])
		}
	}
	return out
}

// bounds returns the least and the largest value of every number.
func bounds(v tensor.Batch) policy.Statistics {
	size := v.Size()
	s := policy.Statistics{Low: make([]float32, size), High: make([]float32, size)}
	for i := range size {
		s.Low[i], s.High[i] = math.MaxFloat32, -math.MaxFloat32
	}
	for at, x := range v.Data {
		i := at % size
		s.Low[i], s.High[i] = min(s.Low[i], x), max(s.High[i], x)
	}
	return s
}

// moments returns mean and standard deviation of every channel, of bytes as numbers from 0 to 1. A
// channel that never changes has the deviation 1: its changes are not blown up.
func moments(pixels []uint8, channels int) (s policy.Statistics) {
	for c := range channels {
		var counts [256]float64
		for at := c; at < len(pixels); at += channels {
			counts[pixels[at]]++
		}
		n, mean, squares := float64(len(pixels)/channels), 0.0, 0.0
		for v, k := range counts {
			mean += k * float64(v) / 255 / n
		}
		for v, k := range counts {
			squares += k * math.Pow(float64(v)/255-mean, 2) / n
		}
		if squares == 0 {
			squares = 1
		}
		s.Low, s.High = append(s.Low, float32(mean)), append(s.High, float32(math.Sqrt(squares)))
	}
	return s
}
