//go:build amd64 && !purego

package kernel

// detect returns the fastest kind that the CPU and the operating system can run.
func detect() Kind {
	f := identify()
	wide := f.avx512 && f.avx2 && f.fma
	switch {
	case wide && f.amx && requestTiles():
		return AMX
	case wide:
		return AVX512
	case f.avx2 && f.fma && f.f16c:
		return AVX2
	}
	return Portable
}

// The kernels are called directly, not through tables, so that their arguments
// stay on the stack. Those with the number of an operation are in operations_amd64.go.

func runTile(kind Kind, rows int, t *tile) {
	switch {
	case kind == AVX512 && t.mask>>16 == 0:
		runNarrowTile(rows, t)
	case kind == AVX512 && rows == 12:
		product12AVX512(t)
	case kind == AVX512 && rows == 8:
		product8AVX512(t)
	case kind == AVX512:
		product4AVX512(t)
	case rows == 6:
		product6AVX2(t)
	case rows == 4:
		product4AVX2(t)
	default:
		product2AVX2(t)
	}
}

// runNarrowTile runs a tile of one vector.
func runNarrowTile(rows int, t *tile) {
	switch rows {
	case 12:
		productNarrow12AVX512(t)
	case 8:
		productNarrow8AVX512(t)
	default:
		productNarrow4AVX512(t)
	}
}

func runOuter(kind Kind, rows int, t *outer) {
	switch {
	case kind == AVX512 && rows == 12:
		transposed12AVX512(t)
	case kind == AVX512 && rows == 8:
		transposed8AVX512(t)
	case kind == AVX512:
		transposed4AVX512(t)
	case rows == 6:
		transposed6AVX2(t)
	case rows == 4:
		transposed4AVX2(t)
	default:
		transposed2AVX2(t)
	}
}

// runNarrowOuter runs a tile of one vector.
func runNarrowOuter(rows int, t *outer) {
	switch rows {
	case 16:
		transposedNarrow16AVX512(t)
	case 12:
		transposedNarrow12AVX512(t)
	case 8:
		transposedNarrow8AVX512(t)
	default:
		transposedNarrow4AVX512(t)
	}
}

// gatherVectors gathers as many whole vectors as there are and returns how many
// elements that were.
func gatherVectors(dst, src []float32, index []int32) int {
	lanes := 4 << active
	n := len(dst) / lanes * lanes
	if active == Portable || n == 0 {
		return 0
	}
	_ = src[index[n-1]]
	if active == AVX512 {
		gatherAVX512(&dst[0], &src[0], &index[0], n)
	} else {
		gatherAVX2(&dst[0], &src[0], &index[0], n)
	}
	return n
}

func runAdam(a *adam) {
	if active == AVX512 {
		adamAVX512(a)
	} else {
		adamAVX2(a)
	}
}

func runPeak(turns int) {
	if active == AVX512 {
		peakAVX512(turns)
	} else {
		peakAVX2(turns)
	}
}

func runNormals(words int, n *normalRun) {
	if words == 1 {
		normals1AVX512(n)
	} else {
		normals4AVX512(n)
	}
}

func runClamp(c *clampRun) {
	if active == AVX512 {
		clampAVX512(c)
	} else {
		clampAVX2(c)
	}
}

func runSoftmax(s *softmaxRun) {
	if active == AVX512 {
		softmaxAVX512(s)
	} else {
		softmaxAVX2(s)
	}
}

func runSplitLeft(s *splitRun) { splitLeftAVX512(s) }

func runSplitRight(s *splitRun) { splitRightAVX512(s) }

func runTiles(t *tileRun) { amxProduct(t) }
