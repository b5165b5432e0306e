package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

// Size is the width and the height of the window in pixels; the goal lies in its
// middle.
const Size = 512

// The parts of the block, in the order in which the world builds them.
const (
	bar = iota
	stem
	parts
)

// Mass properties of the block. They are not those of its shape: the inertia
// counts the bar twice, and the centre of gravity is the mean of the centroids of
// the parts without regard to their areas.
const (
	blockMass    = 1.0
	blockInertia = 3000.0
)

// gravityCentre is the centre of gravity of the block in its own frame.
var gravityCentre = geom.Vec2{X: 0, Y: 45}

// outline holds the corners of the parts in the frame of the block, whose origin
// is the middle of the outer edge of the bar. The order fixes which corner names a
// contact.
var outline = [parts][4]geom.Vec2{
	bar:  {{X: -60, Y: 0}, {X: 60, Y: 0}, {X: 60, Y: 30}, {X: -60, Y: 30}},
	stem: {{X: -15, Y: 30}, {X: 15, Y: 30}, {X: 15, Y: 120}, {X: -15, Y: 120}},
}

// outlineNormal holds the outward normal of the edge that ends at each corner.
var outlineNormal = [4]geom.Vec2{{X: -1, Y: 0}, {X: 0, Y: -1}, {X: 1, Y: 0}, {X: 0, Y: 1}}

// Keypoints is the number of points of the block that are observed.
const Keypoints = 9

// keypoints holds the observed points in the frame of the block: nine points far
// from each other on a drawing of the block, shifted by a fraction of a pixel.
//
// Source: the observation of the PushT task of Chi et al., "Diffusion Policy"
// (RSS 2023), whose generator always yields these numbers.
var keypoints = [Keypoints]geom.Vec2{
	{X: 9.269786713763871, Y: 90.04097352393619},
	{X: -60.983472364471474, Y: -1.1867297607997276},
	{X: 60.91275557727772, Y: -1.3933642242328201},
	{X: -0.2705034390160016, Y: 25.54362499146542},
	{X: -14.064927576212233, Y: 122.81585355412153},
	{X: 39.002738500170146, Y: 32.857404276587566},
	{X: -39.966414424694534, Y: 32.729655446429945},
	{X: -16.82434437939744, Y: 62.86317892234989},
	{X: 23.54146122024909, Y: -1.7002881094626152},
}

// Pose is where a body is: the position of its origin in pixels and its angle in
// radians, not reduced to one turn.
type Pose struct {
	Position geom.Vec2
	Angle    float64
}

// Goal is the pose that the block is to be pushed to.
var Goal = Pose{Position: geom.Vec2{X: Size / 2, Y: Size / 2}, Angle: math.Pi / 4}

// rotation turns vectors by a fixed angle.
type rotation struct{ cos, sin float64 }

func rotationBy(angle float64) rotation {
	return rotation{cos: math.Cos(angle), sin: math.Sin(angle)}
}

func (r rotation) apply(v geom.Vec2) geom.Vec2 {
	return geom.Vec2{X: r.cos*v.X - r.sin*v.Y, Y: r.sin*v.X + r.cos*v.Y}
}
