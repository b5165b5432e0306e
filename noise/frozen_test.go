package noise_test

// The field of seed 3407 at variable 1, sample 17 and 18, draw 4, and the first
// words of sequence 9 of its field for data. Never change them: runs recorded
// with one version must repeat with the next.
var (
	frozenNormals = []float32{0.2466251, -1.3809869, 0.71998346, -0.028926803, -0.53813946, 1.0054368}
	frozenWords   = []uint64{0xac5326b2488a4bd5, 0x9d6753b43afd4347}
)
