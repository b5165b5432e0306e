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
// stay on the stack.

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

func runSweep(op op, s *sweep) {
	if active == AVX512 {
		sweepAVX512(op, s)
	} else {
		sweepAVX2(op, s)
	}
}

func sweepAVX512(op op, s *sweep) {
	switch op {
	case opSums:
		sumsAVX512(s)
	case opSquares:
		squaresAVX512(s)
	case opNormMish:
		normMishAVX512(s)
	case opNormMishShift:
		normMishShiftAVX512(s)
	case opNormMishFilm:
		normMishFilmAVX512(s)
	case opNormMishAdd:
		normMishAddAVX512(s)
	case opNormMishGrad:
		normMishGradAVX512(s)
	case opNormMishShiftGrad:
		normMishShiftGradAVX512(s)
	case opNormMishFilmGrad:
		normMishFilmGradAVX512(s)
	case opAffine:
		affineAVX512(s)
	case opAdd:
		addAVX512(s)
	case opExp:
		expAVX512(s)
	case opMish:
		mishAVX512(s)
	case opMishGrad:
		mishGradAVX512(s)
	case opSiLU:
		siluAVX512(s)
	case opSiLUGrad:
		siluGradAVX512(s)
	default:
		gateAVX512(op, s)
	}
}

func sweepAVX2(op op, s *sweep) {
	switch op {
	case opSums:
		sumsAVX2(s)
	case opSquares:
		squaresAVX2(s)
	case opNormMish:
		normMishAVX2(s)
	case opNormMishShift:
		normMishShiftAVX2(s)
	case opNormMishFilm:
		normMishFilmAVX2(s)
	case opNormMishAdd:
		normMishAddAVX2(s)
	case opNormMishGrad:
		normMishGradAVX2(s)
	case opNormMishShiftGrad:
		normMishShiftGradAVX2(s)
	case opNormMishFilmGrad:
		normMishFilmGradAVX2(s)
	case opAffine:
		affineAVX2(s)
	case opAdd:
		addAVX2(s)
	case opExp:
		expAVX2(s)
	case opMish:
		mishAVX2(s)
	case opMishGrad:
		mishGradAVX2(s)
	case opSiLU:
		siluAVX2(s)
	case opSiLUGrad:
		siluGradAVX2(s)
	default:
		gateAVX2(op, s)
	}
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

func runFilter(op filterOp, f *filterRun) {
	switch {
	case op == opWeights && active == AVX512:
		filterWeightsAVX512(f)
	case op == opWeights:
		filterWeightsAVX2(f)
	case op == opInput && active == AVX512:
		filterInputAVX512(f)
	case op == opInput:
		filterInputAVX2(f)
	case op == opOutput && active == AVX512:
		filterOutputAVX512(f)
	case op == opOutput:
		filterOutputAVX2(f)
	case active == AVX512:
		filterOutputAddAVX512(f)
	default:
		filterOutputAddAVX2(f)
	}
}

// runChain runs the AVX2 kernels on CPUs with AVX-512 too.
func runChain(op chainOp, c *Chains) {
	switch op {
	case opSurvey:
		chainSurveyAVX2(c)
	case opRelax:
		chainRelaxAVX2(c)
	case opPredict:
		chainPredictAVX2(c)
	case opStep:
		chainStepAVX2(c)
	case opRound:
		chainRoundAVX2(c)
	}
}

// runSpan runs the AVX2 kernels on CPUs with AVX-512 too.
func runSpan(op spanOp, s *span) {
	switch op {
	case opCenter:
		centerAVX2(s)
	case opDot3:
		dot3AVX2(s)
	case opCombine3:
		combine3AVX2(s)
	case opApart:
		apartAVX2(s)
	}
}
