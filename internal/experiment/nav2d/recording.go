package nav2d

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/paths"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/timed"
	"github.com/go-pcd/pcd/tensor"
)

// LoadRecording reads how robots drove in a hall, in its units: a table (CSV) of t, robot, x
// and y, a trip for each robot, or the first array of an npz or npy file of shape [n, h, 2] or
// [n, h, 4]. Each becomes as many waypoints as models have, at even times; their velocities
// are those of the positions, at rest at both ends.
func (h *Hall) LoadRecording(path string) (tensor.Batch, error) {
	trips, err := readTrips(path)
	if err != nil {
		return tensor.Batch{}, err
	}
	out := tensor.New(len(trips), nav2d.Waypoints, nav2d.Channels)
	for k, trip := range trips {
		row := out.Sample(k)
		points := make([]geom.Vec2, nav2d.Waypoints)
		for w := range points {
			points[w] = h.Frame.ToMap(timed.At(trip.times, trip.x, float64(w)/(nav2d.Waypoints-1)))
		}
		for w, p := range points {
			v := geom.Vec2{}
			if w > 0 && w < nav2d.Waypoints-1 {
				v = points[w+1].Sub(points[w-1]).Scale(1 / (2 * nav2d.Step))
			}
			copy(row[w*nav2d.Channels:], []float32{float32(p.X), float32(p.Y), float32(v.X), float32(v.Y)})
		}
	}
	return out, CheckInside(h.Map, out)
}

// trip is a recorded way: points at times from 0 to 1.
type trip struct {
	times []float64
	x     []geom.Vec2
}

// readTrips reads the trips of a file.
func readTrips(path string) (out []trip, err error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".npz", ".npy":
		return arrayTrips(path)
	}
	data, err := regular.ReadFile(path, paths.MaxBytes)
	if err != nil {
		return nil, err
	}
	f, err := paths.Read(path, data, paths.Options{Straight: true})
	if err != nil {
		return nil, &dataset.FormatError{File: path, Err: err}
	}
	for _, p := range f.Paths {
		last := len(p.X) - 1
		if p.Times == nil || last < 1 {
			return nil, &dataset.FormatError{File: path, Reason: fmt.Sprintf("the trip of %q has %d points with times, want two or more", p.Robot, len(p.Times))}
		}
		t := trip{x: p.X}
		for _, time := range p.Times {
			t.times = append(t.times, (time-p.Times[0])/(p.Times[last]-p.Times[0]))
		}
		out = append(out, t)
	}
	return out, nil
}

// arrayTrips reads the trips of an array, whose points are at even times.
func arrayTrips(path string) (out []trip, err error) {
	arrays, err := readArrays(path)
	if err != nil {
		return nil, err
	}
	for _, a := range arrays {
		if len(a.Shape) != 3 || a.Shape[1] < 2 || a.Shape[2] != 2 && a.Shape[2] != 4 {
			continue
		}
		values, err := numbersOf(a)
		if err != nil {
			return nil, &dataset.FormatError{File: path, Part: a.Name, Err: err}
		}
		n, h, channels := a.Shape[0], a.Shape[1], a.Shape[2]
		for k := range n {
			t := trip{}
			for w := range h {
				at := (k*h + w) * channels
				p := geom.Vec2{X: values[at], Y: values[at+1]}
				if !p.IsFinite() {
					return nil, &dataset.FormatError{File: path, Part: a.Name, Reason: fmt.Sprintf("point %d of trip %d is (%v, %v), want finite numbers", w, k, p.X, p.Y)}
				}
				t.times, t.x = append(t.times, float64(w)/float64(h-1)), append(t.x, p)
			}
			out = append(out, t)
		}
		return out, nil
	}
	return nil, &dataset.FormatError{File: path, Reason: "it has no array of shape [n h 2] or [n h 4]"}
}

// numbersOf returns the numbers of an array of float64 or float32.
func numbersOf(a dataset.Array) ([]float64, error) {
	if v, err := dataset.Values[float64](a); err == nil {
		return v, nil
	}
	v, err := dataset.Values[float32](a)
	out := make([]float64, len(v))
	for k := range v {
		out[k] = float64(v[k])
	}
	return out, err
}
