package timed

import (
	"testing"

	"github.com/go-pcd/pcd/geom"
)

func TestAt(t *testing.T) {
	times, points := []float64{1, 2, 4}, []geom.Vec2{{X: 1}, {X: 3}, {X: 3, Y: 8}}
	for when, want := range map[float64]geom.Vec2{
		0: {X: 1}, 1: {X: 1}, 1.5: {X: 2}, 2: {X: 3}, 2.5: {X: 3, Y: 2}, 4: {X: 3, Y: 8}, 9: {X: 3, Y: 8},
	} {
		if got := At(times, points, when); got != want {
			t.Errorf("at %v it is at %v, want %v", when, got, want)
		}
	}
}
