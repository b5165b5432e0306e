// Package pcg64 reproduces the random choices of NumPy's default generator, with
// which published experiments split their data.
//
// It is not a source of randomness for sampling: package noise is.
//
// Source: O'Neill, "PCG: A family of simple fast space-efficient statistically
// good algorithms for random number generation" (2014), variant XSL-RR 128/64;
// seeding by NumPy's SeedSequence.
package pcg64

import "math/bits"

// Generator is the state of numpy.random.default_rng(seed).
type Generator struct {
	hi, lo       uint64 // state
	incHi, incLo uint64
	spare        uint32 // upper half of the last output
	hasSpare     bool
}

// New returns the generator of a seed.
func New(seed uint32) *Generator {
	s := seedWords(seed)
	g := &Generator{}
	g.incHi, g.incLo = s[2]<<1|s[3]>>63, s[3]<<1|1
	g.step()
	var carry uint64
	g.lo, carry = bits.Add64(g.lo, s[1], 0)
	g.hi, _ = bits.Add64(g.hi, s[0], carry)
	g.step()
	return g
}

// step advances the state: state·multiplier + increment modulo 2¹²⁸.
func (g *Generator) step() {
	const mulHi, mulLo = 2549297995355413924, 4865540595714422341
	hi, lo := bits.Mul64(g.lo, mulLo)
	hi += g.hi*mulLo + g.lo*mulHi
	var carry uint64
	g.lo, carry = bits.Add64(lo, g.incLo, 0)
	g.hi, _ = bits.Add64(hi, g.incHi, carry)
}

// Uint64 returns the next 64 bits.
func (g *Generator) Uint64() uint64 {
	g.step()
	return bits.RotateLeft64(g.hi^g.lo, -int(g.hi>>58))
}

// Uint32 returns the next 32 bits: the lower half of an output, then its upper.
func (g *Generator) Uint32() uint32 {
	if g.hasSpare {
		g.hasSpare = false
		return g.spare
	}
	v := g.Uint64()
	g.spare, g.hasSpare = uint32(v>>32), true
	return uint32(v)
}

// Float64 returns random(): a uniform number in [0, 1).
func (g *Generator) Float64() float64 { return float64(g.Uint64()>>11) / (1 << 53) }

// Below returns a number from 0 to n-1, for n from 1 to 2³²-1.
//
// Source: Lemire, "Fast random integer generation in an interval" (2019).
func (g *Generator) Below(n uint32) uint32 {
	if n == 1 {
		return 0 // NumPy draws nothing
	}
	m := uint64(g.Uint32()) * uint64(n)
	if uint32(m) < n {
		for threshold := -n % n; uint32(m) < threshold; {
			m = uint64(g.Uint32()) * uint64(n)
		}
	}
	return uint32(m >> 32)
}

// Choose returns which of n things numpy's choice(n, k, replace=False) takes, for
// n up to 10000, beyond which NumPy uses another algorithm.
//
// Source: Floyd's algorithm, in Bentley, "Programming Pearls" (CACM 1987).
func (g *Generator) Choose(n, k int) []bool {
	taken := make([]bool, n)
	for j := n - k; j < n; j++ {
		v := g.Below(uint32(j) + 1)
		if taken[v] {
			v = uint32(j)
		}
		taken[v] = true
	}
	return taken
}
