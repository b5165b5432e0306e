package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tiles use every general register there is: a pointer for each row of A, the
// offset along k (which shares its register with the arguments, read before and
// after the loop) and the panel of B.
var (
	rowPointers = []reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSI, reg.RDI,
		reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13}
	panel  = reg.R14
	args   = reg.R15
	offset = reg.R15
	ahead  = reg.RBP // which the assembler saves
)

// unroll is how many steps of k one turn of the inner loop makes.
const unroll = 4

// product writes the tiles C = A B + bias and C += A B: a number of rows times two
// vectors of accumulators. Element (i, j) is summed over k in ascending order by
// fused multiply-adds into one accumulator, whatever the height of the tile. The rows of
// A may come in segments of k elements with a jump from one to the next.
func product(v isa) {
	for _, rows := range v.tileRows {
		TEXT(fmt.Sprintf("product%d%s", rows, v.name), NOSPLIT, "func(t *uint8)")
		Doc(fmt.Sprintf("product%d%s computes a tile of %d rows and two vectors.", rows, v.name, rows))
		newProductTile(v, rows, 2).write()
	}
	if v.narrowRows == nil {
		return
	}
	for _, rows := range v.tileRows {
		TEXT(fmt.Sprintf("productNarrow%d%s", rows, v.name), NOSPLIT, "func(t *uint8)")
		Doc(fmt.Sprintf("productNarrow%d%s computes the first vector of a tile of %d rows.", rows, v.name, rows))
		newProductTile(v, rows, 1).write()
	}
}

// productTile is the register plan of one tile.
type productTile struct {
	v             isa
	rows, vectors int
	b             []reg.VecPhysical
	a             []reg.VecPhysical // broadcasts of A, used in turn
}

func newProductTile(v isa, rows, vectors int) *productTile {
	p := &productTile{v: v, rows: rows, vectors: vectors}
	next := vectors * rows
	for i := next; i < min(next+vectors+4, 2*v.lanes); i++ {
		p.a = append(p.a, v.physical(i))
	}
	p.b, p.a = p.a[:vectors], p.a[vectors:]
	return p
}

func (p *productTile) acc(i, j int) reg.VecPhysical { return p.v.physical(p.vectors*i + j) }

func (p *productTile) write() {
	unrolled, limit, segments, jump := AllocLocal(8), AllocLocal(8), AllocLocal(8), AllocLocal(8)
	Load(Param("t"), args)
	p.initialise()
	MOVQ(field(args, tileSegments), panel)
	MOVQ(panel, segments)
	MOVQ(field(args, tileJump), panel)
	MOVQ(panel, jump)
	MOVQ(field(args, tileK), panel)
	MOVQ(panel, limit)
	ANDQ(I8(-unroll), panel)
	MOVQ(panel, unrolled)
	for i := range p.rows {
		MOVQ(field(args, tileA), rowPointers[i])
		ADDQ(field(args, tileARow+8*i), rowPointers[i])
	}
	MOVQ(field(args, tileAhead), ahead)
	MOVQ(field(args, tileB), panel)
	Label("segment")
	XORQ(offset, offset)
	p.loop("unrolled", unrolled, unroll)
	p.loop("single", limit, 1)
	DECQ(segments)
	JZ(LabelRef("whole"))
	for i := range p.rows {
		ADDQ(jump, rowPointers[i])
	}
	JMP(LabelRef("segment"))
	Label("whole")
	Load(Param("t"), args)
	p.store()
}

// store writes the accumulators to C and returns. Masked stores of AVX2 take some processors
// twelve cycles each, a quarter of a short product: whole tiles have stores of their own.
func (p *productTile) store() {
	write := func(i, j int, m Mem, k mask) { p.v.store(p.acc(i, j), k, m) }
	if p.v.lanes == 8 {
		MOVQ(field(args, tileWords), panel)
		CMPL(Mem{Base: panel, Disp: 4 * (2*p.v.lanes - 1)}, U8(0))
		JE(LabelRef("ragged"))
		p.visitC(func(i, j int, m Mem, _ mask) { write(i, j, m, mask{}) })
		VZEROUPPER()
		RET()
		Label("ragged")
	}
	p.visitC(write)
	VZEROUPPER()
	RET()
}

// initialise fills the accumulators with the bias or with C.
func (p *productTile) initialise() {
	CMPQ(field(args, tileAdd), U8(0))
	JNE(LabelRef("add"))
	MOVQ(field(args, tileBias), panel)
	for j := range p.vectors {
		VMOVUPS(Mem{Base: panel, Disp: j * p.v.bytes()}, p.acc(0, j))
		for i := 1; i < p.rows; i++ {
			VMOVAPS(p.acc(0, j), p.acc(i, j))
		}
	}
	JMP(LabelRef("ready"))
	Label("add")
	p.visitC(func(i, j int, m Mem, k mask) { p.v.load(m, k, p.acc(i, j)) })
	Label("ready")
}

// loop advances the offset to the limit, some steps a turn.
func (p *productTile) loop(name string, limit Mem, steps int) {
	CMPQ(offset, limit)
	JGE(LabelRef(name + "Done"))
	Label(name)
	for u := range steps {
		for j := range p.vectors {
			VMOVUPS(Mem{Base: panel, Disp: (2*u + j) * p.v.bytes()}, p.b[j])
		}
		for i := range p.rows {
			m, a := Mem{Base: rowPointers[i], Index: offset, Scale: 4, Disp: 4 * u}, p.a[i%len(p.a)]
			if p.vectors == 1 {
				VFMADD231PS_BCST(m, p.b[0], p.acc(i, 0))
				continue
			}
			VBROADCASTSS(m, a)
			for j := range p.vectors {
				VFMADD231PS(p.b[j], a, p.acc(i, j))
			}
		}
	}
	if steps == unroll { // what comes from beyond the second-level cache would keep the first tile of a product waiting
		PREFETCHT1(Mem{Base: ahead})
		PREFETCHT1(Mem{Base: ahead, Disp: 64})
		SUBQ(I8(-128), ahead)
	}
	ADDQ(I32(steps*2*p.v.bytes()), panel)
	ADDQ(I8(steps), offset)
	CMPQ(offset, limit)
	JLT(LabelRef(name))
	Label(name + "Done")
}

// visitC visits the vectors of C with the masks of the columns that exist.
func (p *productTile) visitC(visit func(i, j int, m Mem, k mask)) {
	base, row := reg.RAX, reg.RCX
	var masks [2]mask
	if p.v.lanes == 16 {
		KMOVW(field(args, tileMask), reg.K1)
		KMOVW(field(args, tileMask+2), reg.K2)
		masks = [2]mask{{reg.K1}, {reg.K2}}
	} else {
		MOVQ(field(args, tileWords), row)
		for j := range p.vectors {
			VMOVDQU(Mem{Base: row, Disp: 32 * j}, p.a[j])
			masks[j] = mask{p.a[j]}
		}
	}
	MOVQ(field(args, tileC), base)
	for i := range p.rows {
		MOVQ(field(args, tileCRow+8*i), row)
		for j := range p.vectors {
			visit(i, j, Mem{Base: base, Index: row, Scale: 1, Disp: j * p.v.bytes()}, masks[j])
		}
	}
}
