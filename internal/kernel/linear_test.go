package kernel

import (
	"math"
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

// TestDots compares inner products with the loop of a product, in every format, and wants the same
// bits for a row whatever rows are beside it and of every kind of vectors, and no allocations.
func TestDots(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(31, 32)), NewCrew(2)
		for _, format := range []Format{F32, F16, BF16} {
			for _, size := range [][3]int{{16, 1, 1}, {48, 5, 3}, {2560, 70, 4}, {640, 33, 21}} {
				in, out, rows := size[0], size[1], size[2]
				l := Linear{In: in, Out: out, Bias: normals(r, out), Dots: true}
				raw := make([]byte, in*out*format.Bytes())
				for i := range raw {
					if raw[i] = byte(r.Uint32()); i%format.Bytes() == format.Bytes()-1 {
						raw[i] = raw[i]&0x80 | 0x3C // near 1
					}
				}
				l.Weight = Tensor{Bytes: raw, Format: format}
				w := make([]float32, in*out)
				l.Weight.Read(w, 0)
				src := Matrix{Data: normals(r, rows*(in+3)), Rows: rows, Cols: in, Stride: in + 3}
				dst := Matrix{Data: normals(r, rows*(out+1)), Rows: rows, Cols: out, Stride: out + 1}
				before := append([]float32(nil), dst.Data...)
				l.Forward(crew, dst, src, true)
				one := Matrix{Data: make([]float32, out), Rows: 1, Cols: out, Stride: out}
				whole := Matrix{Data: make([]float32, rows*out), Rows: rows, Cols: out, Stride: out}
				l.Forward(crew, whole, src, false)
				sameWithoutAVX512(t, &l, src, whole)
				n := 1.0
				for try := 0; try < 10 && n > 0; try++ { // memory of a goroutine that comes late grows then
					n = testing.AllocsPerRun(1, func() { l.Forward(crew, whole, src, false) })
				}
				if n != 0 {
					t.Errorf("%v: %v allocations", size, n)
				}
				for i := range rows {
					for j := range out {
						want, size := float64(l.Bias[j])+float64(before[i*dst.Stride+j]), 1.0
						for k := range in {
							p := float64(w[j*in+k]) * float64(src.Data[i*src.Stride+k])
							want, size = want+p, size+math.Abs(p)
						}
						if got := float64(dst.Data[i*dst.Stride+j]); math.Abs(got-want) > 1e-6*size {
							t.Fatalf("%v %v: row %d, result %d is %g, want %g", format, []int{in, out, rows}, i, j, got, want)
						}
					}
					l.Forward(crew, one, src.part(i, 1), false)
					requireSame(t, "a row alone", one.Data, whole.Data[i*out:(i+1)*out])
				}
			}
		}
	})
}

// sameWithoutAVX512 computes a map again by the other vectors.
func sameWithoutAVX512(t *testing.T, l *Linear, src, want Matrix) {
	t.Helper()
	if selected != AVX512 {
		return
	}
	defer force(selected)
	force(AVX2)
	got := Matrix{Data: make([]float32, len(want.Data)), Rows: want.Rows, Cols: want.Cols, Stride: want.Stride}
	l.Forward(NewCrew(2), got, src, false)
	requireSame(t, "avx2 and avx512", got.Data, want.Data)
}
