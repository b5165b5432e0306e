package kernel

// normalRun is the argument of the vector kernels; the generator knows its layout.
type normalRun struct {
	dst     *float32
	turns   int
	counter [4][8]uint64
	step    [4]uint64
	key     [10][2]uint64
}

// Increments of the key of Philox4x32 from round to round.
const (
	philoxW0 = 0x9E3779B9
	philoxW1 = 0xBB67AE85
)

// PhiloxNormals fills as much of dst as it can in whole vectors with the normals
// of package noise and returns how many elements that were; 0 when the kernels in
// force have no vector form. Word vary of the counter grows by one from block to
// block, and each block gives its first words: 1 or 4.
func PhiloxNormals(dst []float32, words int, counter [4]uint32, vary int, key [2]uint32) int {
	const blocks = 8 // per turn
	turns := len(dst) / (blocks * words)
	if active != AVX512 || turns == 0 {
		return 0
	}
	n := normalRun{dst: &dst[0], turns: turns}
	for i, c := range counter {
		for lane := range n.counter[i] {
			n.counter[i][lane] = uint64(c)
			if i == vary {
				n.counter[i][lane] += uint64(lane)
			}
		}
	}
	n.step[vary] = blocks
	for round := range n.key {
		n.key[round] = [2]uint64{uint64(key[0]), uint64(key[1])}
		key[0] += philoxW0
		key[1] += philoxW1
	}
	runNormals(words, &n)
	return turns * blocks * words
}
