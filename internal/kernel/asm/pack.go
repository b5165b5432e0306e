package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packs writes the kernels that bring weights into panels.
func packs(v isa) {
	transpose(v)
	widenFormat(v, "widenHalf", "binary16", func(m Mem, r reg.Register) { VCVTPH2PS(m, r) })
	widenFormat(v, "widenBrain", "bfloat16", func(m Mem, r reg.Register) {
		VPMOVZXWD(m, r)
		VPSLLD(U8(16), r, r)
	})
}

// transpose writes square blocks: a vector of columns of as many rows as a vector is
// long. Every row has its own offset.
func transpose(v isa) {
	TEXT("transpose"+v.name, NOSPLIT, "func(t *uint8)")
	Doc("transpose" + v.name + " writes the columns of a vector of rows as rows.")
	args := Load(Param("t"), GP64())
	src, dst, stride, row, n := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(field(args, transposeSrc), src)
	MOVQ(field(args, transposeDst), dst)
	MOVQ(field(args, transposeDstRow), stride)
	MOVQ(field(args, transposeBlocks), n)
	Label("block")
	var x [16]reg.Register
	for i := range v.lanes {
		x[i] = v.physical(i)
		MOVQ(field(args, transposeRows+8*i), row)
		VMOVUPS(Mem{Base: src, Index: row, Scale: 1}, x[i])
	}
	if v.lanes == 16 {
		transpose16(&x)
	} else {
		transpose8(&x)
	}
	for i := range v.lanes {
		VMOVUPS(x[i], Mem{Base: dst})
		ADDQ(stride, dst)
	}
	ADDQ(I32(v.bytes()), src)
	DECQ(n)
	JNZ(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// transpose16 transposes sixteen vectors: within pairs of rows, within fours, and then
// the quarters of the vectors.
func transpose16(x *[16]reg.Register) {
	var y [16]reg.Register
	for i := range y {
		y[i] = zmm[16+i]
	}
	for i := 0; i < 16; i += 2 {
		VUNPCKLPS(x[i+1], x[i], y[i])
		VUNPCKHPS(x[i+1], x[i], y[i+1])
	}
	for i := 0; i < 16; i += 4 { // x[i+j]: column 4 q + j of the rows i ... i+3 in quarter q
		VUNPCKLPD(y[i+2], y[i], x[i])
		VUNPCKHPD(y[i+2], y[i], x[i+1])
		VUNPCKLPD(y[i+3], y[i+1], x[i+2])
		VUNPCKHPD(y[i+3], y[i+1], x[i+3])
	}
	for j := range 4 {
		VSHUFF32X4(U8(0x44), x[4+j], x[j], y[j])      // quarters 0, 1 of the first eight rows
		VSHUFF32X4(U8(0xEE), x[4+j], x[j], y[4+j])    // 2, 3
		VSHUFF32X4(U8(0x44), x[12+j], x[8+j], y[8+j]) // of the last eight
		VSHUFF32X4(U8(0xEE), x[12+j], x[8+j], y[12+j])
	}
	for j := range 4 {
		VSHUFF32X4(U8(0x88), y[8+j], y[j], x[j])
		VSHUFF32X4(U8(0xDD), y[8+j], y[j], x[4+j])
		VSHUFF32X4(U8(0x88), y[12+j], y[4+j], x[8+j])
		VSHUFF32X4(U8(0xDD), y[12+j], y[4+j], x[12+j])
	}
}

// transpose8 transposes eight vectors in the same way.
func transpose8(x *[16]reg.Register) {
	var y [8]reg.Register
	for i := range y {
		y[i] = ymm[8+i]
	}
	for i := 0; i < 8; i += 2 {
		VUNPCKLPS(x[i+1], x[i], y[i])
		VUNPCKHPS(x[i+1], x[i], y[i+1])
	}
	for i := 0; i < 8; i += 4 {
		VUNPCKLPD(y[i+2], y[i], x[i])
		VUNPCKHPD(y[i+2], y[i], x[i+1])
		VUNPCKLPD(y[i+3], y[i+1], x[i+2])
		VUNPCKHPD(y[i+3], y[i+1], x[i+3])
	}
	for j := range 4 {
		VPERM2F128(U8(0x20), x[4+j], x[j], y[j])
		VPERM2F128(U8(0x31), x[4+j], x[j], y[4+j])
	}
	copy(x[:], y[:])
}

// widenFormat writes numbers of 16 bits as float32.
func widenFormat(v isa, name, format string, convert func(m Mem, r reg.Register)) {
	TEXT(name+v.name, NOSPLIT, "func(dst *float32, src *uint8, n int)")
	Doc(fmt.Sprintf("%s%s writes n numbers of %s, a multiple of the vector length, as float32.", name, v.name, format))
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	Label("loop")
	r := v.vec()
	convert(Mem{Base: src}, r)
	VMOVUPS(r, Mem{Base: dst})
	ADDQ(I32(2*v.lanes), src)
	ADDQ(I32(v.bytes()), dst)
	SUBQ(I8(v.lanes), n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// prefetches writes the kernel that fetches cache lines, the same for all vectors.
func prefetches() {
	TEXT("prefetchLines", NOSPLIT, "func(p *uint8, lines int)")
	Doc("prefetchLines fetches some cache lines ahead of their use.")
	p := Load(Param("p"), GP64())
	n := Load(Param("lines"), GP64())
	Label("line")
	PREFETCHT0(Mem{Base: p})
	ADDQ(I32(64), p)
	DECQ(n)
	JNZ(LabelRef("line"))
	RET()
}
