package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The assembler does not know the instructions of matrix tiles: they are written byte
// by byte. Pointers and strides are in the first eight registers, which need no further
// bits.

// encode writes an instruction of the map 0F38 with the given prefix, second source and
// opcode, and the bytes that follow.
func encode(prefix, second, opcode byte, rest ...byte) {
	for _, b := range append([]byte{0xC4, 0xE2, (^second&15)<<3 | prefix, opcode}, rest...) {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)}})
	}
}

// The prefixes.
const noPrefix, prefixF3, prefixF2 = 0, 2, 3

// amxMemory returns the bytes of an address: base + stride·row + disp.
func amxMemory(tile byte, base, stride reg.GPPhysical, disp int) []byte {
	d := uint32(disp)
	return []byte{0x80 | tile<<3 | 4, byte(stride.ID().Index())<<3 | byte(base.ID().Index()), byte(d), byte(d >> 8), byte(d >> 16), byte(d >> 24)}
}

func tileConfigure(base reg.GPPhysical) { encode(noPrefix, 0, 0x49, byte(base.ID().Index())) }
func tileRelease()                      { encode(noPrefix, 0, 0x49, 0xC0) }
func tileZero(tile byte)                { encode(prefixF2, 0, 0x49, 0xC0|tile<<3) }

func tileLoad(tile byte, base, stride reg.GPPhysical, disp int) {
	encode(prefixF2, 0, 0x4B, amxMemory(tile, base, stride, disp)...)
}

func tileStore(tile byte, base, stride reg.GPPhysical, disp int) {
	encode(prefixF3, 0, 0x4B, amxMemory(tile, base, stride, disp)...)
}

// tileMultiply adds the product of the tiles a and b to tile c.
func tileMultiply(c, a, b byte) { encode(prefixF3, b, 0x5C, 0xC0|c<<3|a) }

// A tile has 16 rows of 64 bytes. Tiles of the left and of the right matrix have three
// pieces, and those of the right one come in twos, side by side.
const (
	tileBytes  = 1024
	leftBytes  = 3 * tileBytes
	rightBytes = 2 * leftBytes
)

// The registers of amxProduct. What is not needed within the loops is in its arguments.
var (
	amxUpper, amxLower, amxPanel = reg.RAX, reg.RBX, reg.RCX // tiles of rows 0 ... 15 and 16 ... 31, and of the panel
	amxCount, amxLine, amxDst    = reg.RDX, reg.RSI, reg.RDI
	amxFrom, amxRow, amxTurns    = reg.R8, reg.R12, reg.R9 // of the sums that are merged
	amxTo, amxPending            = reg.R13, reg.R14
	amxSoon, amxExpected         = reg.R11, reg.R10 // rows of the result that are fetched
	amxArgs                      = reg.R15
)

// amxProduct writes the products of split matrices: 32 rows and columns at a time, in
// four tiles. The products of the pieces that count least are added up first. While the
// tiles are busy, the sums of the rows before are merged into the result.
func amxProduct() {
	TEXT("amxProduct", NOSPLIT, "func(t *uint8)")
	Doc("amxProduct computes the products of split rows with a split panel.")
	Load(Param("t"), amxArgs)
	amxStart()
	Label("rows")
	for i := range byte(4) {
		tileZero(i)
	}
	amxExpect()
	amxRewind()
	Label("small")
	loadLeft(2)
	loadRight(0)
	multiplyTiles()
	loadLeft(1)
	multiplyTiles()
	amxMerge("small")
	amxAhead(1)
	loadRight(1)
	multiplyTiles()
	loadLeft(0)
	multiplyTiles()
	amxAnnounce("small")
	amxAhead(0)
	loadRight(2)
	multiplyTiles()
	amxStep("small")
	amxRewind()
	Label("large")
	loadLeft(0)
	loadRight(0)
	multiplyTiles()
	amxMerge("large")
	amxAnnounce("large")
	amxStep("large")
	MOVQ(amxLower, field(amxArgs, tilesLeftAt)) // the lower tiles end where the next rows begin
	Label("rest")
	amxMerge("rest")
	TESTQ(amxPending, amxPending)
	JNZ(LabelRef("rest"))
	amxKeep()
	CMPQ(field(amxArgs, tilesRows), U8(0))
	JNE(LabelRef("rows"))
	Label("last")
	amxMerge("last")
	TESTQ(amxPending, amxPending)
	JNZ(LabelRef("last"))
	tileRelease()
	VZEROUPPER()
	RET()
}

// amxStart reads what stays in registers: masks of the columns that exist (K1, K2) and of
// those that are added to (K3, K4), and the bias or zeros.
func amxStart() {
	MOVQ(field(amxArgs, tilesConfig), reg.RAX)
	tileConfigure(reg.RAX)
	MOVQ(field(amxArgs, tilesDst), amxDst)
	for _, f := range [][2]int{{tilesLeft, tilesLeftAt}, {tilesTo, tilesToAt}, {tilesAhead, tilesAhead + aheadAt}, {tilesAhead + aheadSize, tilesAhead + aheadSize + aheadAt}} {
		MOVQ(field(amxArgs, f[0]), reg.RAX)
		MOVQ(reg.RAX, field(amxArgs, f[1]))
	}
	MOVQ(field(amxArgs, tilesMask), reg.RAX)
	KMOVW(reg.EAX, reg.K1)
	SHRQ(U8(16), reg.RAX)
	KMOVW(reg.EAX, reg.K2)
	KXORW(reg.K3, reg.K3, reg.K3)
	KXORW(reg.K4, reg.K4, reg.K4)
	VPXORD(reg.Z2, reg.Z2, reg.Z2)
	VPXORD(reg.Z3, reg.Z3, reg.Z3)
	MOVQ(U32(64), amxLine)
	XORQ(amxPending, amxPending)
	CMPQ(field(amxArgs, tilesAdd), U8(0))
	JNE(LabelRef("adds"))
	MOVQ(field(amxArgs, tilesBias), reg.RAX)
	VMOVUPS(Mem{Base: reg.RAX}, reg.Z2)
	VMOVUPS(Mem{Base: reg.RAX, Disp: 64}, reg.Z3)
	JMP(LabelRef("rows"))
	Label("adds")
	KMOVW(reg.K1, reg.K3)
	KMOVW(reg.K2, reg.K4)
}

// amxRewind returns to the first block of the inner index.
func amxRewind() {
	MOVQ(field(amxArgs, tilesBlocks), amxCount)
	MOVQ(field(amxArgs, tilesLeftAt), amxUpper)
	IMUL3Q(I32(leftBytes), amxCount, amxLower)
	ADDQ(amxUpper, amxLower)
	MOVQ(field(amxArgs, tilesRight), amxPanel)
}

// amxStep goes on to the next block.
func amxStep(loop string) {
	ADDQ(I32(leftBytes), amxUpper)
	ADDQ(I32(leftBytes), amxLower)
	ADDQ(I32(rightBytes), amxPanel)
	DECQ(amxCount)
	JNZ(LabelRef(loop))
}

func loadLeft(piece int) {
	tileLoad(4, amxUpper, amxLine, piece*tileBytes)
	tileLoad(5, amxLower, amxLine, piece*tileBytes)
}

func loadRight(piece int) {
	tileLoad(6, amxPanel, amxLine, piece*tileBytes)
	tileLoad(7, amxPanel, amxLine, leftBytes+piece*tileBytes)
}

func multiplyTiles() {
	tileMultiply(0, 4, 6)
	tileMultiply(1, 4, 7)
	tileMultiply(2, 5, 6)
	tileMultiply(3, 5, 7)
}

// amxExpect begins with the lines of the result that the next rows are merged into.
func amxExpect() {
	MOVQ(field(amxArgs, tilesToAt), amxSoon)
	amxBlock(amxExpected)
}

// amxBlock sets a register to the rows of the next block: up to 32.
func amxBlock(rows reg.GPPhysical) {
	MOVQ(U32(32), rows)
	CMPQ(rows, field(amxArgs, tilesRows))
	CMOVQGT(field(amxArgs, tilesRows), rows)
}

// amxAnnounce fetches the lines of up to eight rows while products are computed.
func amxAnnounce(name string) {
	TESTQ(amxExpected, amxExpected)
	JZ(LabelRef(name + "Announced"))
	MOVQ(U32(8), amxTurns)
	Label(name + "Announce")
	MOVQ(Mem{Base: amxSoon}, amxRow)
	fetchForWriting(amxDst, amxRow, 0)
	fetchForWriting(amxDst, amxRow, 64)
	ADDQ(U8(8), amxSoon)
	DECQ(amxExpected)
	JZ(LabelRef(name + "Announced"))
	DECQ(amxTurns)
	JNZ(LabelRef(name + "Announce"))
	Label(name + "Announced")
}

// amxAhead fetches some lines of what comes next.
func amxAhead(i int) {
	ahead, skip := tilesAhead+aheadSize*i, fmt.Sprintf("ahead%d", i)
	MOVQ(field(amxArgs, ahead+aheadLines), amxTurns)
	TESTQ(amxTurns, amxTurns)
	JZ(LabelRef(skip + "Done"))
	MOVQ(field(amxArgs, ahead+aheadAt), amxRow)
	Label(skip)
	PREFETCHT1(Mem{Base: amxRow})
	ADDQ(U8(64), amxRow)
	DECQ(amxTurns)
	JNZ(LabelRef(skip))
	MOVQ(amxRow, field(amxArgs, ahead+aheadAt))
	Label(skip + "Done")
}

// fetchForWriting writes the instruction PREFETCHW base+index+disp, which the assembler
// does not know either. The base is one of the first eight registers, the index is not.
func fetchForWriting(base, index reg.GPPhysical, disp int) {
	d := uint32(disp)
	for _, b := range []byte{0x42, 0x0F, 0x0D, 0x8C, byte(index.ID().Index())&7<<3 | byte(base.ID().Index()),
		byte(d), byte(d >> 8), byte(d >> 16), byte(d >> 24)} {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)}, Inputs: []Op{base, index}})
	}
}

// amxKeep stores the sums of up to 32 rows, to be merged next.
func amxKeep() {
	MOVQ(field(amxArgs, tilesScratch), amxUpper)
	MOVQ(U32(128), amxCount)
	for i := range 4 {
		tileStore(byte(i), amxUpper, amxCount, i/2*2048+i%2*64)
	}
	MOVQ(amxUpper, amxFrom)
	amxBlock(amxPending)
	SUBQ(amxPending, field(amxArgs, tilesRows))
	MOVQ(field(amxArgs, tilesToAt), amxTo)
	LEAQ(Mem{Base: amxTo, Index: amxPending, Scale: 8}, amxUpper)
	MOVQ(amxUpper, field(amxArgs, tilesToAt))
}

// amxMerge takes up to eight rows of sums to where they belong: beside the bias, or added
// to what is there.
func amxMerge(name string) {
	TESTQ(amxPending, amxPending)
	JZ(LabelRef(name + "Merged"))
	MOVQ(U32(8), amxTurns)
	Label(name + "Merge")
	MOVQ(Mem{Base: amxTo}, amxRow)
	for i, masks := range [][2]reg.Register{{reg.K1, reg.K3}, {reg.K2, reg.K4}} {
		sum, bias := zmm[i], zmm[2+i]
		dst := Mem{Base: amxDst, Index: amxRow, Scale: 1, Disp: 64 * i}
		VMOVUPS_Z(dst, masks[1], sum)
		VADDPS(bias, sum, sum)
		VADDPS(Mem{Base: amxFrom, Disp: 64 * i}, sum, sum)
		VMOVUPS(sum, masks[0], dst)
	}
	ADDQ(U8(8), amxTo)
	SUBQ(I8(-128), amxFrom)
	DECQ(amxPending)
	JZ(LabelRef(name + "Merged"))
	DECQ(amxTurns)
	JNZ(LabelRef(name + "Merge"))
	Label(name + "Merged")
}
