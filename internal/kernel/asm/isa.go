package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set. Every kernel is one function of it, and both sets do
// the same arithmetic per element in the same order, so they give the same bits.
type isa struct {
	name       string
	lanes      int   // float32 per vector
	tileRows   []int // heights of the product tiles, tallest first
	narrowRows []int // heights of the tiles of transposed products that are one vector wide
	registers  bool  // constants fit in registers beside the work
}

var (
	avx512 = isa{name: "AVX512", lanes: 16, tileRows: []int{12, 8, 4}, narrowRows: []int{16, 12, 8, 4}, registers: true}
	avx2   = isa{name: "AVX2", lanes: 8, tileRows: []int{6, 4, 2}}
)

// bytes is the size of a vector.
func (v isa) bytes() int { return 4 * v.lanes }

// vec returns a fresh vector register.
func (v isa) vec() reg.VecVirtual {
	if v.lanes == 16 {
		return ZMM()
	}
	return YMM()
}

// physical returns vector register i.
func (v isa) physical(i int) reg.VecPhysical {
	if v.lanes == 16 {
		return zmm[i]
	}
	return ymm[i]
}

var (
	zmm = []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10,
		reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15, reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22,
		reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
	ymm = []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10,
		reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15}
)

// zero clears a vector register.
func (v isa) zero(r reg.Register) {
	if v.lanes == 16 {
		VPXORD(r, r, r)
	} else {
		VXORPS(r, r, r)
	}
}

// round sets dst to src rounded to the nearest integer, ties to even.
func (v isa) round(src, dst reg.Register) {
	if v.lanes == 16 {
		VRNDSCALEPS(U8(8), src, dst)
	} else {
		VROUNDPS(U8(8), src, dst)
	}
}

// mask limits loads and stores to the first lanes of a vector; the zero value does
// not limit them.
type mask struct{ r reg.Register }

// loadMask reads a mask from the arguments: a bit per lane for AVX-512, a word per
// lane for AVX2.
func (v isa) loadMask(m Mem, words Mem) mask {
	if v.lanes == 16 {
		k := K()
		KMOVW(m, k)
		return mask{k}
	}
	y := YMM()
	p := GP64()
	MOVQ(words, p)
	VMOVDQU(Mem{Base: p}, y)
	return mask{y}
}

// load reads a vector, zero in the lanes that the mask leaves out.
func (v isa) load(m Mem, k mask, dst reg.Register) {
	switch {
	case k.r == nil:
		VMOVUPS(m, dst)
	case v.lanes == 16:
		VMOVUPS_Z(m, k.r, dst)
	default:
		VMASKMOVPS(m, k.r, dst)
	}
}

// store writes the lanes of a vector that the mask names.
func (v isa) store(src reg.Register, k mask, m Mem) {
	switch {
	case k.r == nil:
		VMOVUPS(src, m)
	default:
		if v.lanes == 16 {
			VMOVUPS(src, k.r, m)
		} else {
			VMASKMOVPS(src, k.r, m)
		}
	}
}

// constants hands out broadcast constants: in registers where there are enough,
// else as memory operands.
type constants struct {
	v           isa
	held        map[string]Op
	inRegisters bool
}

func (v isa) constants() *constants {
	return &constants{v: v, held: map[string]Op{}, inRegisters: v.registers}
}

var written = map[string]Mem{}

// get returns an operand with the value in every lane.
func (c *constants) get(value float32) Op {
	name := fmt.Sprintf("f32x%08x", math.Float32bits(value))
	if op, ok := c.held[name]; ok {
		return op
	}
	m, ok := written[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, F32(value))
		}
		written[name] = m
	}
	c.held[name] = m
	if c.inRegisters {
		r := c.v.vec()
		VBROADCASTSS(m, r)
		c.held[name] = r
	}
	return c.held[name]
}

// field addresses an eight-byte field of the argument struct.
func field(args reg.Register, offset int) Mem { return Mem{Base: args, Disp: offset} }
