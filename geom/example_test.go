package geom_test

import (
	"fmt"

	"github.com/go-pcd/pcd/geom"
)

// A box, and one grown by the radius of a robot.
func ExampleBox() {
	b := geom.Box{Min: geom.Vec2{X: 0, Y: 0}, Max: geom.Vec2{X: 4, Y: 2}}
	grown := b.Grow(1)
	fmt.Println(b.Center(), grown.Size(), grown.Contains(geom.Vec2{X: -0.5, Y: 1}))
	// Output: {2 1} {6 4} true
}
