package policy

import (
	"fmt"
	"image"
	"image/draw"
	"maps"
	"math"
	"slices"
)

// Observation is what a robot sees and feels at one moment, under the keys of the data set
// that its policy learned from; the names of simulators (agent_pos, environment_state, pixels
// and pixels.<camera>) are understood, too. What a policy does not use may be there.
type Observation struct {
	Vectors map[string][]float32 // in the units of the data set
	Images  map[string]Image
}

// Image is a picture of bytes, line by line, pixel by pixel, red, green and blue.
type Image struct {
	Height, Width, Channels int
	Pix                     []uint8
}

// FromImage copies a picture, without its transparency.
func FromImage(m image.Image) Image {
	b := m.Bounds()
	rgba := image.NewNRGBA(image.Rect(0, 0, b.Dx(), b.Dy()))
	draw.Draw(rgba, rgba.Bounds(), m, b.Min, draw.Src)
	out := Image{b.Dy(), b.Dx(), 3, make([]uint8, 0, 3*b.Dx()*b.Dy())}
	for at := 0; at < len(rgba.Pix); at += 4 {
		out.Pix = append(out.Pix, rgba.Pix[at:at+3]...)
	}
	return out
}

// simulated are the names that simulators give to features.
var simulated = map[string]string{stateKey: "agent_pos", environmentKey: "environment_state"}

// names returns the keys under which an observation may have a feature: its own, unless the
// folder gives that name to another feature, and those that are renamed to it; each as simulators
// call it, too.
func (p *Policy) names(key string) (out []string) {
	if to, renamed := p.rename[key]; !renamed || to == key {
		out = aliases(key)
	}
	for _, from := range slices.Sorted(maps.Keys(p.rename)) {
		if from != key && p.rename[from] == key {
			out = append(out, aliases(from)...)
		}
	}
	return out
}

// aliases returns a key and the name that simulators give it.
func aliases(key string) []string {
	out := []string{key}
	if name, ok := simulated[key]; ok {
		out = append(out, name)
	}
	const one, many = imagePrefix, imagePrefix + "s."
	switch {
	case key == one:
		out = append(out, "pixels")
	case len(key) > len(many) && key[:len(many)] == many:
		out = append(out, "pixels."+key[len(many):])
	}
	return out
}

// vector returns the numbers of a feature.
func (p *Policy) vector(o Observation, f Feature, step int) ([]float32, error) {
	for _, name := range p.names(f.Key) {
		v, ok := o.Vectors[name]
		if !ok {
			continue
		}
		if len(v) != f.Size() {
			return nil, &ObservationError{f.Key, step, fmt.Sprintf("%d numbers", len(v)), fmt.Sprint(f.Size())}
		}
		for i, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return nil, &ObservationError{f.Key, step, fmt.Sprintf("%g at number %d", x, i), "finite numbers"}
			}
		}
		return v, nil
	}
	return nil, &ObservationError{f.Key, step, "missing", fmt.Sprintf("%d numbers", f.Size())}
}

// image returns the picture of a camera.
func (p *Policy) image(o Observation, f Feature, step int) (Image, error) {
	c, h, w := f.Shape[0], f.Shape[1], f.Shape[2]
	for _, name := range p.names(f.Key) {
		m, ok := o.Images[name]
		if !ok {
			continue
		}
		if m.Height != h || m.Width != w || m.Channels != c || len(m.Pix) != h*w*c {
			return Image{}, &ObservationError{f.Key, step,
				fmt.Sprintf("a picture of %d×%d pixels with %d channels and %d bytes", m.Width, m.Height, m.Channels, len(m.Pix)),
				fmt.Sprintf("%d×%d pixels with %d channels, line by line: shape [%d %d %d] of height, width and channels", w, h, c, h, w, c)}
		}
		return m, nil
	}
	return Image{}, &ObservationError{f.Key, step, "missing", fmt.Sprintf("a picture of %d×%d pixels", w, h)}
}

// kept returns what the policy is told of an observation, in memory of its own.
func (p *Policy) kept(o Observation) Observation {
	out := Observation{map[string][]float32{}, map[string]Image{}}
	for _, f := range p.config.told() {
		for _, name := range p.names(f.Key) {
			if v, ok := o.Vectors[name]; ok && f.Type != Visual {
				out.Vectors[name] = slices.Clone(v)
			}
			if m, ok := o.Images[name]; ok && f.Type == Visual {
				m.Pix = slices.Clone(m.Pix)
				out.Images[name] = m
			}
		}
	}
	return out
}

// planes writes a picture channel by channel, bytes as numbers from 0 to 1.
func (m Image) planes(dst []float32) {
	size := m.Height * m.Width
	for i, v := range m.Pix {
		dst[i%m.Channels*size+i/m.Channels] = float32(v) / 255
	}
}
