package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposedProduct writes the tile C = Aᵀ B (or C += Aᵀ B) that sums over the
// rows of A and B: both are read where they lie, A as scalars next to each other,
// B as two vectors. The rows come in segments with a jump after each.
func transposedProduct(v isa) {
	rows := v.tileRows[0]
	TEXT("transposed"+v.name, NOSPLIT, "func(t *uint8)")
	Doc("transposed" + v.name + " sums the outer products of the rows of A and B over all segments.")
	p := newProductTile(v, rows)
	args, c, masks := GP64(), GP64(), [2]mask{}
	Load(Param("t"), args)
	words := GP64()
	if v.lanes == 16 {
		KMOVW(field(args, outerMask), reg.K1)
		KMOVW(field(args, outerMask+2), reg.K2)
		masks = [2]mask{{reg.K1}, {reg.K2}}
	} else {
		MOVQ(field(args, outerWords), words)
	}
	// AVX2 has two registers left: a mask shares the second with the broadcasts.
	withMask := func(j int) mask {
		if v.lanes == 16 {
			return masks[j]
		}
		VMOVDQU(Mem{Base: words, Disp: 32 * j}, reg.Y15)
		return mask{reg.Y15}
	}
	visitC := func(visit func(i, j int, m Mem, k mask)) {
		MOVQ(field(args, outerC), c)
		for i := range rows {
			for j := range 2 {
				visit(i, j, Mem{Base: c, Disp: j * v.bytes()}, withMask(j))
			}
			ADDQ(field(args, outerCRow), c)
		}
	}

	CMPQ(field(args, outerAdd), U8(0))
	JNE(LabelRef("add"))
	for i := range 2 * rows {
		v.zero(v.physical(i))
	}
	JMP(LabelRef("ready"))
	Label("add")
	visitC(func(i, j int, m Mem, k mask) { v.load(m, k, p.acc(i, j)) })
	Label("ready")

	a, b, segments, length := GP64(), GP64(), GP64(), GP64()
	MOVQ(field(args, outerA), a)
	MOVQ(field(args, outerB), b)
	MOVQ(field(args, outerSegments), segments)
	Label("segment")
	MOVQ(field(args, outerLength), length)
	Label("row")
	for j := range 2 {
		v.load(Mem{Base: b, Disp: j * v.bytes()}, withMask(j), p.b[j])
	}
	for i := range rows {
		r := p.a[i%len(p.a)]
		VBROADCASTSS(Mem{Base: a, Disp: 4 * i}, r)
		for j := range 2 {
			VFMADD231PS(p.b[j], r, p.acc(i, j))
		}
	}
	ADDQ(field(args, outerARow), a)
	ADDQ(field(args, outerBRow), b)
	DECQ(length)
	JNZ(LabelRef("row"))
	ADDQ(field(args, outerAJump), a)
	ADDQ(field(args, outerBJump), b)
	DECQ(segments)
	JNZ(LabelRef("segment"))
	visitC(func(i, j int, m Mem, k mask) { v.store(p.acc(i, j), k, m) })
	VZEROUPPER()
	RET()
}

// gather writes dst[i] = src[index[i]].
func gather(v isa) {
	TEXT("gather"+v.name, NOSPLIT, "func(dst, src *float32, index *int32, n int)")
	Doc("gather" + v.name + " copies n elements, a multiple of the vector length, from indexed places.")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	index := Load(Param("index"), GP64())
	n := Load(Param("n"), GP64())
	i := GP64()
	XORQ(i, i)
	Label("loop")
	at, out := v.vec(), v.vec()
	if v.lanes == 16 {
		VMOVDQU32(Mem{Base: index, Index: i, Scale: 4}, at)
		KXNORW(reg.K1, reg.K1, reg.K1)
		v.zero(out)
		VGATHERDPS(Mem{Base: src, Index: at, Scale: 4}, reg.K1, out)
	} else {
		VMOVDQU(Mem{Base: index, Index: i, Scale: 4}, at)
		all := YMM()
		VPCMPEQD(all, all, all)
		v.zero(out)
		VGATHERDPS(all, Mem{Base: src, Index: at, Scale: 4}, out)
	}
	VMOVUPS(out, Mem{Base: dst, Index: i, Scale: 4})
	ADDQ(U8(uint8(v.lanes)), i)
	CMPQ(i, n)
	JLT(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// peak writes a loop of independent fused multiply-adds on registers, as many as
// the product has accumulators.
func peak(v isa) {
	chains := 2 * v.tileRows[0]
	TEXT("peak"+v.name, NOSPLIT, "func(turns int)")
	Doc("peak" + v.name + " does turns times " + "a round of independent fused multiply-adds.")
	turns := Load(Param("turns"), GP64())
	for i := range chains + 2 {
		v.zero(v.physical(i))
	}
	Label("loop")
	for i := range chains {
		VFMADD231PS(v.physical(chains), v.physical(chains+1), v.physical(i))
	}
	DECQ(turns)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
