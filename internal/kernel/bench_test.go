package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// BenchmarkProduct times convolution-shaped products: 16 samples, kernel 5.
func BenchmarkProduct(b *testing.B) {
	for _, k := range kinds() {
		for _, s := range [][2]int{{64, 32}, {32, 64}, {16, 128}, {8, 256}, {4, 1024}} {
			b.Run(fmt.Sprintf("%v/length=%d/channels=%d", k, s[0], s[1]), func(b *testing.B) {
				defer force(selected)
				force(k)
				length, c, samples := s[0], s[1], 48
				r := rand.New(rand.NewPCG(1, 1))
				from := Rows{Length: length, Stride: c, Jump: (length + 4) * c}
				a, dst := normals(r, samples*from.Jump), Alloc(samples*from.Jump)
				p := NewPanels(5*c, c)
				flops := 2 * float64(samples*length*5*c*c)
				for b.Loop() {
					Product(dst, from, a, from, samples*length, p, false)
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

// BenchmarkGonum times gonum's sgemm on the products of BenchmarkProduct, whose
// left rows are copied out first because it cannot overlap them. Its inner loops
// are SSE assembly unless it is built with the tag noasm.
func BenchmarkGonum(b *testing.B) {
	for _, s := range [][2]int{{64, 32}, {32, 64}, {16, 128}, {8, 256}} {
		b.Run(fmt.Sprintf("length=%d/channels=%d", s[0], s[1]), func(b *testing.B) {
			m, n, k := 48*s[0], s[1], 5*s[1]
			r := rand.New(rand.NewPCG(1, 1))
			x, w, dst := normals(r, m*k), normals(r, k*n), Alloc(m*n)
			for b.Loop() {
				gonum.Implementation{}.Sgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x, k, w, n, 0, dst, n)
			}
			b.ReportMetric(2*float64(m*n*k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

func BenchmarkTransposedProduct(b *testing.B) {
	for _, k := range kinds()[1:] {
		for _, s := range [][2]int{{64, 32}, {32, 64}, {16, 128}, {8, 256}} {
			b.Run(fmt.Sprintf("%v/length=%d/channels=%d", k, s[0], s[1]), func(b *testing.B) {
				defer force(selected)
				force(k)
				length, c, samples := s[0], s[1], 32
				r := rand.New(rand.NewPCG(1, 1))
				from := Rows{Length: length, Stride: c, Jump: (length + 4) * c}
				x, y := normals(r, samples*from.Jump), normals(r, samples*from.Jump)
				dst := Alloc(Round(5*c, TileRows) * c)
				flops := 2 * float64(samples*length*5*c*c)
				for b.Loop() {
					TransposedProduct(dst, c, 5*c, c, x, from, y, from, samples, false)
				}
				b.ReportMetric(flops*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
	}
}

func BenchmarkNormMish(b *testing.B) {
	for _, k := range kinds() {
		for _, s := range [][2]int{{64, 32}, {8, 256}} {
			b.Run(fmt.Sprintf("%v/%dx%d", k, s[0], s[1]), func(b *testing.B) {
				defer force(selected)
				force(k)
				r := rand.New(rand.NewPCG(1, 1))
				m := Matrix{Data: normals(r, s[0]*s[1]), Rows: s[0], Cols: s[1], Stride: s[1]}
				dst := Matrix{Data: Alloc(s[0] * s[1]), Rows: s[0], Cols: s[1], Stride: s[1]}
				x, y := normals(r, s[1]), normals(r, s[1])
				for b.Loop() {
					NormMishShift(dst, m, x, y, y)
				}
				b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*s[0]*s[1]), "ns/element")
			})
		}
	}
}

func BenchmarkPeak(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(Peak(1), "GFLOP/s")
	}
}
