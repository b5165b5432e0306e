package noise

// Multipliers and key increments of Philox4x32 (Salmon et al. 2011, table 2 and
// section 3.3).
const (
	philoxM0 = 0xD2511F53
	philoxM1 = 0xCD9E8D57
	philoxW0 = 0x9E3779B9
	philoxW1 = 0xBB67AE85
)

// philox4x32 returns the four words of Philox4x32-10 for a 128-bit counter and a
// 64-bit key. Different counters under one key give independent words.
func philox4x32(ctr [4]uint32, key [2]uint32) [4]uint32 {
	w0, w1, w2, w3 := philox(ctr[0], ctr[1], ctr[2], ctr[3], key[0], key[1])
	return [4]uint32{w0, w1, w2, w3}
}

// philox is Philox4x32 in registers.
func philox(c0, c1, c2, c3, k0, k1 uint32) (w0, w1, w2, w3 uint32) {
	for range 10 {
		p0 := uint64(c0) * philoxM0
		p1 := uint64(c2) * philoxM1
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += philoxW0
		k1 += philoxW1
	}
	return c0, c1, c2, c3
}

// mix spreads a 64-bit seed so that seeds that differ in one bit give keys that
// differ in about half of them (the finaliser of SplitMix64).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}
