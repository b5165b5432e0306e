package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// clamp writes the function that limits an array to an interval and keeps, lane by
// lane, the smallest and the largest element, and the number of those outside.
func clamp(v isa) {
	TEXT("clamp"+v.name, NOSPLIT, "func(c *uint8)")
	args := Load(Param("c"), GP64())
	dst, x, turns := GP64(), GP64(), GP64()
	MOVQ(field(args, clampDst), dst)
	MOVQ(field(args, clampX), x)
	MOVQ(field(args, clampTurns), turns)
	lo, hi, lowest, highest := v.vec(), v.vec(), v.vec(), v.vec()
	VBROADCASTSS(field(args, clampLo), lo)
	VBROADCASTSS(field(args, clampHi), hi)
	VMOVUPS(Mem{Base: x}, lowest)
	VMOVUPS(lowest, highest)
	outside := GP64()
	XORQ(outside, outside)

	Label("turn")
	from, to, count := v.vec(), v.vec(), GP64()
	VMOVUPS(Mem{Base: x}, from)
	VMINPS(from, lowest, lowest)
	VMAXPS(from, highest, highest)
	// Of equal operands these return the first, so that a zero keeps its sign.
	VMAXPS(from, lo, to)
	VMINPS(to, hi, to)
	const notEqual = 4
	if v.lanes == 16 {
		k := K()
		VCMPPS(U8(notEqual), from, to, k)
		KMOVW(k, count.As32())
	} else {
		VCMPPS(U8(notEqual), from, to, from)
		VMOVMSKPS(from, count.As32())
	}
	POPCNTL(count.As32(), count.As32())
	ADDQ(count, outside)
	VMOVUPS(to, Mem{Base: dst})
	ADDQ(U8(v.bytes()), x)
	ADDQ(U8(v.bytes()), dst)
	DECQ(turns)
	JNZ(LabelRef("turn"))

	VMOVUPS(lowest, field(args, clampLowest))
	VMOVUPS(highest, field(args, clampHighest))
	MOVQ(outside, field(args, clampOutside))
	VZEROUPPER()
	RET()
}
