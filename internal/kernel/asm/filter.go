package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// filters writes the transforms of minimal filtering; package kernel says what they
// compute.
func filters(v isa) {
	filterWeights(v)
	filterInput(v)
	filterOutput(v, "filterOutput", "sets", false)
	filterOutput(v, "filterOutputAdd", "adds", true)
}

// strided addresses up to eight rows that are a stride apart.
type strided struct{ first, fifth, stride, triple reg.GPVirtual }

// newStrided reads the first row and the stride from the arguments.
func newStrided(args reg.Register, first, stride int) strided {
	s := strided{GP64(), GP64(), GP64(), GP64()}
	MOVQ(field(args, first), s.first)
	MOVQ(field(args, stride), s.stride)
	LEAQ(Mem{Base: s.stride, Index: s.stride, Scale: 2}, s.triple)
	LEAQ(Mem{Base: s.first, Index: s.stride, Scale: 4}, s.fifth)
	return s
}

// row addresses row i.
func (s strided) row(i int) Mem {
	m := Mem{Base: s.first}
	if i >= 4 {
		m.Base = s.fifth
	}
	switch i % 4 {
	case 1:
		m.Index, m.Scale = s.stride, 1
	case 2:
		m.Index, m.Scale = s.stride, 2
	case 3:
		m.Index, m.Scale = s.triple, 1
	}
	return m
}

// load reads a vector of each of the first n rows.
func (s strided) load(v isa, n int) []reg.VecVirtual {
	rows := make([]reg.VecVirtual, n)
	for i := range rows {
		rows[i] = v.vec()
		VMOVUPS(s.row(i), rows[i])
	}
	return rows
}

// advance moves all rows.
func (s strided) advance(by Op) {
	ADDQ(by, s.first)
	ADDQ(by, s.fifth)
}

// filterTiles writes the loops over tiles and, within a tile, over vectors of
// channels. The body advances its rows by a vector; skip is called between tiles.
func filterTiles(args reg.Register, body, skip func()) {
	tiles, turns := GP64(), GP64()
	MOVQ(field(args, filterTileCount), tiles)
	Label("tile")
	MOVQ(field(args, filterTurns), turns)
	Label("turn")
	body()
	DECQ(turns)
	JNZ(LabelRef("turn"))
	skip()
	DECQ(tiles)
	JNZ(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// filterWeights writes the transform of the weights: five rows of taps to eight
// planes.
func filterWeights(v isa) {
	TEXT("filterWeights"+v.name, NOSPLIT, "func(f *uint8)")
	Doc("filterWeights" + v.name + " evaluates the taps of a filter at its points.")
	args := Load(Param("f"), GP64())
	src, dst := newStrided(args, filterSrc, filterSrcRow), newStrided(args, filterDst, filterDstRow)
	c := v.constants()
	filterTiles(args, func() {
		w := src.load(v, 5)
		VMOVUPS(w[0], dst.row(0))
		VMOVUPS(w[4], dst.row(7))
		pair := func(plane int, x, scale float32) { // at ±x
			even, odd, sum := v.vec(), v.vec(), v.vec()
			VMOVAPS(w[0], even)
			VFMADD231PS(c.get(x*x), w[2], even)
			VFMADD231PS(c.get(x*x*x*x), w[4], even)
			VMULPS(c.get(x), w[1], odd)
			VFMADD231PS(c.get(x*x*x), w[3], odd)
			VADDPS(odd, even, sum)
			VSUBPS(odd, even, even)
			VMULPS(c.get(scale), sum, sum)
			VMULPS(c.get(scale), even, even)
			VMOVUPS(sum, dst.row(plane))
			VMOVUPS(even, dst.row(plane+1))
		}
		pair(1, 1, 1/-4.5)
		pair(3, 2, 1./90)
		pair(5, 0.5, 1/1.40625)
		src.advance(I32(v.bytes()))
		dst.advance(I32(v.bytes()))
	}, func() {})
}

// filterInput writes the transform of the input: eight rows to eight planes.
func filterInput(v isa) {
	TEXT("filterInput"+v.name, NOSPLIT, "func(f *uint8)")
	Doc("filterInput" + v.name + " evaluates the rows of the input at the points of a filter.")
	args := Load(Param("f"), GP64())
	src, dst := newStrided(args, filterSrc, filterSrcRow), newStrided(args, filterDst, filterDstRow)
	c := v.constants()
	for _, x := range []float32{5.25, -4.25, 0.25, -1.25, 0.5, -2.5, 2, 4, -5} {
		c.get(x)
	}
	filterTiles(args, func() {
		d := src.load(v, 8)
		end := func(plane int, a, b, x, y reg.VecVirtual) { // (a - b) + 5.25 (x - y)
			sum, difference := v.vec(), v.vec()
			VSUBPS(b, a, sum)
			VSUBPS(y, x, difference)
			VFMADD231PS(c.get(5.25), difference, sum)
			VMOVUPS(sum, dst.row(plane))
		}
		end(0, d[0], d[6], d[4], d[2])
		end(7, d[7], d[1], d[3], d[5])
		pair := func(plane int, even, odd reg.VecVirtual) { // even ± odd
			sum := v.vec()
			VADDPS(odd, even, sum)
			VMOVUPS(sum, dst.row(plane))
			VSUBPS(odd, even, even)
			VMOVUPS(even, dst.row(plane+1))
		}
		even, odd := v.vec(), v.vec()
		VADDPS(d[6], d[2], even)
		VFMADD231PS(c.get(-4.25), d[4], even)
		VADDPS(d[5], d[1], odd)
		VFMADD231PS(c.get(-4.25), d[3], odd)
		pair(1, even, odd)
		even, odd = v.vec(), v.vec()
		VMOVAPS(d[6], even)
		VFMADD231PS(c.get(0.25), d[2], even)
		VFMADD231PS(c.get(-1.25), d[4], even)
		VMULPS(c.get(0.5), d[1], odd)
		VFMADD231PS(c.get(-2.5), d[3], odd)
		VFMADD231PS(c.get(2), d[5], odd)
		pair(3, even, odd)
		even, odd = d[6], v.vec()
		VFMADD231PS(c.get(4), d[2], even)
		VFMADD231PS(c.get(-5), d[4], even)
		VMULPS(c.get(2), d[1], odd)
		VFMADD231PS(c.get(-2.5), d[3], odd)
		VFMADD231PS(c.get(0.5), d[5], odd)
		pair(5, even, odd)
		src.advance(I32(v.bytes()))
		dst.advance(I32(v.bytes()))
	}, func() { src.advance(field(args, filterSkip)) })
}

// filterOutput writes the transform of the products: eight planes to four rows.
func filterOutput(v isa, name, does string, add bool) {
	TEXT(name+v.name, NOSPLIT, "func(f *uint8)")
	Doc(name + v.name + " " + does + " the output rows of a filter from the products at its points.")
	args := Load(Param("f"), GP64())
	src, dst := newStrided(args, filterSrc, filterSrcRow), newStrided(args, filterDst, filterDstRow)
	bias := GP64()
	MOVQ(field(args, filterBias), bias)
	c := v.constants()
	for _, x := range []float32{1, 2, 0.5, 4, 0.25, 8, 0.125} {
		c.get(x)
	}
	filterTiles(args, func() {
		m := src.load(v, 8)
		sum, difference := [3]reg.VecVirtual{}, [3]reg.VecVirtual{}
		for i := range sum {
			sum[i], difference[i] = v.vec(), m[2*i+1]
			VADDPS(m[2*i+2], m[2*i+1], sum[i])
			VSUBPS(m[2*i+2], m[2*i+1], difference[i])
		}
		row := func(i int, parts [3]reg.VecVirtual, two, half float32, more ...reg.VecVirtual) {
			y := v.vec()
			if add {
				VMOVUPS(dst.row(i), y)
			} else {
				VMOVUPS(Mem{Base: bias}, y)
			}
			for _, x := range more {
				VADDPS(x, y, y)
			}
			VADDPS(parts[0], y, y)
			VFMADD231PS(c.get(two), parts[1], y)
			VFMADD231PS(c.get(half), parts[2], y)
			VMOVUPS(y, dst.row(i))
		}
		row(0, sum, 1, 1, m[0])
		row(1, difference, 2, 0.5)
		row(2, sum, 4, 0.25)
		row(3, difference, 8, 0.125, m[7])
		src.advance(I32(v.bytes()))
		dst.advance(I32(v.bytes()))
		ADDQ(I32(v.bytes()), bias)
	}, func() {
		dst.advance(field(args, filterSkip))
		MOVQ(field(args, filterBias), bias)
	})
}
