package pair

import (
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/env/portrait"
)

// The exemplars that are drawn where none are given: one man and one woman, each young
// and old, in a passport photo and in two other clothings.
const (
	exemplarSeed = 20 // of the album that the people are from; no part was trained on it
	exemplarSize = 128
)

// ages are how old the man and the woman are, young and old: such that the model that ships
// draws as many pairs with an old man as with an old woman.
var ages = [2][2]float64{portrait.Male: {28, 80}, portrait.Female: {28, 76}}

// MostDrawn is how many exemplars there are of every person.
const MostDrawn = 6

// MostTogether is how many images of different ages there are exemplars for: below 40
// people look alike, so that neither a picture nor the judge tells a fifth age.
const MostTogether = 4

// drawExemplars returns n exemplars of the man or of the woman that ship with the
// program, 2 to [MostDrawn]: young, old, then both in other clothes, in the order of the
// published sets. Only age and clothes differ.
func drawExemplars(g portrait.Gender, n int) (all []Exemplar) {
	for i := range min(max(n, 2), MostDrawn) {
		all = append(all, drawn(g, 0, ages[g][i%2], i/2))
	}
	return all
}

// DrawMembers returns members with exemplars that are drawn, for an attribute that is to
// differ. Of two images, the exemplars of the first are a man's and those of the second
// a woman's, young and old; where gender is to differ, those of the first are young and
// those of the second old, a man and a woman. More images, up to [MostTogether], are of
// men and women by turns, with an exemplar of every group of ages.
func DrawMembers(a Attribute, images, exemplars int) (all []Member) {
	if a == Gender {
		for i := range images {
			m := Member{Name: [...]string{"young", "old"}[i%2]}
			for k := range min(max(exemplars, 2), MostDrawn) {
				g := portrait.Gender(k % 2)
				m.Exemplars = append(m.Exemplars, drawn(g, 0, ages[g][i%2], k/2))
			}
			all = append(all, m)
		}
		return all
	}
	for i := range images {
		g := portrait.Gender(i % 2)
		m := Member{Name: g.String()}
		if images <= 2 {
			m.Exemplars = drawExemplars(g, exemplars)
		} else {
			m.Name = fmt.Sprintf("%s-%d", g, i/2+1)
			for _, age := range spread(images) {
				m.Exemplars = append(m.Exemplars, drawn(g, i/2, age, 0))
			}
		}
		all = append(all, m)
	}
	return all
}

// spread returns ages in the middle of the groups that images are told apart by.
func spread(images int) (middles []float64) {
	ends := append([]float64{portrait.Youngest, portrait.Oldest}, cuts[:min(images-1, len(cuts))]...)
	slices.Sort(ends)
	for i := range ends[1:] {
		middles = append(middles, (ends[i]+ends[i+1])/2)
	}
	return middles
}

// drawn returns the exemplar of a person at an age in an outfit.
func drawn(g portrait.Gender, identity int, age float64, clothes int) Exemplar {
	p := portrait.Photo{Person: exemplarOf(g, identity), Age: age, Setting: outfit(clothes)}
	return Exemplar{Name: fmt.Sprintf("%s-%d-%.0f-%d", g, identity+1, age, clothes+1), Picture: picture(p, exemplarSize)}
}

// exemplarOf returns the person of a gender in the album who is the n-th with a bare
// face.
func exemplarOf(g portrait.Gender, n int) portrait.Person {
	album := portrait.Album{Seed: exemplarSeed}
	for i := uint64(0); ; i++ {
		p := album.At(i).Person
		if p.Gender != g || p.Glasses != portrait.NoGlasses || p.Beard != portrait.Shaven {
			continue
		}
		if n--; n < 0 {
			return p
		}
	}
}

// outfit returns a setting: that of a passport photo, and others that differ from it in
// clothes and backdrop.
func outfit(i int) portrait.Setting {
	s := portrait.Plain()
	switch i {
	case 1:
		s.Shirt, s.Backdrop, s.Collar = [3]float64{0.6, 0.55, 0.45}, [3]float64{0.08, 0.12, 0.88}, 2
	case 2:
		s.Shirt, s.Backdrop, s.Collar = [3]float64{0.98, 0.6, 0.55}, [3]float64{0.35, 0.1, 0.84}, 1
	}
	return s
}

// picture draws a photo.
func picture(p portrait.Photo, size int) *dataset.Picture {
	pixels := make([]float32, size*size*3)
	p.Render(pixels, size)
	out := dataset.NewPicture(size, size)
	for i, v := range pixels {
		out.Pix[i] = uint8(v*255 + 0.5)
	}
	return out
}
