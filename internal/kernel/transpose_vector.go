//go:build amd64 && !purego

package kernel

import "unsafe"

// transposeRun is the argument of the vector kernels; the generator knows its layout.
type transposeRun struct {
	src, dst *float32
	dstRow   int     // bytes
	blocks   int     // of as many columns as a vector is long
	rows     [16]int // offsets of the rows, in bytes
}

// transposeVectors transposes blocks of columns. What is left over is done as a block
// that starts earlier, or in a copy where there is no whole block.
func transposeVectors(dst []float32, width int, src []float32, stride, lanes, n int) {
	block := 4 << active
	if n < block {
		transposeFew(dst, width, src, stride, lanes, n)
		return
	}
	transposeBlocks(dst, width, src, stride, lanes, n)
}

// transposeBlocks is transposeVectors where there is a whole block.
func transposeBlocks(dst []float32, width int, src []float32, stride, lanes, n int) {
	block := 4 << active
	for from := 0; from < lanes; from += block {
		t := transposeRun{dstRow: 4 * width}
		for i := range block {
			t.rows[i] = 4 * stride * min(from+i, lanes-1)
		}
		t.dst, t.src, t.blocks = &dst[from], &src[0], n/block
		t.run()
		if n%block != 0 {
			t.dst, t.src, t.blocks = &dst[(n-block)*width+from], &src[n-block], 1
			t.run()
		}
	}
}

func (t *transposeRun) run() {
	if active == AVX512 {
		transposeAVX512(t)
	} else {
		transposeAVX2(t)
	}
}

// gatherRowVectors reads whole vectors from src.
func gatherRowVectors(dst, src []float32, at []int, n int) {
	block := 4 << active
	t := transposeRun{dstRow: 4 * tapColumns}
	_ = src[:at[len(at)-1]+Round(n, block)]
	for from := 0; from < len(at); from += block {
		for i := range block {
			t.rows[i] = 4 * at[min(from+i, len(at)-1)]
		}
		t.dst, t.src, t.blocks = &dst[from], &src[0], Round(n, block)/block
		t.run()
	}
}

// transposeFew transposes fewer columns than a vector has.
func transposeFew(dst []float32, width int, src []float32, stride, lanes, n int) {
	block := 4 << active
	var out [32 * 16]float32
	if last := (lanes-1)*stride + block; last > len(src) {
		var in [32 * 16]float32
		for i := range lanes {
			copy(in[i*block:], src[i*stride:][:n])
		}
		transposeBlocks(out[:], width, in[:], block, lanes, block)
	} else {
		transposeBlocks(out[:], width, src, stride, lanes, block)
	}
	copy(dst[:n*width], out[:])
}

// pointer returns where an element lies.
func (t Tensor) pointer(from int) *byte {
	if t.Floats != nil {
		return (*byte)(unsafe.Pointer(&t.Floats[from]))
	}
	return &t.Bytes[t.Format.Bytes()*from]
}

// fetch fetches n elements ahead of their use.
func (t Tensor) fetch(from, n int) {
	if active == Portable {
		return
	}
	var p *byte
	if t.Floats != nil {
		p = (*byte)(unsafe.Pointer(&t.Floats[from]))
	} else {
		p = &t.Bytes[t.Format.Bytes()*from]
	}
	prefetchLines(p, (n*t.Format.Bytes()-1)/cacheLine+1)
}

// fetchRow fetches the lines of a row.
func fetchRow(x []float32) {
	prefetchLines((*byte)(unsafe.Pointer(&x[0])), (4*len(x)-1)/cacheLine+1)
}

// widenVectors widens as many whole vectors as there are and returns how many elements
// that were.
func widenVectors(dst []float32, src []byte, f Format) int {
	n := len(dst) / (4 << active) * (4 << active)
	switch {
	case active == Portable || n == 0 || f == F32:
		return 0
	case f == F16 && active == AVX512:
		widenHalfAVX512(&dst[0], &src[0], n)
	case f == F16:
		widenHalfAVX2(&dst[0], &src[0], n)
	case active == AVX512:
		widenBrainAVX512(&dst[0], &src[0], n)
	default:
		widenBrainAVX2(&dst[0], &src[0], n)
	}
	return n
}
