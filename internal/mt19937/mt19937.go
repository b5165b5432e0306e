// Package mt19937 reproduces the random choices of NumPy's legacy generator and of
// PyTorch's on CPUs, from which published experiments drew their conditions.
//
// It is not a source of randomness for sampling: package noise is.
//
// Source: Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally
// equidistributed uniform pseudo-random number generator" (1998), with the
// initialisation of 2002; the distributions of NumPy's RandomState.
package mt19937

import "math"

// Generator is the state of numpy.random.RandomState(seed), or of torch.manual_seed(seed).
type Generator struct {
	state [624]uint32
	next  int

	normal    float64 // the second of a pair of normals
	hasNormal bool
}

// New returns the generator of a seed.
func New(seed uint32) *Generator {
	g := &Generator{}
	g.state[0] = seed
	for i := 1; i < len(g.state); i++ {
		before := g.state[i-1]
		g.state[i] = 1812433253*(before^before>>30) + uint32(i)
	}
	g.next = len(g.state)
	return g
}

// twist advances the whole state.
func (g *Generator) twist() {
	const n, shift = len(g.state), 397
	for i := range g.state {
		y := g.state[i]&0x80000000 | g.state[(i+1)%n]&0x7fffffff
		v := g.state[(i+shift)%n] ^ y>>1
		if y&1 != 0 {
			v ^= 0x9908b0df
		}
		g.state[i] = v
	}
	g.next = 0
}

// Uint32 returns the next 32 bits.
func (g *Generator) Uint32() uint32 {
	if g.next == len(g.state) {
		g.twist()
	}
	y := g.state[g.next]
	g.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

// Float32 returns torch.rand() of one element: a uniform number in [0, 1) made of
// the low 24 bits of an output.
func (g *Generator) Float32() float32 { return float32(g.Uint32()&0xffffff) / (1 << 24) }

// Float64 returns random_sample(): a uniform number in [0, 1).
func (g *Generator) Float64() float64 {
	hi, lo := g.Uint32()>>5, g.Uint32()>>6
	return (float64(hi)*(1<<26) + float64(lo)) / (1 << 53)
}

// Integer returns randint(lo, hi): a uniform integer in [lo, hi),
// found by rejecting masked words. The range must hold between 2 and 2^32 - 1
// integers.
func (g *Generator) Integer(lo, hi int) int {
	largest := uint32(hi - lo - 1)
	mask := largest
	for shift := 1; shift < 32; shift *= 2 {
		mask |= mask >> shift
	}
	for {
		if v := g.Uint32() & mask; v <= largest {
			return lo + int(v)
		}
	}
}

// Normal returns randn(): a standard normal number by the polar
// method, which makes two at a time.
//
// Source: Marsaglia and Bray, "A convenient method for generating normal
// variables" (SIAM Review 6, 1964).
func (g *Generator) Normal() float64 {
	if g.hasNormal {
		g.hasNormal = false
		return g.normal
	}
	for {
		x := 2*g.Float64() - 1
		y := 2*g.Float64() - 1
		if r := x*x + y*y; r > 0 && r < 1 {
			f := math.Sqrt(-2 * math.Log(r) / r)
			g.normal, g.hasNormal = f*x, true
			return f * y
		}
	}
}
