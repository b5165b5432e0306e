package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// rowKernel is a kernel along one row, sixteen elements a turn. Sums have sixteen parts
// for any instruction set.
type rowKernel struct {
	v        isa
	args, at reg.GPVirtual
	pointers map[int]reg.GPVirtual
	scalars  map[int]reg.VecVirtual
}

// halves is the number of vectors of a turn.
func (v isa) halves() int { return 16 / v.lanes }

func newRow(v isa, name, doc string) *rowKernel {
	TEXT(name+v.name, NOSPLIT, "func(r *uint8)")
	Doc(name + v.name + " " + doc)
	k := &rowKernel{v: v, args: GP64(), at: GP64(), pointers: map[int]reg.GPVirtual{}, scalars: map[int]reg.VecVirtual{}}
	Load(Param("r"), k.args)
	XORQ(k.at, k.at)
	return k
}

// use loads the pointers of operands.
func (k *rowKernel) use(operands ...int) {
	for _, i := range operands {
		k.pointers[i] = GP64()
		MOVQ(field(k.args, rowMatrix+8*i), k.pointers[i])
	}
}

// scalar loads numbers of the arguments into all lanes.
func (k *rowKernel) scalar(numbers ...int) {
	for _, i := range numbers {
		k.scalars[i] = k.v.vec()
		VBROADCASTSS(field(k.args, rowScalar+4*i), k.scalars[i])
	}
}

// m addresses a vector of an operand.
func (k *rowKernel) m(operand, half int) Mem {
	return Mem{Base: k.pointers[operand], Index: k.at, Scale: 1, Disp: half * k.v.bytes()}
}

// sums loads the parts of a sum.
func (k *rowKernel) sums(i int) []reg.VecVirtual {
	parts := make([]reg.VecVirtual, k.v.halves())
	for h := range parts {
		parts[h] = k.v.loaded(k.part(i, h))
	}
	return parts
}

func (k *rowKernel) part(i, half int) Mem { return field(k.args, rowLanes+64*i+half*k.v.bytes()) }

// turns writes the loop and what is stored after it.
func (k *rowKernel) turns(body func(half int), sums ...[]reg.VecVirtual) {
	n := GP64()
	MOVQ(field(k.args, rowTurns), n)
	Label("turn")
	for h := range k.v.halves() {
		body(h)
	}
	ADDQ(I8(64), k.at)
	DECQ(n)
	JNZ(LabelRef("turn"))
	for i, s := range sums {
		for h, r := range s {
			VMOVUPS(r, k.part(i, h))
		}
	}
	VZEROUPPER()
	RET()
}

// hat returns (x - s0) s1 for an operand.
func (k *rowKernel) hat(operand, half int) reg.VecVirtual {
	r := k.v.loaded(k.m(operand, half))
	VSUBPS(k.scalars[0], r, r)
	VMULPS(k.scalars[1], r, r)
	return r
}

// rowKernels writes the kernels of layer norms and of softmax.
func rowKernels(v isa) {
	k := newRow(v, "rowSum", "adds m1 to the first sum.")
	k.use(1)
	s := k.sums(0)
	k.turns(func(h int) { VADDPS(k.m(1, h), s[h], s[h]) }, s)

	k = newRow(v, "rowSquares", "adds (m1 - s0)² to the first sum.")
	k.use(1)
	k.scalar(0)
	s = k.sums(0)
	k.turns(func(h int) {
		d := v.loaded(k.m(1, h))
		VSUBPS(k.scalars[0], d, d)
		VFMADD231PS(d, d, s[h])
	}, s)

	k = newRow(v, "rowDot", "adds m1 m2 to the first sum.")
	k.use(1, 2)
	s = k.sums(0)
	k.turns(func(h int) {
		x := v.loaded(k.m(1, h))
		VFMADD231PS(k.m(2, h), x, s[h])
	}, s)

	k = newRow(v, "rowMultiply", "writes m0 = m1 s0.")
	k.use(0, 1)
	k.scalar(0)
	k.turns(func(h int) {
		x := v.loaded(k.m(1, h))
		VMULPS(k.scalars[0], x, x)
		VMOVUPS(x, k.m(0, h))
	})
	rowNormalize(v)
	rowLayers(v)
	rowSlope(v)
}

func rowNormalize(v isa) {
	k := newRow(v, "rowNormalize", "writes m0 = (m1 - s0) s1 m2 + m3.")
	k.use(0, 1, 2, 3)
	k.scalar(0, 1)
	k.turns(func(h int) {
		x, w := k.hat(1, h), v.loaded(k.m(2, h))
		VFMADD213PS(k.m(3, h), x, w)
		VMOVUPS(w, k.m(0, h))
	})
}

// rowLayers writes the gradients of layer norms: x in m1, dy in m2.
func rowLayers(v isa) {
	k := newRow(v, "rowLayerSums", "adds m2 (m1 - s0) s1 to m0 and m2 to m3.")
	k.use(0, 1, 2, 3)
	k.scalar(0, 1)
	k.turns(func(h int) {
		x, d, sum, sumX := k.hat(1, h), v.loaded(k.m(2, h)), v.loaded(k.m(3, h)), v.loaded(k.m(0, h))
		VFMADD231PS(x, d, sumX)
		VADDPS(d, sum, sum)
		VMOVUPS(sumX, k.m(0, h))
		VMOVUPS(sum, k.m(3, h))
	})

	k = newRow(v, "rowLayerParts", "adds m2 m3 to the first sum and m2 m3 (m1 - s0) s1 to the second.")
	k.use(1, 2, 3)
	k.scalar(0, 1)
	s, t := k.sums(0), k.sums(1)
	k.turns(func(h int) {
		x, d := k.hat(1, h), v.loaded(k.m(2, h))
		VMULPS(k.m(3, h), d, d)
		VADDPS(d, s[h], s[h])
		VFMADD231PS(x, d, t[h])
	}, s, t)

	k = newRow(v, "rowLayerSlope", "writes m0 = (m2 m3 - s2 - (m1 - s0) s1 s3) s1.")
	k.use(0, 1, 2, 3)
	k.scalar(0, 1, 2, 3)
	k.turns(func(h int) {
		x, d := k.hat(1, h), v.loaded(k.m(2, h))
		VMULPS(k.m(3, h), d, d)
		VSUBPS(k.scalars[2], d, d)
		VFNMADD231PS(k.scalars[3], x, d)
		VMULPS(k.scalars[1], d, d)
		VMOVUPS(d, k.m(0, h))
	})
}

// rowSlope writes the exponentials of the gradient of softmax.
func rowSlope(v isa) {
	k := newRow(v, "rowSlope", "replaces m1 by w = exp(m1 s0 - s1) and m2 by w (m2 - s2) s0.")
	k.use(1, 2)
	k.scalar(0, 1, 2)
	c := v.gateConstants()
	k.turns(func(h int) {
		x, d := v.loaded(k.m(1, h)), v.loaded(k.m(2, h))
		VFMSUB213PS(k.scalars[1], k.scalars[0], x)
		e := exp(v, c, v.atLeast(c, expMin, x))
		VSUBPS(k.scalars[2], d, d)
		VMULPS(e, d, d)
		VMULPS(k.scalars[0], d, d)
		VMOVUPS(e, k.m(1, h))
		VMOVUPS(d, k.m(2, h))
	})
}

// atLeast returns max(low, x), and what is not a number as it is.
func (v isa) atLeast(c *constants, low float32, x reg.VecVirtual) reg.VecVirtual {
	r := v.vec()
	VMOVUPS(c.get(low), r)
	VMAXPS(x, r, r)
	return r
}
