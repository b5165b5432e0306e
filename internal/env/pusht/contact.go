package pusht

import "github.com/go-pcd/pcd/geom"

// Constants of the contact solver. Slop and bias are float32 arithmetic in the
// reference: 0.1 and (1 - 0.1)^60.
//
// Source: Chipmunk2D 7.0.3, the iterative solver of Catto, "Iterative dynamics
// with temporal coherence" (2005).
const (
	sweeps      = 10
	slop        = 0.10000000149011612  // overlap that is tolerated, px
	persistence = 3                    // substeps until a pair that parted is forgotten
	correction  = 0.061259621561307376 // part of the overlap undone in a substep: 1 - 0.0017970074436457143^0.01
)

// contact is one point at which two shapes touch.
type contact struct {
	armOther geom.Vec2 // from the agent, or the origin for a wall
	armBlock geom.Vec2 // from the centre of gravity of the block
	key      int8      // names the features that meet

	mass        float64 // effective mass along the normal
	bias        float64 // speed at which the overlap is undone
	impulse     float64 // accumulated along the normal
	biasImpulse float64
}

// touch is a pair of shapes that touches or did lately.
type touch struct {
	normal  geom.Vec2 // from the agent or wall to the part
	contact [2]contact
	n       int

	last   int // substep of the last contact
	known  bool
	cached bool // parted
	first  bool // touching for the first time, or again
}

// renew replaces the contacts of a pair that touches in substep now. A contact
// between the same features goes on with its impulse.
func (t *touch) renew(m *manifold, other, centre geom.Vec2, now int) {
	old, n := t.contact, t.n
	if !t.known {
		n = 0
	}
	for i := range m.n {
		p := m.point[i]
		c := contact{armOther: p.onOther.Sub(other), armBlock: p.onPart.Sub(centre), key: p.key}
		for _, o := range old[:n] {
			if o.key == c.key {
				c.impulse = o.impulse
			}
		}
		t.contact[i] = c
	}
	t.normal, t.n = m.normal, m.n
	if !t.known || t.cached {
		t.first = true
	}
	t.last, t.known, t.cached = now, true, false
}

// age marks a pair that did not touch in substep now, and forgets it in the end.
func (t *touch) age(now int) {
	if t.last != now {
		t.cached = true
	}
	if now-t.last >= persistence {
		t.known = false
	}
}

// prepare computes what the sweeps need. apart is the way from the other body to
// the centre of gravity of the block.
func (t *touch) prepare(apart geom.Vec2) {
	for i := range t.contact[:t.n] {
		c := &t.contact[i]
		lever := c.armBlock.Cross(t.normal)
		c.mass = 1 / (1/blockMass + 1/blockInertia*lever*lever)
		distance := c.armBlock.Sub(c.armOther).Add(apart).Dot(t.normal)
		c.bias = -correction * min(0, distance+slop) / substep
		c.biasImpulse = 0
	}
}

// resume applies the impulses of the previous substep.
func (t *touch) resume(b *block) {
	if t.first {
		return
	}
	for i := range t.contact[:t.n] {
		c := &t.contact[i]
		b.velocity.push(t.normal.Scale(c.impulse), c.armBlock)
	}
}

// sweep improves the impulses of the pair once; other is the velocity of the
// agent or wall. There is no friction and no bounce.
func (t *touch) sweep(b *block, other geom.Vec2) {
	n := t.normal
	for i := range t.contact[:t.n] {
		c := &t.contact[i]
		separating := b.bias.at(c.armBlock).Dot(n)
		approaching := b.velocity.at(c.armBlock).Sub(other).Dot(n)

		biasBefore, before := c.biasImpulse, c.impulse
		c.biasImpulse = max(biasBefore+(c.bias-separating)*c.mass, 0)
		c.impulse = max(before-approaching*c.mass, 0)
		b.bias.push(n.Scale(c.biasImpulse-biasBefore), c.armBlock)
		b.velocity.push(n.Scale(c.impulse-before), c.armBlock)
	}
}
