package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// splitter holds the constants that round to the upper halves of numbers.
type splitter struct{ half, upper reg.VecPhysical }

func newSplitter() splitter {
	s := splitter{reg.Z30, reg.Z31}
	c := GP32()
	MOVL(U32(0x8000), c)
	VPBROADCASTD(c, s.half)
	MOVL(U32(0xFFFF0000), c)
	VPBROADCASTD(c, s.upper)
	return s
}

// split writes the three pieces of two vectors, which it takes apart: every piece as the
// halves of words, those of the second vector above those of the first.
func (s splitter) split(a, b reg.VecPhysical, dst Mem) {
	x, y, z := reg.Z26, reg.Z27, reg.Z28
	for piece := range 3 {
		dst.Disp += min(piece, 1) * tileBytes
		if piece == 2 { // what is left is short enough
			VPSRLD(U8(16), a, z)
			VPTERNLOGD(U8(0xF8), s.upper, b, z)
			VMOVDQU32(z, dst)
			break
		}
		VPADDD(s.half, a, x)
		VPADDD(s.half, b, y)
		VPANDD(s.upper, x, x)
		VPANDD(s.upper, y, y)
		VSUBPS(x, a, a)
		VSUBPS(y, b, b)
		VPSRLD(U8(16), x, z)
		VPORD(y, z, z)
		VMOVDQU32(z, dst)
	}
}

// splitLeft writes the tiles of some rows, sixteen rows at a time and one block of the inner
// index after the other, so that lines which are read and written follow one another. The
// next rows are fetched meanwhile, and so is what is written next.
func splitLeft() {
	TEXT("splitLeftAVX512", NOSPLIT, "func(s *uint8)")
	Doc("splitLeftAVX512 writes rows as tiles of the left matrix.")
	args := Load(Param("s"), GP64())
	s := newSplitter()
	from, rows, group, ahead := GP64(), GP64(), GP64(), reg.R8
	MOVQ(field(args, splitFrom), from)
	MOVQ(field(args, splitRows), rows)
	MOVQ(field(args, splitDst), group)
	MOVQ(field(args, splitAhead), ahead)
	Label("group")
	count, next, src, block, blocks := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(U32(16), count)
	CMPQ(rows, count)
	CMOVQLT(rows, count)
	SUBQ(count, rows)
	XORQ(next, next)
	CMPQ(rows, U8(16))
	skip := GP64()
	MOVQ(U32(16*8), skip)
	CMOVQGE(skip, next)
	MOVQ(field(args, splitSrc), src)
	MOVQ(field(args, splitBlocks), blocks)
	MOVQ(group, block)
	all := GP64()
	MOVQ(U64(0xFFFFFFFF), all)
	Label("block")
	DECQ(blocks)
	CMOVQEQ(field(args, splitMask), all) // the last one may be shorter
	KMOVW(all.As32(), reg.K1)
	upper := GP64()
	MOVQ(all, upper)
	SHRQ(U8(16), upper)
	KMOVW(upper.As32(), reg.K2)
	splitLeftRows(s, leftRows{from: from, count: count, next: next, src: src, block: block, ahead: ahead})
	SUBQ(I8(-128), src)
	ADDQ(I32(leftBytes), block)
	TESTQ(blocks, blocks)
	JNZ(LabelRef("block"))
	SUBQ(I8(-128), from)
	ADDQ(field(args, splitGroup), group)
	TESTQ(rows, rows)
	JNZ(LabelRef("group"))
	VZEROUPPER()
	RET()
}

// leftRows is where [splitLeft] is: the rows to split and where one block of them goes.
type leftRows struct {
	from, count, next, src, block reg.Register
	ahead                         reg.GPPhysical
}

// splitLeftRows writes the block of each row.
func splitLeftRows(s splitter, r leftRows) {
	row, dst, in := GP64(), reg.RDI, GP64()
	XORQ(row, row)
	MOVQ(r.block, dst)
	at := GP64()
	MOVQ(r.from, at)
	Label("row")
	MOVQ(Mem{Base: at, Index: r.next, Scale: 1}, in)
	PREFETCHT0(Mem{Base: r.src, Index: in, Scale: 1})
	PREFETCHT0(Mem{Base: r.src, Index: in, Scale: 1, Disp: 64})
	MOVQ(Mem{Base: at}, in)
	for piece := range 3 {
		fetchForWriting(dst, r.ahead, piece*tileBytes)
	}
	VMOVUPS_Z(Mem{Base: r.src, Index: in, Scale: 1}, reg.K1, reg.Z0)
	VMOVUPS_Z(Mem{Base: r.src, Index: in, Scale: 1, Disp: 64}, reg.K2, reg.Z1)
	s.split(reg.Z0, reg.Z1, Mem{Base: dst})
	ADDQ(U8(8), at)
	ADDQ(U8(64), dst)
	INCQ(row)
	CMPQ(row, r.count)
	JLT(LabelRef("row"))
}

// splitRight writes the tiles of a panel of 32 columns.
func splitRight() {
	TEXT("splitRightAVX512", NOSPLIT, "func(s *uint8)")
	Doc("splitRightAVX512 writes a panel of 32 columns as tiles of the right matrix.")
	args := Load(Param("s"), GP64())
	s := newSplitter()
	src, dst, blocks, count := GP64(), GP64(), GP64(), GP64()
	MOVQ(field(args, splitSrc), src)
	MOVQ(field(args, splitDst), dst)
	MOVQ(field(args, splitBlocks), blocks)
	Label("block")
	MOVQ(U32(16), count)
	Label("row")
	for half := range 2 {
		VMOVUPS(Mem{Base: src, Disp: 64 * half}, reg.Z0)
		VMOVUPS(Mem{Base: src, Disp: 16*128 + 64*half}, reg.Z1)
		s.split(reg.Z0, reg.Z1, Mem{Base: dst, Disp: leftBytes * half})
	}
	SUBQ(I8(-128), src)
	ADDQ(U8(64), dst)
	DECQ(count)
	JNZ(LabelRef("row"))
	ADDQ(I32(16*128), src)
	ADDQ(I32(rightBytes-tileBytes), dst)
	DECQ(blocks)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}
