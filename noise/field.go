package noise

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/kernel"
)

// Source gives the standard normal draws of a run. [Field] is the one to use;
// tests and replays inject recorded draws through it.
type Source interface {
	// Normal fills dst with draw at.Draw of variable at.Variable for the samples
	// at.Sample, at.Sample+1, ...: size elements each, so len(dst) is a multiple
	// of size. It must be safe for concurrent use.
	Normal(dst []float32, size int, at Address)
}

// Address names the normals of one sample at one step.
type Address struct {
	Variable int // which variable of the problem
	Sample   int // sample number in the run
	Draw     int // 0 is the initial sample, 1+j the j-th executed step
}

// Field is the random field of a seed. The zero value is the field of seed 0
// before mixing; use [New].
type Field struct{ key [2]uint32 }

// New returns the field of a seed. Fields of different seeds are independent.
func New(seed uint64) Field {
	k := mix(seed + 0x9E3779B97F4A7C15)
	return Field{key: [2]uint32{uint32(k), uint32(k >> 32)}}
}

// Sub returns an independent field for a named purpose, so that one seed can
// serve training, data generation and sampling.
func (f Field) Sub(purpose string) Field {
	h := uint64(f.key[0]) | uint64(f.key[1])<<32
	for _, b := range []byte(purpose) {
		h = mix(h ^ uint64(b) + 0x9E3779B97F4A7C15)
	}
	return Field{key: [2]uint32{uint32(h), uint32(h >> 32)}}
}

// Normal implements [Source]. It panics for a dst whose length is no multiple of size: a part of a sample would
// be left as it was.
func (f Field) Normal(dst []float32, size int, at Address) {
	const period = 1 << 32 // samples that a word of the counter tells apart
	if size < 1 && len(dst) > 0 || size > 0 && len(dst)%size != 0 {
		panic(fmt.Sprintf("noise: %d elements for samples of %d, want a multiple", len(dst), size))
	}
	for len(dst) > 0 {
		rows := min(uint64(len(dst)/size), period-uint64(at.Sample)%period)
		f.wide(at).normal(dst[:int(rows)*size], size, at)
		dst = dst[int(rows)*size:]
		at.Sample += int(rows)
	}
}

// wide returns the field that serves an address: numbers beyond 32 bits, which do
// not fit the counter, have a field of their own.
func (f Field) wide(at Address) Field {
	high := [...]uint64{uint64(at.Sample) >> 32, uint64(at.Draw) >> 32, uint64(at.Variable) >> 32}
	if high == [3]uint64{} {
		return f
	}
	h := uint64(f.key[0]) | uint64(f.key[1])<<32
	for _, word := range high {
		h = mix(h ^ word + 0x9E3779B97F4A7C15)
	}
	return Field{key: [2]uint32{uint32(h), uint32(h >> 32)}}
}

// normal is Normal for samples that share the words above 32 bits.
func (f Field) normal(dst []float32, size int, at Address) {
	if size == 1 {
		f.normalScalars(dst, at)
		return
	}
	for ; len(dst) >= size; dst = dst[size:] {
		f.normalRow(dst[:size], at)
		at.Sample++
	}
}

// normalScalars serves samples of one element: a block each, of which it uses the
// first word.
func (f Field) normalScalars(dst []float32, at Address) {
	const sampleWord = 2
	done := kernel.PhiloxNormals(dst, 1, at.counter(0), sampleWord, f.key)
	for i := done; i < len(dst); i++ {
		w, _, _, _ := philox(0, uint32(at.Draw), uint32(at.Sample+i), uint32(at.Variable), f.key[0], f.key[1])
		dst[i] = float32(quantile(uniform(w)))
	}
}

// counter returns the counter of a block of the address.
func (a Address) counter(block uint32) [4]uint32 {
	return [4]uint32{block, uint32(a.Draw), uint32(a.Sample), uint32(a.Variable)}
}

// normalRow serves the elements of one sample, four to a block.
func (f Field) normalRow(dst []float32, at Address) {
	const blockWord = 0
	done := kernel.PhiloxNormals(dst, 4, at.counter(0), blockWord, f.key)
	for i := done; i < len(dst); i += 4 {
		words := philox4x32(at.counter(uint32(i/4)), f.key)
		for j, w := range words[:min(4, len(dst)-i)] {
			dst[i+j] = float32(quantile(uniform(w)))
		}
	}
}

// Uniform fills dst with numbers in (0, 1) addressed like the normals: element e
// has the same bits, so a run uses a given address for one of the two only.
func (f Field) Uniform(dst []float64, at Address) {
	f = f.wide(at)
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		u := dst[i : i+4 : i+4]
		a, b, c, d := philox(uint32(i/4), uint32(at.Draw), uint32(at.Sample), uint32(at.Variable), f.key[0], f.key[1])
		u[0], u[1], u[2], u[3] = uniform(a), uniform(b), uniform(c), uniform(d)
	}
	for ; i < len(dst); i += 4 {
		w := philox4x32(at.counter(uint32(i/4)), f.key)
		for j, word := range w[:min(4, len(dst)-i)] {
			dst[i+j] = uniform(word)
		}
	}
}
