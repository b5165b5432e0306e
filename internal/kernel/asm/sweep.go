package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sweep writes kernels over matrices of rows×columns: vectors of columns in the
// outer loop, rows in the inner one. The body is written twice, for whole vectors
// and for the masked rest.
type sweep struct {
	v      isa
	args   reg.Register
	column reg.Register // byte offset of the vector of columns
	mask   mask
	suffix string // makes labels of the two bodies different
}

// newSweep starts a kernel that takes a *sweep.
func newSweep(v isa, name, doc string) *sweep {
	TEXT(name+v.name, NOSPLIT, "func(s *uint8)")
	Doc(name + v.name + " " + doc)
	return &sweep{v: v, args: Load(Param("s"), GP64())}
}

// columns writes the outer loop around body and returns from the kernel.
func (s *sweep) columns(body func()) {
	rest := GP64()
	s.column = GP64()
	XORQ(s.column, s.column)
	MOVQ(field(s.args, sweepCols), rest)
	Label("columns")
	CMPQ(rest, U8(uint8(s.v.lanes)))
	JL(LabelRef("last"))
	s.suffix = ""
	body()
	ADDQ(I8(s.v.bytes()), s.column)
	SUBQ(I8(s.v.lanes), rest)
	JMP(LabelRef("columns"))
	Label("last")
	TESTQ(rest, rest)
	JZ(LabelRef("return"))
	s.mask = s.v.loadMask(field(s.args, sweepMask), field(s.args, sweepWords))
	s.suffix = "Last"
	body()
	Label("return")
	VZEROUPPER()
	RET()
}

// vector loads the columns of a vector of the arguments.
func (s *sweep) vector(i int) reg.Register {
	p, r := GP64(), s.v.vec()
	MOVQ(field(s.args, sweepVector+8*i), p)
	s.v.load(Mem{Base: p, Index: s.column, Scale: 1}, s.mask, r)
	return r
}

// vectorAt returns the memory of the columns of a vector, for the kernels that
// have no register left; the vectors are as long as whole vectors, so no mask is
// needed.
func (s *sweep) vectorAt(i int) Mem {
	p := GP64()
	MOVQ(field(s.args, sweepVector+8*i), p)
	return Mem{Base: p, Index: s.column, Scale: 1}
}

// put stores the columns of a vector of the arguments.
func (s *sweep) put(r reg.Register, i int) {
	p := GP64()
	MOVQ(field(s.args, sweepVector+8*i), p)
	s.v.store(r, s.mask, Mem{Base: p, Index: s.column, Scale: 1})
}

// cursor walks down the rows of a matrix of the arguments.
type cursor struct {
	s      *sweep
	matrix int
	p      reg.Register
}

func (s *sweep) cursor(matrix int) cursor {
	c := cursor{s, matrix, GP64()}
	MOVQ(field(s.args, sweepMatrix+16*matrix), c.p)
	ADDQ(s.column, c.p)
	return c
}

func (c cursor) load() reg.Register {
	r := c.s.v.vec()
	c.s.v.load(Mem{Base: c.p}, c.s.mask, r)
	return r
}

func (c cursor) store(r reg.Register) { c.s.v.store(r, c.s.mask, Mem{Base: c.p}) }

func (c cursor) next() { ADDQ(field(c.s.args, sweepMatrix+16*c.matrix+8), c.p) }

// rows writes the inner loop over all rows and moves the cursors.
func (s *sweep) rows(body func(), cursors ...cursor) {
	count := GP64()
	MOVQ(field(s.args, sweepRows), count)
	Label("rows" + s.suffix)
	body()
	for _, c := range cursors {
		c.next()
	}
	DECQ(count)
	JNZ(LabelRef("rows" + s.suffix))
}

// quads writes the inner loop four rows at a time and the rest one by one; body
// gets the number of the row within its four.
func (s *sweep) quads(c cursor, body func(i int)) {
	count := GP64()
	MOVQ(field(s.args, sweepRows), count)
	Label("quads" + s.suffix)
	CMPQ(count, U8(4))
	JL(LabelRef("singles" + s.suffix))
	for i := range 4 {
		body(i)
		c.next()
	}
	SUBQ(U8(4), count)
	JMP(LabelRef("quads" + s.suffix))
	Label("singles" + s.suffix)
	TESTQ(count, count)
	JZ(LabelRef("counted" + s.suffix))
	body(0)
	c.next()
	DECQ(count)
	JMP(LabelRef("singles" + s.suffix))
	Label("counted" + s.suffix)
}
