package kernel

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHalfPrecisionWeights computes with weights of half the precision and with the same
// widened beforehand.
func TestHalfPrecisionWeights(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(29, 30)), NewCrew(2)
		for _, format := range []Format{F32, F16, BF16} {
			for _, v := range []Conv{
				{In: 19, Out: 37, Size: 3, Stride: 1, Before: 1, After: 1},
				{In: 32, Out: 48, Size: 3, Stride: 1, Before: 1, After: 1, Minimal: true},
				{In: 530, Out: 37, Size: 1, Stride: 1},
			} {
				c := newConvCase(r, v, 1, 5, 6)
				raw := make([]byte, c.Weight.Len()*format.Bytes())
				for i := range raw {
					raw[i] = byte(r.Uint32())
					if i%format.Bytes() == format.Bytes()-1 {
						raw[i] &^= 0x40 // no infinities
					}
				}
				widened := Conv(c.Conv)
				c.Weight = Tensor{Bytes: raw, Format: format}
				widened.Weight = Tensor{Floats: make([]float32, c.Weight.Len())}
				c.Weight.Read(widened.Weight.Floats, 0)
				want := append([]float32(nil), c.dst.Data...)
				c.Forward(crew, c.dst, c.src, false)
				wide := c.dst
				wide.Data = want
				widened.Forward(crew, wide, c.src, false)
				requireSame(t, format.String(), c.dst.Data, want)
				back, wantBack := NewImages(1, 5, 6, v.In), NewImages(1, 5, 6, v.In)
				c.Pullback(crew, back, c.dst, false)
				widened.Pullback(crew, wantBack, c.dst, false)
				requireSame(t, format.String(), back.Data, wantBack.Data)
			}
		}
	})
}

// TestWiden holds every number of 16 bits to its value.
func TestWiden(t *testing.T) {
	withKind(t, func(t *testing.T) {
		raw := make([]byte, 2<<16)
		for i := range 1 << 16 {
			raw[2*i], raw[2*i+1] = byte(i), byte(i>>8)
		}
		got := make([]float32, 1<<16)
		Widen(got, raw, F16)
		for i, v := range got {
			exponent, fraction := i>>10&31, float64(i&1023)
			want := math.Ldexp(1024+fraction, exponent-25)
			switch {
			case exponent == 0:
				want = math.Ldexp(fraction, -24)
			case exponent == 31 && fraction == 0:
				want = math.Inf(1)
			case exponent == 31:
				want = math.NaN()
			}
			if i >= 1<<15 {
				want = -want
			}
			if float64(v) != want && !(math.IsNaN(want) && v != v) {
				t.Fatalf("binary16 %#04x = %v, want %v", i, v, want)
			}
		}
		Widen(got, raw, BF16)
		for i, v := range got {
			if math.Float32bits(v) != uint32(i)<<16 {
				t.Fatalf("bfloat16 %#04x = %#08x", i, math.Float32bits(v))
			}
		}
	})
}
