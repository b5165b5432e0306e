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
	TEXT("transposed"+v.name, NOSPLIT, "func(t *uint8)")
	Doc("transposed" + v.name + " sums the outer products of the rows of A and B over all segments.")
	t := newOuterTile(v)
	CMPQ(field(t.args, outerAdd), U8(0))
	JNE(LabelRef("add"))
	for i := range 2 * t.rows {
		v.zero(v.physical(i))
	}
	JMP(LabelRef("ready"))
	Label("add")
	t.visitC(func(i, j int, m Mem, k mask) { v.load(m, k, t.acc(i, j)) })
	Label("ready")
	t.segments()
	t.visitC(func(i, j int, m Mem, k mask) { v.store(t.acc(i, j), k, m) })
	VZEROUPPER()
	RET()
}

// outerTile is a tile of the transposed product: the registers of a product tile, and
// the masks of its two vectors of columns.
type outerTile struct {
	*productTile
	args, c, words reg.Register
	masks          [2]mask
}

func newOuterTile(v isa) *outerTile {
	t := &outerTile{productTile: newProductTile(v, v.tileRows[0])}
	args, c, words := GP64(), GP64(), GP64()
	t.args, t.c, t.words = args, c, words
	Load(Param("t"), args)
	if v.lanes == 16 {
		KMOVW(field(args, outerMask), reg.K1)
		KMOVW(field(args, outerMask+2), reg.K2)
		t.masks = [2]mask{{reg.K1}, {reg.K2}}
	} else {
		MOVQ(field(args, outerWords), words)
	}
	return t
}

// mask returns the mask of a vector of columns. AVX2 has two registers left: it shares
// the second with the broadcasts.
func (t *outerTile) mask(j int) mask {
	if t.v.lanes == 16 {
		return t.masks[j]
	}
	VMOVDQU(Mem{Base: t.words, Disp: 32 * j}, reg.Y15)
	return mask{reg.Y15}
}

// visitC visits the vectors of C.
func (t *outerTile) visitC(visit func(i, j int, m Mem, k mask)) {
	MOVQ(field(t.args, outerC), t.c)
	for i := range t.rows {
		for j := range 2 {
			visit(i, j, Mem{Base: t.c, Disp: j * t.v.bytes()}, t.mask(j))
		}
		ADDQ(field(t.args, outerCRow), t.c)
	}
}

// segments adds the outer products of all rows of all segments.
func (t *outerTile) segments() {
	a, b, segments, length := GP64(), GP64(), GP64(), GP64()
	MOVQ(field(t.args, outerA), a)
	MOVQ(field(t.args, outerB), b)
	MOVQ(field(t.args, outerSegments), segments)
	Label("segment")
	MOVQ(field(t.args, outerLength), length)
	Label("row")
	t.outerProduct(a, b)
	ADDQ(field(t.args, outerARow), a)
	ADDQ(field(t.args, outerBRow), b)
	DECQ(length)
	JNZ(LabelRef("row"))
	ADDQ(field(t.args, outerAJump), a)
	ADDQ(field(t.args, outerBJump), b)
	DECQ(segments)
	JNZ(LabelRef("segment"))
}

// outerProduct adds that of the rows at a and b.
func (t *outerTile) outerProduct(a, b reg.Register) {
	for j := range 2 {
		t.v.load(Mem{Base: b, Disp: j * t.v.bytes()}, t.mask(j), t.b[j])
	}
	for i := range t.rows {
		r := t.a[i%len(t.a)]
		VBROADCASTSS(Mem{Base: a, Disp: 4 * i}, r)
		for j := range 2 {
			VFMADD231PS(t.b[j], r, t.acc(i, j))
		}
	}
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
