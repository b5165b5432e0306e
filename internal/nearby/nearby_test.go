package nearby

import (
	"math"
	"testing"

	"github.com/go-pcd/pcd/geom"
)

// Places come from the inside to the outside, and no disk of a fifth of its distance is between them.
func TestAround(t *testing.T) {
	at := geom.Vec2{X: 3, Y: -2}
	var places []geom.Vec2
	last := 0.0
	for p := range Around(at, 0.5, 20) {
		d := p.Dist(at)
		if d < last*(1-1e-12) || d < 0.5*(1-1e-12) || d > 20*(1+1e-12) {
			t.Fatalf("%v is %v away, after %v", p, d, last)
		}
		places, last = append(places, p), d
	}
	for k := range 500 {
		d := 0.6 * math.Pow(30, float64(k)/500)
		sin, cos := math.Sincos(float64(k))
		middle := at.Add(geom.Vec2{X: d * cos, Y: d * sin})
		least := math.Inf(1)
		for _, p := range places {
			least = min(least, p.Dist(middle))
		}
		if least > d/5/2 {
			t.Errorf("%v is %v from the nearest place", middle, least)
		}
	}
	for p := range Around(at, 1, 2) {
		if d := p.Dist(at); math.Abs(d-1) > 1e-12 {
			t.Errorf("the first place is %v away", d)
		}
		break
	}
}

// What is found is free as it is told, and nearly as near as what there is.
func TestFree(t *testing.T) {
	room := geom.Box{Max: geom.Vec2{X: 10, Y: 10}}
	tell := func(p geom.Vec2) (told, there geom.Vec2) {
		told = geom.Vec2{X: math.Round(p.X*100) / 100, Y: math.Round(p.Y*100) / 100}
		return told, told
	}
	pillar := func(p geom.Vec2) bool { return room.Contains(p) && p.Dist(geom.Vec2{X: 5, Y: 5}) > 2 }
	for _, at := range []geom.Vec2{{X: 5, Y: 5}, {X: 4, Y: 5.5}, {X: 50, Y: 5}, {X: -1e9, Y: 1e300}} {
		p := Free(at, room, 0.01, tell, pillar)
		if p == nil || !pillar(*p) || *p != (geom.Vec2{X: math.Round(p.X*100) / 100, Y: math.Round(p.Y*100) / 100}) {
			t.Fatalf("near %v: %v", at, p)
		}
		if d := p.Dist(geom.Vec2{X: 5, Y: 5}); at.Dist(geom.Vec2{X: 5, Y: 5}) < 2 && d > 2.4 {
			t.Errorf("near %v: %v, which is %v from the middle of the pillar", at, *p, d)
		}
	}
	if p := Free(geom.Vec2{X: 5, Y: 5}, room, 0.01, tell, func(geom.Vec2) bool { return false }); p != nil {
		t.Errorf("%v is free where nothing is", *p)
	}
}
