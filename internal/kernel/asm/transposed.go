package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transposedProduct writes the tiles C = Aᵀ B (or C += Aᵀ B) that sum over the
// rows of A and B: both are read where they lie, A as scalars next to each other,
// B as one or two vectors. The rows come in segments with a jump after each. Tiles of
// one vector are for the last columns; AVX2 has none.
func transposedProduct(v isa) {
	for _, rows := range v.tileRows {
		transposedTile(v, fmt.Sprintf("transposed%d", rows), rows, 2)
	}
	for _, rows := range v.narrowRows {
		transposedTile(v, fmt.Sprintf("transposedNarrow%d", rows), rows, 1)
	}
}

func transposedTile(v isa, name string, rows, vectors int) {
	TEXT(name+v.name, NOSPLIT, "func(t *uint8)")
	Doc(fmt.Sprintf("%s%s sums the outer products of %d columns of A and %d vectors of B over the rows of all segments.",
		name, v.name, rows, vectors))
	t := newOuterTile(v, rows, vectors)
	CMPQ(field(t.args, outerAdd), U8(0))
	JNE(LabelRef("add"))
	for i := range vectors * rows {
		v.zero(v.physical(i))
	}
	JMP(LabelRef("ready"))
	Label("add")
	t.visitC(func(i, j int, m Mem, k mask) { v.load(m, k, t.acc(i, j)) })
	Label("ready")
	if v.lanes == 8 {
		CMPL(Mem{Base: t.words, Disp: 4 * (2*v.lanes - 1)}, U8(0))
		JE(LabelRef("ragged"))
		t.whole = true
		t.finish("Whole")
		t.whole = false
		Label("ragged")
	}
	t.finish("")
}

// finish adds the outer products, writes the sums and returns.
func (t *outerTile) finish(suffix string) {
	t.segments(suffix)
	t.visitC(func(i, j int, m Mem, k mask) { t.v.store(t.acc(i, j), k, m) })
	VZEROUPPER()
	RET()
}

// outerTile is the register plan of a tile of the transposed product.
type outerTile struct {
	v              isa
	rows, vectors  int
	b, a           []reg.VecPhysical // vectors of B, broadcasts of A
	args, c, words reg.Register
	masks          [2]mask
	whole          bool // all columns exist
}

func newOuterTile(v isa, rows, vectors int) *outerTile {
	next := vectors * rows
	t := &outerTile{v: v, rows: rows, vectors: vectors}
	for i := next; i < min(next+vectors+4, 2*v.lanes); i++ {
		t.a = append(t.a, v.physical(i))
	}
	t.b, t.a = t.a[:vectors], t.a[vectors:]
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

func (t *outerTile) acc(i, j int) reg.VecPhysical { return t.v.physical(t.vectors*i + j) }

// mask returns the mask of a vector of columns. AVX2 has two registers left: it shares
// the second with the broadcasts, and has whole tiles without masks, whose stores and loads
// take some processors several times as long.
func (t *outerTile) mask(j int) mask {
	if t.whole {
		return mask{}
	}
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
		for j := range t.vectors {
			visit(i, j, Mem{Base: t.c, Disp: j * t.v.bytes()}, t.mask(j))
		}
		ADDQ(field(t.args, outerCRow), t.c)
	}
}

// segments adds the outer products of all rows of all segments.
func (t *outerTile) segments(suffix string) {
	a, b, segments, length := GP64(), GP64(), GP64(), GP64()
	MOVQ(field(t.args, outerA), a)
	MOVQ(field(t.args, outerB), b)
	MOVQ(field(t.args, outerSegments), segments)
	Label("segment" + suffix)
	MOVQ(field(t.args, outerLength), length)
	Label("row" + suffix)
	t.outerProduct(a, b)
	ADDQ(field(t.args, outerARow), a)
	ADDQ(field(t.args, outerBRow), b)
	DECQ(length)
	JNZ(LabelRef("row" + suffix))
	ADDQ(field(t.args, outerAJump), a)
	ADDQ(field(t.args, outerBJump), b)
	DECQ(segments)
	JNZ(LabelRef("segment" + suffix))
}

// outerProduct adds that of the rows at a and b.
func (t *outerTile) outerProduct(a, b reg.Register) {
	for j := range t.vectors {
		t.v.load(Mem{Base: b, Disp: j * t.v.bytes()}, t.mask(j), t.b[j])
	}
	for i := range t.rows {
		if t.vectors == 1 {
			VFMADD231PS_BCST(Mem{Base: a, Disp: 4 * i}, t.b[0], t.acc(i, 0))
			continue
		}
		r := t.a[i%len(t.a)]
		VBROADCASTSS(Mem{Base: a, Disp: 4 * i}, r)
		for j := range t.vectors {
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
