package pusht

import (
	"math"

	"github.com/go-pcd/pcd/internal/mt19937"
	"github.com/go-pcd/pcd/internal/pcg64"
)

// ConditionSeed and Conditions name the initial conditions of the published
// evaluation: the first 50 of seed 42. Environment i of a condition is seeded with
// FirstEnvironmentSeed + i.
const (
	ConditionSeed        = 42
	Conditions           = 50
	FirstEnvironmentSeed = 100000
)

// InitialConditions returns n initial conditions: the agent at integers in
// [50, 450), the block at integers in [100, 400), its angle uniform in [-π, π).
// They may overlap one another or a wall. More conditions of one seed continue
// fewer.
//
// Source: the evaluation published with PCD, which draws from PCG64.
func InitialConditions(n int, seed uint32) []State {
	r := pcg64.New(seed)
	integer := func(lo, hi int) int { return lo + int(r.Below(uint32(hi-lo))) }
	states := make([]State, n)
	for i := range states {
		states[i] = drawPositions(integer)
		states[i].Block.Angle = r.Float64()*2*math.Pi - math.Pi
	}
	return states
}

func drawPositions(integer func(lo, hi int) int) (s State) {
	s.Agent.X = float64(integer(50, 450))
	s.Agent.Y = float64(integer(50, 450))
	s.Block.Position.X = float64(integer(100, 400))
	s.Block.Position.Y = float64(integer(100, 400))
	return s
}

// RandomStarts are the random states that a seeded environment starts its
// episodes from.
//
// Source: the PushT task of Chi et al., "Diffusion Policy" (RSS 2023), with the
// seeding of its later variants: a list of integers, of which the first reset uses
// the second.
type RandomStarts struct{ seeds *pcg64.Generator }

// NewRandomStarts returns the starts of an environment seed.
func NewRandomStarts(seed uint32) *RandomStarts {
	r := &RandomStarts{seeds: pcg64.New(seed)}
	r.nextSeed()
	return r
}

func (r *RandomStarts) nextSeed() uint32 { return r.seeds.Below(25536) }

// Next returns the state of the next reset. The angle is normal, not uniform:
// 2π times a standard normal number, less π.
func (r *RandomStarts) Next() State { return StartOfSeed(r.nextSeed()) }

// StartOfSeed returns the state that the original task starts from when it is
// seeded with the number itself.
func StartOfSeed(seed uint32) State {
	g := mt19937.New(seed)
	s := drawPositions(g.Integer)
	s.Block.Angle = g.Normal()*2*math.Pi - math.Pi
	return s
}
