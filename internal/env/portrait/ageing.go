package portrait

// The ages that portraits are drawn at, in years.
const (
	Youngest = 18.0
	Oldest   = 90.0
)

// Ageing is what age does to a face. All numbers are from 0 to 1 and grow with age.
type Ageing struct {
	Grey      float64 // share of the hair without its colour
	Recession float64 // how far the hairline is back
	Folds     float64 // how deep the folds of the skin are
	Sag       float64 // how far cheeks and jaw hang
	Droop     float64 // how far the lids hang
	Loss      float64 // volume that lips and hair lost
	Pallor    float64 // colour that the skin lost
}

// Ageing returns what an age does to a person. The onsets are ours: greying begins in
// the thirties and is complete about 75, folds show from 35 on, hair of the men who
// lose it goes between 28 and 65. How early each begins differs between people by up
// to ten years either way.
func (p Person) Ageing(age float64) Ageing {
	early := func(rate float64) float64 { return 20 * (rate - 0.5) }
	a := Ageing{
		Grey:   rise(age+early(p.Greying), 38, 72),
		Folds:  rise(age+early(p.Folding), 36, 78),
		Sag:    rise(age+early(p.Folding), 42, 85),
		Droop:  rise(age+early(p.Folding), 40, 85),
		Loss:   rise(age, 45, 88),
		Pallor: rise(age, 45, 85),
	}
	if p.Gender == Male && p.Balding > 0.45 {
		a.Recession = (0.3 + 0.7*(p.Balding-0.45)/0.55) * rise(age, 28, 66)
	} else {
		a.Recession = 0.12 * rise(age, 35, 80)
	}
	return a
}

// rise goes smoothly from 0 at from to 1 at to.
func rise(x, from, to float64) float64 {
	t := min(max((x-from)/(to-from), 0), 1)
	return t * t * (3 - 2*t)
}
