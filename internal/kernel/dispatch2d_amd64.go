//go:build amd64 && !purego

package kernel

func gateAVX512(op op, s *sweep) {
	switch op {
	case opGELU:
		geluAVX512(s)
	case opGELUGrad:
		geluGradAVX512(s)
	case opQuickGELU:
		quickGELUAVX512(s)
	case opQuickGELUGrad:
		quickGELUGradAVX512(s)
	case opGEGLU:
		gegluAVX512(s)
	case opGEGLUGrad:
		gegluGradAVX512(s)
	case opNormSiLU:
		normSiLUAVX512(s)
	case opNormSiLUGrad:
		normSiLUGradAVX512(s)
	case opScale:
		scaleAVX512(s)
	case opScaleGrad:
		scaleGradAVX512(s)
	case opRectify:
		rectifyAVX512(s)
	case opRectifyGrad:
		rectifyGradAVX512(s)
	case opLarger:
		largerAVX512(s)
	case opLargerGrad:
		largerGradAVX512(s)
	}
}

func gateAVX2(op op, s *sweep) {
	switch op {
	case opGELU:
		geluAVX2(s)
	case opGELUGrad:
		geluGradAVX2(s)
	case opQuickGELU:
		quickGELUAVX2(s)
	case opQuickGELUGrad:
		quickGELUGradAVX2(s)
	case opGEGLU:
		gegluAVX2(s)
	case opGEGLUGrad:
		gegluGradAVX2(s)
	case opNormSiLU:
		normSiLUAVX2(s)
	case opNormSiLUGrad:
		normSiLUGradAVX2(s)
	case opScale:
		scaleAVX2(s)
	case opScaleGrad:
		scaleGradAVX2(s)
	case opRectify:
		rectifyAVX2(s)
	case opRectifyGrad:
		rectifyGradAVX2(s)
	case opLarger:
		largerAVX2(s)
	case opLargerGrad:
		largerGradAVX2(s)
	}
}

func runRow(op rowOp, r *rowRun) {
	if active == AVX512 {
		rowAVX512(op, r)
	} else {
		rowAVX2(op, r)
	}
}

func rowAVX512(op rowOp, r *rowRun) {
	switch op {
	case opRowSum:
		rowSumAVX512(r)
	case opRowSquares:
		rowSquaresAVX512(r)
	case opRowNormalize:
		rowNormalizeAVX512(r)
	case opRowLayerSums:
		rowLayerSumsAVX512(r)
	case opRowLayerParts:
		rowLayerPartsAVX512(r)
	case opRowLayerSlope:
		rowLayerSlopeAVX512(r)
	case opRowSlope:
		rowSlopeAVX512(r)
	case opRowMultiply:
		rowMultiplyAVX512(r)
	case opRowDot:
		rowDotAVX512(r)
	}
}

func rowAVX2(op rowOp, r *rowRun) {
	switch op {
	case opRowSum:
		rowSumAVX2(r)
	case opRowSquares:
		rowSquaresAVX2(r)
	case opRowNormalize:
		rowNormalizeAVX2(r)
	case opRowLayerSums:
		rowLayerSumsAVX2(r)
	case opRowLayerParts:
		rowLayerPartsAVX2(r)
	case opRowLayerSlope:
		rowLayerSlopeAVX2(r)
	case opRowSlope:
		rowSlopeAVX2(r)
	case opRowMultiply:
		rowMultiplyAVX2(r)
	case opRowDot:
		rowDotAVX2(r)
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
