package pusht

import "github.com/go-pcd/pcd/geom"

// agent is the disk that pushes. It is kinematic: it goes where it is told, and
// contacts do not hold it back.
type agent struct {
	position, velocity geom.Vec2
}

// The controller: gains of position and velocity.
const (
	gainP = 100
	gainV = 20
)

// steer sets the velocity for the next substep on the way to a target.
func (a *agent) steer(target geom.Vec2) {
	pull := target.Sub(a.position).Scale(gainP)
	drag := geom.Vec2{}.Sub(a.velocity).Scale(gainV)
	a.velocity = a.velocity.Add(pull.Add(drag).Scale(substep))
}

func (a *agent) move() { a.position = a.position.Add(a.velocity.Scale(substep)) }

func (a *agent) bounds() geom.Box {
	return geom.Box{Min: a.position, Max: a.position}.Grow(agentRadius)
}

// twist is a velocity of the block: of its centre of gravity and around it.
type twist struct {
	linear  geom.Vec2
	angular float64
}

// at returns the velocity of the point with arm r.
func (t twist) at(r geom.Vec2) geom.Vec2 { return r.Perp().Scale(t.angular).Add(t.linear) }

// push adds the effect of the impulse j applied at arm r.
func (t *twist) push(j, r geom.Vec2) {
	t.linear = t.linear.Add(j.Scale(1 / blockMass))
	t.angular += r.Cross(j) * (1 / blockInertia)
}

// block is the T. Its centre and angle are what moves; origin, corners and
// normals follow from them.
type block struct {
	centre geom.Vec2 // centre of gravity
	angle  float64

	velocity twist
	bias     twist // moves overlapping shapes apart in the next substep, then is forgotten

	origin geom.Vec2
	turn   rotation
	parts  [parts]part
}

// part is a convex half of the block in the window.
type part struct {
	corner [4]geom.Vec2
	normal [4]geom.Vec2 // outward, of the edge that ends at the corner
	bounds geom.Box
}

// move integrates the position over one substep.
func (b *block) move() {
	if b.velocity == (twist{}) && b.bias == (twist{}) {
		return // at rest
	}
	b.centre = b.centre.Add(b.velocity.linear.Add(b.bias.linear).Scale(substep))
	b.angle += (b.velocity.angular + b.bias.angular) * substep
	b.bias = twist{}
	b.follow()
}

// turnTo sets the angle; the centre of gravity stays, so the origin moves.
func (b *block) turnTo(angle float64) {
	b.angle = angle
	b.follow()
}

// moveTo sets the origin; the angle stays.
func (b *block) moveTo(origin geom.Vec2) {
	b.centre = b.turn.apply(gravityCentre).Add(origin)
	b.follow()
}

// follow brings everything that depends on centre and angle up to date.
func (b *block) follow() {
	b.turn = rotationBy(b.angle)
	b.origin = b.centre.Sub(b.turn.apply(gravityCentre))
	for i := range b.parts {
		p := &b.parts[i]
		for k, q := range outline[i] {
			p.corner[k] = b.turn.apply(q).Add(b.origin)
			p.normal[k] = b.turn.apply(outlineNormal[k])
		}
		p.bounds = boundsOf(p.corner)
	}
}

func boundsOf(corners [4]geom.Vec2) geom.Box {
	b := geom.Box{Min: corners[0], Max: corners[0]}
	for _, c := range corners[1:] {
		b.Min = geom.Vec2{X: min(b.Min.X, c.X), Y: min(b.Min.Y, c.Y)}
		b.Max = geom.Vec2{X: max(b.Max.X, c.X), Y: max(b.Max.Y, c.Y)}
	}
	return b
}

func (b *block) pose() Pose { return Pose{Position: b.origin, Angle: b.angle} }
