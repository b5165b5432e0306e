package pcg64

// Constants of the hash behind SeedSequence.
//
// Source: O'Neill, "Developing a seed_seq alternative" (2015), as in NumPy.
const (
	poolSize  = 4
	initA     = 0x43b0d7e5
	multA     = 0x931e8875
	initB     = 0x8b51f9dd
	multB     = 0x58f38ded
	mixMultL  = 0xca01f9dd
	mixMultR  = 0x4973f715
	hashShift = 16
)

// seedWords returns the four 64-bit words that a seed of one 32-bit word gives.
func seedWords(seed uint32) (words [4]uint64) {
	pool := mixEntropy(seed)
	c := uint32(initB)
	var half [8]uint32
	for i := range half {
		v := pool[i%poolSize] ^ c
		c *= multB
		v *= c
		half[i] = v ^ v>>hashShift
	}
	for i := range words {
		words[i] = uint64(half[2*i]) | uint64(half[2*i+1])<<32
	}
	return words
}

// mixEntropy spreads the seed over the pool.
func mixEntropy(seed uint32) (pool [poolSize]uint32) {
	c := uint32(initA)
	hash := func(v uint32) uint32 {
		v ^= c
		c *= multA
		v *= c
		return v ^ v>>hashShift
	}
	for i := range pool {
		pool[i] = hash(seed)
		seed = 0 // the entropy has one word
	}
	for from := range pool {
		for to := range pool {
			if from != to {
				v := mixMultL*pool[to] - mixMultR*hash(pool[from])
				pool[to] = v ^ v>>hashShift
			}
		}
	}
	return pool
}
