package kernel

import (
	"math/rand/v2"
	"testing"
)

func TestLinearAgainstLoops(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(27, 28)), NewCrew(2)
		for range 8 {
			rows := 1 + r.IntN(30)
			c := newConvCase(r, Conv{In: 1 + r.IntN(600), Out: 1 + r.IntN(90), Size: 1, Stride: 1}, 1, 1, rows)
			l := Linear{In: c.In, Out: c.Out, Weight: c.Weight, Bias: c.Bias}
			for _, add := range []bool{false, true} {
				src, dst := c.src.Matrix(), c.dst.Matrix()
				want := Images{append([]float32(nil), c.dst.Data...), 1, 1, rows, c.Out, c.dst.Pixel}
				c.Forward(crew, want, c.src, add)
				l.Forward(crew, dst, src, add)
				requireSame(t, "linear and convolution of one tap", c.dst.Data, want.Data)
				c.forward(t, crew, add)
				dSrc := append([]float32(nil), c.src.Data...)
				d := src
				d.Data = dSrc
				l.Pullback(crew, d, dst, add)
				c.Pullback(crew, c.src, c.dst, add)
				requireSame(t, "pullbacks", dSrc, c.src.Data)
			}
			dWeight, dBias := normals(r, l.Weight.Len()), normals(r, l.Out)
			want, wantBias := append([]float32(nil), dWeight...), append([]float32(nil), dBias...)
			l.Gradient(crew, dWeight, dBias, c.src.Matrix(), c.dst.Matrix())
			c.Gradient(crew, want, wantBias, c.src, c.dst)
			requireSame(t, "gradients", dWeight, want)
			requireSame(t, "gradients of the bias", dBias, wantBias)
		}
	})
}
