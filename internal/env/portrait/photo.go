package portrait

import (
	"math/rand/v2"

	"github.com/go-pcd/pcd/noise"
)

// Photo is a person at an age in a setting.
type Photo struct {
	Person
	Age     float64 // years
	Setting Setting
}

// Setting is what a photographer chooses. Numbers without a unit are from 0 to 1.
type Setting struct {
	Yaw, Roll  float64 // turn and tilt of the head, -1 to 1
	Right, Low float64 // place in the picture, -1 to 1
	Size       float64
	Light      float64 // side that the light comes from, -1 to 1
	Brightness float64
	Smile      float64 // -1 to 1
	Gaze       float64 // -1 to 1
	Backdrop   [3]float64
	Shirt      [3]float64 // hue, saturation, value
	Collar     int
}

// Album is an endless sequence of photos of different people.
type Album struct {
	Seed uint64
	// Ages are the ages drawn; the zero value is Youngest to Oldest.
	Ages [2]float64
}

// At returns photo i of the album. Men and women, young and old are equally frequent:
// half of the ages are drawn below [Old], half from it on.
func (a Album) At(i uint64) Photo {
	r := rand.New(noise.NewSource(noise.New(a.Seed).Sub("portrait"), i))
	p := Photo{Person: drawPerson(r, Gender(r.IntN(2)))}
	p.Age = a.drawAge(r)
	p.Setting = drawSetting(r)
	return p
}

func (a Album) drawAge(r *rand.Rand) float64 {
	lo, hi := a.Ages[0], a.Ages[1]
	if lo == 0 && hi == 0 {
		lo, hi = Youngest, Oldest
	}
	side, t := r.IntN(2), r.Float64()
	switch {
	case lo >= Old || hi <= Old:
		return lo + t*(hi-lo)
	case side == 0:
		return lo + t*(Old-lo)
	default:
		return Old + t*(hi-Old)
	}
}

// Old is the age from which a portrait counts as old: the published split of the age
// groups. Source: spec of the image experiment, classes 0 to 7 and 8 to 9.
const Old = 50.0

func drawSetting(r *rand.Rand) Setting {
	signed := func() float64 { return r.Float64() + r.Float64() - 1 }
	s := Setting{
		Yaw: signed(), Roll: signed(), Right: signed(), Low: signed(), Size: r.Float64(),
		Light: 2*r.Float64() - 1, Brightness: r.Float64(), Smile: signed() + 0.2, Gaze: signed(),
		Collar: r.IntN(3),
	}
	s.Backdrop = [3]float64{r.Float64(), 0.05 + 0.2*r.Float64(), 0.72 + 0.23*r.Float64()}
	s.Shirt = [3]float64{r.Float64(), 0.15 + 0.6*r.Float64(), 0.25 + 0.65*r.Float64()}
	return s
}

// Plain is the setting of a passport photo: the head straight and in the middle, even
// light, a white shirt before a light backdrop.
func Plain() Setting {
	return Setting{
		Size: 0.5, Light: 0.15, Brightness: 0.6, Smile: 0.15,
		Backdrop: [3]float64{0.58, 0.06, 0.9}, Shirt: [3]float64{0.6, 0.05, 0.93},
	}
}

// hsv returns the colour of a hue, a saturation and a value from 0 to 1.
func hsv(c [3]float64) rgb {
	var out rgb
	for i, shift := range [...]float64{0, 2.0 / 3, 1.0 / 3} {
		h := c[0] + shift
		h -= float64(int(h))
		d := min(max(absolute(6*h-3)-1, 0), 1)
		out[i] = float32(c[2] * (1 - c[1]*(1-d)))
	}
	return out
}

func absolute(x float64) float64 { return max(x, -x) }
