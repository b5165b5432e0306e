package portrait

import "math/rand/v2"

// Gender is what the portraits distinguish beside age.
type Gender int

// The genders, in the order of the published classes.
const (
	Male Gender = iota
	Female
)

// String returns the name of the class.
func (g Gender) String() string { return [...]string{"male", "female"}[g] }

// Person is what stays the same over a life. Numbers without a unit are from 0 to 1,
// little to much.
type Person struct {
	Gender Gender

	// The head.
	Width, Jaw, Chin, Cheeks, Forehead, Ears float64
	// Its features.
	EyeSize, EyeDistance, EyeTilt, Brows, BrowArch float64
	NoseLength, NoseWidth, MouthWidth, Lips        float64
	// Colours.
	Melanin, Warmth, HairDarkness, HairRedness, EyeHue float64
	// Hair and beard.
	HairLength, HairVolume, Parting, Fringe float64
	Beard                                   Beard
	Glasses                                 Glasses
	// How early age shows: 0.5 is the average.
	Greying, Balding, Folding float64
}

// Beard is how a man shaves.
type Beard int

// The beards.
const (
	Shaven Beard = iota
	Moustache
	Goatee
	FullBeard
	beards
)

// Glasses is what somebody wears before the eyes.
type Glasses int

// The glasses.
const (
	NoGlasses Glasses = iota
	RoundGlasses
	SquareGlasses
)

// drawPerson draws a person at random.
func drawPerson(r *rand.Rand, g Gender) Person {
	p := Person{Gender: g}
	for _, f := range []*float64{
		&p.Width, &p.Jaw, &p.Chin, &p.Cheeks, &p.Forehead, &p.Ears,
		&p.EyeSize, &p.EyeDistance, &p.EyeTilt, &p.Brows, &p.BrowArch,
		&p.NoseLength, &p.NoseWidth, &p.MouthWidth, &p.Lips,
		&p.Melanin, &p.Warmth, &p.HairDarkness, &p.HairRedness, &p.EyeHue,
		&p.HairLength, &p.HairVolume, &p.Parting, &p.Fringe,
		&p.Greying, &p.Balding, &p.Folding,
	} {
		*f = r.Float64()
	}
	if r.Float64() < 0.5 {
		p.Beard = Beard(r.IntN(int(beards)))
	}
	if r.Float64() < 0.25 {
		p.Glasses = RoundGlasses + Glasses(r.IntN(2))
	}
	p.HairDarkness = p.HairDarkness*(1-0.7*p.Melanin) + 0.7*p.Melanin
	if g == Male {
		p.HairLength *= 0.35
		p.Jaw = 0.35 + 0.65*p.Jaw
		p.Brows = 0.35 + 0.65*p.Brows
		p.Lips *= 0.6
	} else {
		p.HairLength = 0.45 + 0.55*p.HairLength
		p.Jaw *= 0.6
		p.Brows *= 0.6
		p.Lips = 0.35 + 0.65*p.Lips
		p.Beard = Shaven
	}
	return p
}

// skin returns the colour of the skin.
func (p Person) skin() rgb {
	tones := [...]rgb{
		{0.99, 0.87, 0.78}, {0.95, 0.78, 0.65}, {0.87, 0.66, 0.50},
		{0.73, 0.51, 0.36}, {0.54, 0.36, 0.25}, {0.37, 0.24, 0.17},
	}
	c := along(tones[:], p.Melanin)
	return c.mix(rgb{c[0], c[1] * 0.94, c[2] * 0.86}, p.Warmth)
}

// hair returns the colour that the hair had in youth.
func (p Person) hair() rgb {
	tones := [...]rgb{
		{0.89, 0.75, 0.48}, {0.70, 0.51, 0.29}, {0.46, 0.30, 0.17}, {0.27, 0.17, 0.11}, {0.11, 0.09, 0.08},
	}
	c := along(tones[:], p.HairDarkness)
	if p.HairRedness > 0.85 && p.HairDarkness < 0.7 {
		c = c.mix(rgb{0.71, 0.31, 0.13}, 0.75)
	}
	return c
}

// iris returns the colour of the eyes.
func (p Person) iris() rgb {
	tones := [...]rgb{{0.36, 0.55, 0.73}, {0.38, 0.53, 0.39}, {0.47, 0.34, 0.18}, {0.27, 0.17, 0.10}}
	return along(tones[:], min(1, p.EyeHue*0.6+p.Melanin*0.8))
}

// along returns a colour between those of a scale, at t from 0 to 1.
func along(scale []rgb, t float64) rgb {
	at := min(max(t, 0), 1) * float64(len(scale)-1)
	i := min(int(at), len(scale)-2)
	return scale[i].mix(scale[i+1], at-float64(i))
}
