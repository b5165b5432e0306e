package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dotsAhead is how many bytes of every row of weights are fetched ahead of their use.
const dotsAhead = 1024

// dots writes the inner products of four rows with four rows of weights, in each format of
// weights: sixteen sums of sixteen parts, which are added up at the end in one order.
func dots(v isa) {
	for _, f := range []weightFormat{
		{"dotsF32", "float32", 4, func(m Mem, r reg.Register) { VMOVUPS(m, r) }},
		{"dotsF16", "binary16", 2, func(m Mem, r reg.Register) { VCVTPH2PS(m, r) }},
		{"dotsBF16", "bfloat16", 2, func(m Mem, r reg.Register) {
			VPMOVZXWD(m, r)
			VPSLLD(U8(16), r, r)
		}},
	} {
		TEXT(f.name+v.name, NOSPLIT, "func(d *uint8)")
		Doc(fmt.Sprintf("%s writes the inner products of four rows with four rows of weights of %s.", f.name+v.name, f.format))
		if v.lanes == 16 {
			f.sixteen()
			continue
		}
		args := Load(Param("d"), GP64())
		for i := 0; i < 4; i += 2 {
			for j := 0; j < 4; j += 2 {
				f.four(args, i, j)
			}
		}
		VZEROUPPER()
		RET()
	}
}

// weightFormat is a format of weights: the name of its kernel, its own, the bytes of a weight and
// what loads a vector.
type weightFormat struct {
	name, format string
	size         int
	load         func(m Mem, r reg.Register)
}

// sixteen writes the kernel that has all sums in registers.
func (f weightFormat) sixteen() {
	args := Load(Param("d"), GP64())
	var w, x [4]reg.GPVirtual
	for i := range 4 {
		w[i], x[i] = GP64(), GP64()
		MOVQ(field(args, dotsWeights+8*i), w[i])
		MOVQ(field(args, dotsRows+8*i), x[i])
	}
	var sums [16]reg.Register
	for i := range sums {
		sums[i] = zmm[i]
		VPXORD(sums[i], sums[i], sums[i])
	}
	turns, at := GP64(), GP64()
	MOVQ(field(args, dotsTurns), turns)
	XORQ(at, at)
	Label("turn")
	for i := range 4 {
		f.load(Mem{Base: w[i], Index: at, Scale: uint8(f.size)}, zmm[16+i])
		VMOVUPS(Mem{Base: x[i], Index: at, Scale: 4}, zmm[20+i])
		PREFETCHT0(Mem{Base: w[i], Index: at, Scale: uint8(f.size), Disp: dotsAhead})
	}
	for i := range 4 {
		for j := range 4 {
			VFMADD231PS(zmm[16+i], zmm[20+j], sums[4*i+j])
		}
	}
	ADDQ(I8(16), at)
	DECQ(turns)
	JNZ(LabelRef("turn"))
	transpose16(&sums)
	for step := 8; step > 0; step /= 2 {
		for i := range step {
			VADDPS(sums[i+step], sums[i], sums[i])
		}
	}
	VMOVUPS(sums[0], field(args, dotsSums))
	VZEROUPPER()
	RET()
}

// four writes four of the sums, of two rows of weights and two rows, each in two registers.
func (f weightFormat) four(args reg.Register, i, j int) {
	var w, x [2]reg.GPVirtual
	for k := range 2 {
		w[k], x[k] = GP64(), GP64()
		MOVQ(field(args, dotsWeights+8*(i+k)), w[k])
		MOVQ(field(args, dotsRows+8*(j+k)), x[k])
	}
	for k := range 8 {
		VXORPS(ymm[k], ymm[k], ymm[k])
	}
	turns, at := GP64(), GP64()
	MOVQ(field(args, dotsTurns), turns)
	XORQ(at, at)
	turn := fmt.Sprintf("turn%d%d", i, j)
	Label(turn)
	for half := range 2 {
		for k := range 2 {
			f.load(Mem{Base: w[k], Index: at, Scale: uint8(f.size), Disp: 8 * f.size * half}, ymm[8+k])
			VMOVUPS(Mem{Base: x[k], Index: at, Scale: 4, Disp: 32 * half}, ymm[10+k])
		}
		for k := range 4 {
			VFMADD231PS(ymm[8+k/2], ymm[10+k%2], ymm[2*k+half])
		}
	}
	ADDQ(I8(16), at)
	DECQ(turns)
	JNZ(LabelRef(turn))
	for k := range 4 {
		VADDPS(ymm[2*k+1], ymm[2*k], ymm[2*k])
		sum, other := ymm[2*k].AsX(), ymm[2*k+1].AsX()
		VEXTRACTF128(U8(1), ymm[2*k], other)
		VADDPS(other, sum, sum)
		VMOVHLPS(sum, sum, other)
		VADDPS(other, sum, sum)
		VMOVSHDUP(sum, other)
		VADDSS(other, sum, sum)
		VMOVSS(sum, field(args, dotsSums+4*(4*(i+k/2)+j+k%2)))
	}
}
