package kernel

import "unsafe"

// Matrix is a view of Rows×Cols numbers, a row for each time step and a column for
// each channel, with rows Stride elements apart.
type Matrix struct {
	Data               []float32
	Rows, Cols, Stride int
}

// Vector returns a matrix of one row.
func Vector(x []float32) Matrix { return Matrix{Data: x, Rows: 1, Cols: len(x), Stride: len(x)} }

func (m Matrix) row(i int) []float32 { return m.Data[i*m.Stride : i*m.Stride+m.Cols] }

// operand is a matrix in the arguments of a vector kernel.
type operand struct {
	p      *float32
	stride int // bytes
}

// sweep is the argument of the kernels over rows and columns; the generator knows
// its layout.
type sweep struct {
	rows, cols int
	mask       uint64
	words      *int32
	m          [5]operand  // dst, x, y and two more
	v          [9]*float32 // vectors of one number per column
}

// op names a kernel over rows and columns.
type op int

const (
	opSums op = iota
	opSquares
	opNormMish
	opNormMishShift
	opNormMishFilm
	opNormMishAdd
	opNormMishGrad
	opNormMishShiftGrad
	opNormMishFilmGrad
	opAffine
	opAdd
	opExp
	opMish
	opMishGrad
	opSiLU
	opSiLUGrad
	opGELU
	opGELUGrad
	opQuickGELU
	opQuickGELUGrad
	opGEGLU
	opGEGLUGrad
	opNormSiLU
	opNormSiLUGrad
	opScale
	opScaleGrad
	opRectify
	opRectifyGrad
	opLarger
	opLargerGrad
)

// matrix sets operand i and checks that it has the size of the sweep.
func (s *sweep) matrix(i int, m Matrix) {
	if m.Rows != s.rows || m.Cols != s.cols || (m.Rows-1)*m.Stride+m.Cols > len(m.Data) {
		panic("kernel: matrices of different sizes")
	}
	s.m[i] = operand{&m.Data[0], 4 * m.Stride}
}

// vector sets a vector of one number per column. Kernels read whole vectors, so it
// needs [Slack] unless the number of columns is a multiple of 16.
func (s *sweep) vector(i int, v []float32) {
	if cap(v) < Round(s.cols, Slack) {
		panic("kernel: vector shorter than the columns")
	}
	s.v[i] = &v[0]
}

// sweepOf returns the arguments for matrices of one size, in their order.
func sweepOf(matrices ...Matrix) sweep {
	s := newSweep(matrices[0])
	for i, m := range matrices {
		s.matrix(i, m)
	}
	return s
}

// newSweep returns the arguments for matrices of the size of m.
func newSweep(m Matrix) sweep {
	s := sweep{rows: m.Rows, cols: m.Cols, words: &maskWords[0]}
	if rest := m.Cols % Slack; active == AVX512 {
		s.mask = uint64(1)<<rest - 1
	} else {
		s.words = &maskWords[16-m.Cols%8]
	}
	return s
}

// sweepBytes is how much of all operands a block of rows has: what stays in the first-level
// cache while vectors of columns follow one another.
const sweepBytes = 8 << 10

// inBlocks runs a kernel whose elements do not depend on other rows in blocks of rows, of
// which a column after the other finds all but the first in the first-level cache.
func (s *sweep) inBlocks(op op) {
	used := 0
	for used < len(s.m) && s.m[used].p != nil {
		used++
	}
	all := s.rows
	block := max(4, sweepBytes/(4*used*s.cols))
	for i := 0; i < all; i += block {
		s.rows = min(block, all-i)
		if i > 0 {
			for j := range s.m[:used] {
				s.m[j].p = (*float32)(unsafe.Add(unsafe.Pointer(s.m[j].p), block*s.m[j].stride))
			}
		}
		runSweep(op, s)
	}
}

// fetchMost is how many elements are fetched at once: a part of the second-level cache.
const fetchMost = 128 << 10

// fetch brings the rows nearer, in their order, for a kernel that goes down the columns and
// sums up: lines far apart would be waited for one by one.
func (m Matrix) fetch() {
	if m.Rows > 1 && m.Cols > 2*cacheLine/4 && m.Rows*m.Cols <= fetchMost {
		for i := range m.Rows {
			fetchRow(m.row(i))
		}
	}
}

// maskWords[16-n:] masks the first n of 16 columns.
var maskWords = func() (w [32]int32) {
	for i := range 16 {
		w[i] = -1
	}
	return w
}()
