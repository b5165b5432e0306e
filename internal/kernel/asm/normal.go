package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Philox4x32 multipliers; the rounds are unrolled, their keys are arguments.
const (
	philoxM0     = 0xD2511F53
	philoxM1     = 0xCD9E8D57
	philoxRounds = 10
)

// normals writes two functions that fill an array with normals, eight blocks of
// Philox4x32-10 at a time: normals1 one normal per block, from its first word,
// and normals4 four. The arithmetic is that of package noise, operation by
// operation. AVX-512 only: AVX2 lacks the 64-bit arithmetic shift, and the
// portable code serves it.
func normals(v isa) {
	if v.name != avx512.name {
		return
	}
	for _, words := range []int{1, 4} {
		TEXT(fmt.Sprintf("normals%dAVX512", words), NOSPLIT, "func(n *uint8)")
		args := Load(Param("n"), GP64())
		dst, turns := GP64(), GP64()
		MOVQ(field(args, normalDst), dst)
		MOVQ(field(args, normalTurns), turns)
		var counter [4]reg.VecVirtual
		for i := range counter {
			counter[i] = ZMM()
			VMOVDQU64(field(args, normalCounter+64*i), counter[i])
		}
		m0, m1 := ZMM(), ZMM()
		VPBROADCASTQ(bits(philoxM0), m0)
		VPBROADCASTQ(bits(philoxM1), m1)

		Label(fmt.Sprintf("turn%d", words))
		block := philoxBlock(args, counter, m0, m1)
		if words == 1 {
			y := YMM()
			VCVTPD2PS(quantile(block[0]), y)
			VMOVUPS(y, Mem{Base: dst})
			ADDQ(U8(32), dst)
		} else {
			storeWords(block, dst)
			ADDQ(U8(128), dst)
		}
		for i := range counter {
			VPADDQ_BCST(field(args, normalStep+8*i), counter[i], counter[i])
		}
		DECQ(turns)
		JNZ(LabelRef(fmt.Sprintf("turn%d", words)))
		VZEROUPPER()
		RET()
	}
}

// philoxBlock returns the four words of eight blocks. Only the low half of every
// 64-bit lane means anything until the end.
func philoxBlock(args reg.Register, counter [4]reg.VecVirtual, m0, m1 reg.Register) (w [4]reg.VecVirtual) {
	c := counter
	for round := range philoxRounds {
		p0, p1 := ZMM(), ZMM()
		VPMULUDQ(m0, c[0], p0)
		VPMULUDQ(m1, c[2], p1)
		h0, h1 := ZMM(), ZMM()
		VPSRLQ(U8(32), p1, h0)
		VPSRLQ(U8(32), p0, h1)
		const xor3 = 0x96
		VPTERNLOGQ_BCST(U8(xor3), field(args, normalKey+16*round), c[1], h0)
		VPTERNLOGQ_BCST(U8(xor3), field(args, normalKey+16*round+8), c[3], h1)
		c = [4]reg.VecVirtual{h0, p1, h1, p0}
	}
	for i := range w {
		w[i] = ZMM()
		VPANDQ_BCST(bits(math.MaxUint32), c[i], w[i])
	}
	return w
}

// storeWords writes the normals of four words of eight blocks, block by block.
func storeWords(block [4]reg.VecVirtual, dst reg.Register) {
	var pair [2]reg.VecVirtual // words 0 and 1, words 2 and 3
	for i := range pair {
		lo, hi := YMM(), YMM()
		VCVTPD2PS(quantile(block[2*i]), lo)
		VCVTPD2PS(quantile(block[2*i+1]), hi)
		pair[i] = ZMM()
		VINSERTF64X4(U8(1), hi, lo.AsZ(), pair[i])
	}
	for half := range 2 {
		index, out := ZMM(), ZMM()
		VMOVDQU32(interleave(half), index)
		VMOVAPS(pair[0], out)
		VPERMT2PS(pair[1], index, out)
		VMOVUPS(out, Mem{Base: dst, Disp: 64 * half})
	}
}

// interleave is the permutation that takes words 0 to 3 of four blocks from two
// vectors of two words of eight blocks.
func interleave(half int) Mem {
	name := fmt.Sprintf("interleave%d", half)
	if m, ok := written[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 16 {
		blockNumber, word := 4*half+i/4, i%4
		DATA(4*i, U32(16*(word/2)+8*(word%2)+blockNumber))
	}
	written[name] = m
	return m
}

// quantile returns the standard normal quantiles of the uniform numbers that
// 32-bit words stand for: both branches, and a choice lane by lane.
func quantile(word reg.Register) reg.Register {
	p, q := ZMM(), ZMM()
	VPORQ_BCST(bits(0x4330000000000000), word, p) // 2^52, whose low bits count ones
	VSUBPD_BCST(double(0x1p52), p, p)
	VADDPD_BCST(double(0.5), p, p)
	VMULPD_BCST(double(0x1p-32), p, p)
	VSUBPD_BCST(double(0.5), p, q)

	r := ZMM()
	VMULPD(q, q, r)
	VSUBPD(r, broadcast(0.180625), r)
	inner := rational(centre, r)
	VMULPD(q, inner, inner)

	t := broadcast(1)
	VSUBPD(p, t, t)
	VMINPD(p, t, t)
	t = logarithm(t)
	VPXORQ_BCST(bits(signBit), t, t)
	VSQRTPD(t, t)
	VSUBPD_BCST(double(1.6), t, t)
	outer := rational(middle, t)

	sign, magnitude, k := ZMM(), ZMM(), K()
	VPANDQ_BCST(bits(signBit), q, sign)
	VPORQ(sign, outer, outer)
	VPXORQ(sign, q, magnitude)
	VCMPPD(U8(greaterThan), broadcast(0.425), magnitude, k)
	VMOVAPD(outer, k, inner)
	return inner
}

const (
	signBit     = 1 << 63
	greaterThan = 0x1E // ordered, quiet
)

// logarithm returns ln x of positive normal numbers; x is overwritten.
func logarithm(x reg.VecVirtual) reg.VecVirtual {
	const half = 0x3FE6A09E667F3BCD // √½
	e, exponent := ZMM(), ZMM()
	VPSUBQ_BCST(bits(half), x, e)
	VPSRAQ(U8(52), e, e)
	VPSLLQ(U8(52), e, exponent)
	VPSUBQ(exponent, x, x)
	VPADDQ_BCST(bits(0x4338000000000000), e, e) // 3·2^51: an integer in its low bits
	VSUBPD_BCST(double(0x1.8p52), e, e)

	s, d, z, r := ZMM(), ZMM(), ZMM(), broadcast(logTerms[6])
	VSUBPD_BCST(double(1), x, s)
	VADDPD_BCST(double(1), x, d)
	VDIVPD(d, s, s)
	VMULPD(s, s, z)
	for i := 5; i >= 0; i-- {
		VFMADD213PD_BCST(double(logTerms[i]), z, r)
	}
	VMULPD(z, r, r)
	twice := ZMM()
	VADDPD(s, s, twice)
	VFMADD213PD(twice, s, r)
	VFMADD231PD_BCST(double(math.Ln2), e, r)
	return r
}

// rational returns the quotient of two polynomials of degree 7 in x.
func rational(c [2][8]float64, x reg.Register) reg.VecVirtual {
	var value [2]reg.VecVirtual
	for i := range value {
		value[i] = broadcast(c[i][7])
		for j := 6; j >= 0; j-- {
			VFMADD213PD_BCST(double(c[i][j]), x, value[i])
		}
	}
	VDIVPD(value[1], value[0], value[0])
	return value[0]
}

func broadcast(v float64) reg.VecVirtual {
	r := ZMM()
	VBROADCASTSD(double(v), r)
	return r
}

// double returns a constant in memory, for instructions that broadcast it.
func double(v float64) Mem { return bits(math.Float64bits(v)) }

func bits(v uint64) Mem {
	name := fmt.Sprintf("u64x%016x", v)
	m, ok := written[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		DATA(0, U64(v))
		written[name] = m
	}
	return m
}

// The coefficients of package noise: PPND16 of AS 241, numerator and denominator
// in ascending order, and the logarithm of FreeBSD's e_log.c. A test compares the
// bits of the two implementations.
var (
	centre = [2][8]float64{
		{3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
			45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727},
		{1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
			21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610},
	}
	middle = [2][8]float64{
		{1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
			1.27045825245236838258, 0.241780725177450611770, 0.0227238449892691845833, 7.74545014278341407640e-4},
		{1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
			0.148103976427480074590, 0.0151986665636164571966, 5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	logTerms = [7]float64{6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01,
		2.222219843214978396e-01, 1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01}
)
