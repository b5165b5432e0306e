//go:build amd64 && !purego

package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// randomChains returns chains of n links around a limit of 1. Lane i holds chain
// order[i].
func randomChains(n int, order [ChainLanes]int) *Chains {
	c := new(Chains)
	c.Reset(n)
	for i, number := range order {
		r := rand.New(rand.NewPCG(uint64(n), uint64(number)))
		c.Limit[i], c.Inverse[i], c.Softest[i] = 1, 0.5, 1e6
		c.Square[i], c.Reach[i], c.Square32[i] = 1-1e-15, 1-1e-7, 1-1e-6
		c.Floor[i] = 1e-3
		c.Springs.Set(i, number%2 == 0)
		for h := range n + 1 {
			l := &c.Links[h]
			l.X[i], l.Y[i] = 2*r.NormFloat64(), float64(number)*r.NormFloat64()
			l.Across[i] = 0.7
		}
		// A node is the rounding of itself where a path starts.
		start := &c.Links[0]
		start.X[i], start.Y[i] = float64(float32(start.X[i])), float64(float32(start.Y[i]))
	}
	return c
}

// settle runs a whole unit of work.
func settle(c *Chains) {
	c.Survey()
	c.Relax()
	c.Relax()
	c.Predict()
	for range 12 {
		c.Step()
	}
	c.Round()
}

// lane returns all numbers of a chain.
func (c *Chains) lane(i int) (v []float64) {
	for h := range c.Links {
		l := &c.Links[h]
		for _, a := range []*Lanes{&l.X, &l.Y, &l.FX, &l.FY, &l.DX, &l.DY, &l.UX, &l.UY, &l.Across} {
			v = append(v, a[i])
		}
		v = append(v, float64(l.RoundedX[i]), float64(l.RoundedY[i]))
	}
	return append(v, c.Squares[i], c.Tight[i], c.Scale[i], c.worst[i], c.sum[i], float64(c.Failed[i]))
}

// TestLanesAreIndependent moves chains to other lanes, beside others.
func TestLanesAreIndependent(t *testing.T) {
	if !HasChains() {
		return // a CPU without AVX2
	}
	for _, n := range []int{1, 2, 3, 4, 17, 64} {
		a, b := randomChains(n, [4]int{1, 2, 3, 4}), randomChains(n, [4]int{3, 1, 7, 1})
		settle(a)
		settle(b)
		for _, p := range [][2]int{{0, 1}, {0, 3}, {2, 0}} {
			want, got := a.lane(p[0]), b.lane(p[1])
			for j := range want {
				if math.Float64bits(want[j]) != math.Float64bits(got[j]) {
					t.Fatalf("n=%d: number %d of the chain in lane %d is %v, in lane %d %v", n, j, p[0], want[j], p[1], got[j])
				}
			}
		}
	}
}

// TestStepSolvesTheChain holds a step to what defines it: the differences are those
// that the forces leave, and the differences of tight links follow their laws.
func TestStepSolvesTheChain(t *testing.T) {
	if !HasChains() {
		return
	}
	for _, n := range []int{1, 2, 3, 4, 17, 64} {
		c := randomChains(n, [4]int{1, 2, 3, 4})
		c.Relax()
		c.Predict()
		before := append([]ChainLink(nil), c.Links...)
		c.Step()
		for i := range ChainLanes {
			for h := 1; h <= n; h++ {
				if err := c.checkLink(i, h, &before[h]); err != nil {
					t.Errorf("n=%d, lane %d, link %d: %v", n, i, h, err)
				}
			}
		}
	}
}

// checkLink compares a link with the law that it had.
func (c *Chains) checkLink(i, h int, law *ChainLink) error {
	const tolerance = 1e-11
	l, before, after := &c.Links[h], &c.Links[h-1], &c.Links[h+1]
	dx := l.X[i] - before.X[i] + after.FX[i] - l.FX[i]
	dy := l.Y[i] - before.Y[i] + after.FY[i] - l.FY[i]
	if h > 1 { // node 0 is held
		dx, dy = dx+before.FX[i]-l.FX[i], dy+before.FY[i]-l.FY[i]
	}
	if e := math.Hypot(dx-l.DX[i], dy-l.DY[i]); !(e <= tolerance) {
		return fmt.Errorf("the forces leave a difference that is %g off", e)
	}
	ux, uy := law.UX[i], law.UY[i]
	if law.Across[i] < 0 {
		if l.FX[i] != 0 || l.FY[i] != 0 {
			return fmt.Errorf("slack with the force %v, %v", l.FX[i], l.FY[i])
		}
		return nil
	}
	if math.Abs(math.Hypot(ux, uy)-1) > 1e-15*2 {
		return fmt.Errorf("direction %v, %v", ux, uy)
	}
	turn := law.Across[i] * (uy*l.FX[i] - ux*l.FY[i])
	if e := math.Hypot(ux+turn*uy-l.DX[i], uy-turn*ux-l.DY[i]); !(e <= tolerance*max(1, law.Across[i])) {
		return fmt.Errorf("difference %v, %v is %g off its law", l.DX[i], l.DY[i], e)
	}
	return nil
}
