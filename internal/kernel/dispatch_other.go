//go:build !amd64 || purego

package kernel

func detect() Kind { return Portable }

// Only the portable kernels are in this build; nothing below is reached.

const unreachable = "kernel: vector kernel in a portable build"

func (p *product) vector(int, []Band) { panic(unreachable) }

func vectorTransposed([]float32, int, int, int, []float32, Rows, []float32, Rows, int, bool) {
	panic(unreachable)
}

func gatherVectors([]float32, []float32, []int32) int { return 0 }

func runSweep(op, *sweep) { panic(unreachable) }

func runAdam(*adam) { panic(unreachable) }

func runPeak(int) { panic(unreachable) }

func runNormals(int, *normalRun) { panic(unreachable) }

func runClamp(*clampRun) { panic(unreachable) }

func runFilter(filterOp, *filterRun) { panic(unreachable) }

func runChain(chainOp, *Chains) { panic(unreachable) }

func runSpan(spanOp, *span) { panic(unreachable) }

func (s *strip) vector() { panic(unreachable) }

func transposeVectors([]float32, int, []float32, int, int, int) { panic(unreachable) }

func gatherRowVectors([]float32, []float32, []int, int) { panic(unreachable) }

func (Tensor) fetch(int, int) {}

func fetchRow([]float32) {}

func (Tensor) pointer(int) *byte { panic(unreachable) }

func runDots(Format, *dotsRun) { panic(unreachable) }

func widenVectors([]float32, []byte, Format) int { return 0 }

func runPlanar(planarOp, *planarRun) { panic(unreachable) }

func runRow(rowOp, *rowRun) { panic(unreachable) }

func runSoftmax(*softmaxRun) { panic(unreachable) }

func columnMasks(Kind, int) (uint64, *int32) { panic(unreachable) }

func runSplitLeft(*splitRun) { panic(unreachable) }

func runSplitRight(*splitRun) { panic(unreachable) }

func runTiles(*tileRun) { panic(unreachable) }
