package nav2d

import (
	"errors"
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func at(xy ...float64) (path []geom.Vec2) {
	for i := 0; i < len(xy); i += 2 {
		path = append(path, geom.Vec2{X: xy[i], Y: xy[i+1]})
	}
	return path
}

// duo are two robots of radius 1/16 with a speed limit of 1/2 in units of 2, a step of 1,
// and a rounded box of 1/2 × 1/4 with corners of 1/16 at the origin of a workspace of 4.
func duo() Continuous {
	return Continuous{
		Bounds: geom.Box{Min: geom.Vec2{X: -2, Y: -2}, Max: geom.Vec2{X: 2, Y: 2}}, Radii: []float64{0.0625, 0.0625},
		Obstacles: []geom.RoundedBox{{Size: geom.Vec2{X: 0.5, Y: 0.25}, Radius: 0.0625}},
		Limits:    []float64{0.5, 0.5}, HalfRange: [2]float64{2, 2}, Step: 1,
	}
}

// Closed forms: what is kept, broken, or held to the last bit.
func TestContinuousClosedForms(t *testing.T) {
	aside := at(-1.5, -1.5, -1.5, -1.5)
	const below = 1 - 0x1p-52
	for name, c := range map[string]struct {
		a, b []geom.Vec2
		want Moments
	}{
		"far":                         {at(1, 1, 1, 1.5), aside, Moments{}},
		"through each other":          {at(-1.5, 1, -0.5, 1), at(-0.5, 1, -1.5, 1), Moments{Separation: Finding{1, 0}, Speed: Finding{0, 2}}},
		"past at the sum of radii":    {at(-1.5, 1, -1, 1), at(-1, 1.125, -1.5, 1.125), Moments{Separation: Finding{0, 1}}},
		"past a bit nearer":           {at(-1.5, 1, -1, 1), at(-1, 1.125-0x1p-50, -1.5, 1.125-0x1p-50), Moments{Separation: Finding{1, 1}}},
		"at rest, coincident":         {at(1, 1, 1, 1), at(1, 1, 1, 1), Moments{Separation: Finding{1, 0}}},
		"along the box":               {at(-0.5, 0.1875, 0.5, 0.1875), aside, Moments{Obstacles: Finding{0, 1}, Speed: Finding{0, 1}}},
		"a bit into the box":          {at(-0.25, 0.1875*below, 0.25, 0.1875*below), aside, Moments{Obstacles: Finding{1, 1}}},
		"through the box":             {at(-0.5, 0, 0.5, 0), aside, Moments{Obstacles: Finding{1, 0}, Speed: Finding{0, 1}}},
		"within the box":              {at(0, 0, 0, 0), aside, Moments{Obstacles: Finding{1, 0}}},
		"past the corner":             {at(0.25, 0.25, 0.375, 0.125), aside, Moments{}},
		"over the corner, in between": {at(0.25, 0.1875, 0.375, 0), aside, Moments{Obstacles: Finding{1, 0}}},
		"along the border":            {at(1, 1.9375, 1.5, 1.9375), aside, Moments{Border: Finding{0, 2}}},
		"over the border":             {at(1.9375, 1, 1.96875, 1), aside, Moments{Border: Finding{1, 1}}},
		"too fast":                    {at(1, 1, 1, 0), aside, Moments{Speed: Finding{0, 1}}},
		"too fast by a bit":           {at(1, 1, 1, -0x1p-40), aside, Moments{Speed: Finding{1, 1}}},
		"much too fast":               {at(1, 1, 1, -0.5), aside, Moments{Speed: Finding{1, 0}}},
	} {
		got, err := duo().Judge([][]geom.Vec2{c.a, c.b})
		if err != nil || got != c.want {
			t.Errorf("%s: %+v, %v, want %+v", name, got, err, c.want)
		}
		broken := c.want.Speed.Broken + c.want.Separation.Broken + c.want.Obstacles.Broken + c.want.Border.Broken
		if got.Kept() != (broken == 0) {
			t.Errorf("%s: kept %v", name, got.Kept())
		}
	}
}

func TestContinuousRefuses(t *testing.T) {
	round := duo()
	round.Obstacles[0].Radius = 0.125
	one := duo()
	one.Limits = one.Limits[:1]
	good := at(1, 1, 1, 1)
	for name, c := range map[string]struct {
		judge Continuous
		paths [][]geom.Vec2
	}{
		"a round obstacle": {round, [][]geom.Vec2{good, good}}, "one limit": {one, [][]geom.Vec2{good, good}}, "no paths": {duo(), nil},
		"other lengths": {duo(), [][]geom.Vec2{good, at(1, 1)}}, "not a number": {duo(), [][]geom.Vec2{good, at(1, 1, 1, math.NaN())}},
	} {
		var refused *ShapeError
		if _, err := c.judge.Judge(c.paths); !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
