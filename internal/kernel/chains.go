package kernel

import "math"

// ChainLanes is the number of chains that [Chains] works on side by side.
const ChainLanes = 4

// Lanes holds a number of each chain.
type Lanes [ChainLanes]float64

// LaneMask is all ones for the chains that it names.
type LaneMask [ChainLanes]int64

// Set names a chain or not.
func (m *LaneMask) Set(lane int, named bool) {
	m[lane] = 0
	if named {
		m[lane] = -1
	}
}

// ChainLink is a link of four chains and the node at its end, see package project.
type ChainLink struct {
	X, Y   Lanes // node
	FX, FY Lanes // force
	DX, DY Lanes // difference of the nodes at both ends
	UX, UY Lanes // the law d = limit·u + across·F_⊥, or F = 0 where u = 0
	Across Lanes // negative where F = 0

	// Elimination: F = v + G F of the inner neighbour; G without its element 10 and
	// with 01 negated.
	v [2]Lanes
	g [3]Lanes

	RoundedX, RoundedY [ChainLanes]float32 // by Round
}

// Chains are up to four mechanisms of unit masses joined by links, in the plane,
// held at node 0: the state of a semismooth Newton method that works on all of
// them at once. No chain affects another one, and the result of a lane depends
// neither on its number nor on the other lanes.
//
// A unit of work is: set N, Limit and the nodes and forces of the Links 0 to N;
// [Chains.Survey]; if Springs names a chain, set Across and Floor and
// [Chains.Relax]; [Chains.Predict]; [Chains.Step] until all are Done;
// [Chains.Round].
type Chains struct {
	links *ChainLink
	n     int

	Limit   Lanes // longest difference
	Inverse Lanes // one over the length of the proximal step
	Softest Lanes // bound of the compliance across
	Floor   Lanes // least force that Relax divides by

	Springs LaneMask // the chains that Relax gives forces
	Done    LaneMask // the chains whose forces and differences stay

	Squares Lanes // by Survey: sum of the squared differences,
	Tight   Lanes // number of those over the limit,
	Scale   Lanes // largest coordinate
	worst   Lanes // by Predict and Step: largest squared residual,
	sum     Lanes // and the sum, which sees what is not a number

	Square   Lanes    // for Round: largest squared step,
	Reach    Lanes    // what longer steps are shortened to,
	Failed   LaneMask // by Round: the chains with steps that it could not round
	Square32 [ChainLanes]float32

	// Links are 0 to N+1: a held node, N links, and one that stays zero.
	Links []ChainLink
}

// chainOp is a method of Chains.
type chainOp int

const (
	opSurvey chainOp = iota
	opRelax
	opPredict
	opStep
	opRound
)

// HasChains reports whether the methods of [Chains] run on this CPU.
func HasChains() bool { return active != Portable }

// Reset prepares for chains of n links: all forces are zero.
func (c *Chains) Reset(n int) {
	if cap(c.Links) < n+2 {
		c.Links = make([]ChainLink, n+2)
	}
	c.Links = c.Links[:n+2]
	for h := range c.Links {
		l := &c.Links[h]
		l.FX, l.FY = Lanes{}, Lanes{}
	}
	for _, h := range []int{0, n + 1} {
		c.Links[h].v = [2]Lanes{}
	}
	c.links, c.n, c.Done = &c.Links[0], n, LaneMask{}
}

// Survey sets Squares, Tight and Scale from the nodes.
func (c *Chains) Survey() { runChain(opSurvey, c) }

// Relax solves chains of springs of the compliance Across and sets it to
// Limit/‖F‖.
func (c *Chains) Relax() { runChain(opRelax, c) }

// Predict sets the differences and the first laws from the forces.
func (c *Chains) Predict() {
	c.Links[0].FX, c.Links[0].FY = c.Links[1].FX, c.Links[1].FY
	runChain(opPredict, c)
}

// Step solves the chains of the present laws and predicts the next ones.
func (c *Chains) Step() { runChain(opStep, c) }

// Residual returns the largest residual of a chain after the last Predict or Step.
func (c *Chains) Residual(lane int) float64 {
	if s := c.sum[lane]; s-s != 0 {
		return math.Inf(1)
	}
	return math.Sqrt(c.worst[lane])
}

// Round moves the nodes to the solution and rounds them to float32 such that no
// step is longer than Square and Square32 allow. In the chains that
// Failed names, it did not find such numbers.
func (c *Chains) Round() {
	start := &c.Links[0]
	for lane := range ChainLanes {
		start.RoundedX[lane], start.RoundedY[lane] = float32(start.X[lane]), float32(start.Y[lane])
	}
	runChain(opRound, c)
}
