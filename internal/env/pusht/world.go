package pusht

import (
	"math"

	"github.com/go-pcd/pcd/geom"
)

const (
	substep  = 0.01 // s
	substeps = 10   // per action

	// ActionsPerSecond is the rate of control.
	ActionsPerSecond = 10

	// Reach bounds the coordinates of a target, in pixels. Targets may lie outside
	// the window; the agent follows them through the walls.
	Reach = 1e6
)

// State is what can be observed of the world: the place of the agent and the pose
// of the block.
type State struct {
	Agent geom.Vec2
	Block Pose
}

// StateOf returns the state of an array (agent x, agent y, block x, block y, block
// angle), the order of recorded states.
func StateOf(a [5]float64) State {
	return State{
		Agent: geom.Vec2{X: a[0], Y: a[1]},
		Block: Pose{Position: geom.Vec2{X: a[2], Y: a[3]}, Angle: a[4]},
	}
}

// Array is the inverse of [StateOf].
func (s State) Array() [5]float64 {
	return [5]float64{s.Agent.X, s.Agent.Y, s.Block.Position.X, s.Block.Position.Y, s.Block.Angle}
}

// stateNames names the elements of a state array.
var stateNames = [5]string{"agent x", "agent y", "block x", "block y", "block angle"}

// check returns a StateError if the state cannot be set.
func (s State) check(environment int) error {
	for i, v := range s.Array() {
		bad := v-v != 0
		if i < 4 {
			bad = !(v >= 0 && v <= Size)
		}
		if bad {
			return &StateError{Environment: environment, What: stateNames[i], Value: v}
		}
	}
	return nil
}

// World is one agent, one block and four walls. Make it with [NewWorld]. It is not
// safe for concurrent use.
//
// A world remembers more than its state: the velocities of agent and block and
// the contacts of the last substeps.
type World struct {
	agent agent
	block block

	broad  broadPhase
	found  candidates
	touch  [pairs]touch
	active [pairs]int8 // touching pairs in the order in which they are solved
	n      int
	now    int // number of the substep
}

// pairs of a part with the agent or a wall; pair k is part k%parts with the agent
// if k < parts.
const pairs = parts * (1 + walls)

// NewWorld returns a world as built by [World.Clear].
func NewWorld() *World {
	w := &World{}
	w.Clear()
	return w
}

// Clear builds the world anew: nothing moves and nothing has ever touched. The
// agent is at (256, 400), the block at (256, 300) with angle 0.
func (w *World) Clear() {
	*w = World{agent: agent{position: geom.Vec2{X: 256, Y: 400}}}
	w.block.turnTo(0)
	w.block.moveTo(geom.Vec2{X: 256, Y: 300})
	w.broad.build(w.agent.bounds(), w.block.parts[bar].bounds, w.block.parts[stem].bounds)
}

// State returns the state.
func (w *World) State() State { return State{Agent: w.agent.position, Block: w.block.pose()} }

// BlockVelocity returns the velocity of the centre of gravity of the block in
// px/s and its angular velocity in rad/s. Both are zero once nothing pushes.
func (w *World) BlockVelocity() (linear geom.Vec2, angular float64) {
	return w.block.velocity.linear, w.block.velocity.angular
}

// Place sets the state and advances by one substep, which moves shapes that
// overlap. Velocities and contacts stay, so a world that has been used may move
// the block by some pixels; [World.Clear] it first for a fresh start.
func (w *World) Place(s State) error {
	if err := s.check(0); err != nil {
		return err
	}
	w.place(s)
	return nil
}

func (w *World) place(s State) {
	w.agent.position = s.Agent
	w.block.turnTo(s.Block.Angle)
	w.block.moveTo(s.Block.Position)
	w.advance()
}

// PlaceLegacy is [World.Place] in the order of the first release of the task: the
// angle is set after the position and turns the block about its centre of
// gravity, so that the origin ends elsewhere. The human demonstrations were
// recorded from such starts.
func (w *World) PlaceLegacy(s State) error {
	if err := s.check(0); err != nil {
		return err
	}
	w.agent.position = s.Agent
	w.block.moveTo(s.Block.Position)
	w.block.turnTo(s.Block.Angle)
	w.advance()
	return nil
}

// Step lets the agent pursue a target in pixels for one action, a tenth of a
// second.
func (w *World) Step(target geom.Vec2) error {
	if !reachable(target) {
		return &TargetError{X: target.X, Y: target.Y}
	}
	w.step(target)
	return nil
}

func (w *World) step(target geom.Vec2) {
	for range substeps {
		w.agent.steer(target)
		w.advance()
	}
}

func reachable(target geom.Vec2) bool {
	return math.Abs(target.X) <= Reach && math.Abs(target.Y) <= Reach
}

// advance moves the world on by one substep: positions first, with the velocities
// that the last one left, then contacts, then velocities.
func (w *World) advance() {
	w.now++
	for _, k := range w.active[:w.n] {
		w.touch[k].first = false
	}
	w.agent.move()
	w.block.move()
	w.collide()
	w.solve()
}

// collide finds what touches.
func (w *World) collide() {
	b, bounds := &w.block, w.agent.bounds()
	w.broad.update(barLeaf, b.parts[bar].bounds, b.velocity.linear)
	w.broad.update(stemLeaf, b.parts[stem].bounds, b.velocity.linear)
	w.broad.update(agentLeaf, bounds, w.agent.velocity)
	w.broad.collect(&w.found)

	w.n = 0
	var m manifold
	for _, c := range w.found.pair[:w.found.n] {
		p := &b.parts[c.part]
		var other geom.Vec2
		switch {
		case c.other > 0 && overlap(p.bounds, wallBounds[c.other-1]):
			m.collideWall(int(c.other)-1, p)
		case c.other == 0 && overlap(p.bounds, bounds):
			other = w.agent.position
			m.collideAgent(other, p)
		default:
			continue
		}
		if m.n > 0 {
			k := parts*c.other + c.part
			w.touch[k].renew(&m, other, b.centre, w.now)
			w.active[w.n] = k
			w.n++
		}
	}
	for k := range w.touch {
		w.touch[k].age(w.now)
	}
}

// solve finds the velocity of the block. It starts from rest in every substep:
// the world is so viscous that nothing glides.
func (w *World) solve() {
	w.block.velocity = twist{}
	for _, k := range w.active[:w.n] {
		other, _ := w.other(k)
		w.touch[k].prepare(w.block.centre.Sub(other))
	}
	for _, k := range w.active[:w.n] {
		w.touch[k].resume(&w.block)
	}
	for range sweeps {
		for _, k := range w.active[:w.n] {
			_, velocity := w.other(k)
			w.touch[k].sweep(&w.block, velocity)
		}
	}
}

// other returns where the other body of a pair is and how it moves.
func (w *World) other(k int8) (position, velocity geom.Vec2) {
	if k < parts {
		return w.agent.position, w.agent.velocity
	}
	return geom.Vec2{}, geom.Vec2{}
}
