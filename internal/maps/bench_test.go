package maps

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkRead reads and cuts maps of 2000 by 2000 cells: a hall with walls and racks, and
// one with as much noise as an untidy scan has.
func BenchmarkRead(b *testing.B) {
	const n = 2000
	for _, noise := range []float64{0, 0.02, 0.2} {
		draw := rand.New(rand.NewPCG(1, 2))
		pixels := make([]byte, 0, n*n)
		for y := range n {
			for x := range n {
				v := byte(254)
				if x < 5 || y < 5 || x >= n-5 || y >= n-5 || x%60 < 20 && y%200 < 160 || draw.Float64() < noise {
					v = 0
				}
				pixels = append(pixels, v)
			}
		}
		files := map[string]string{"m.yaml": rosText, "a.pgm": fmt.Sprintf("P5 %d %d 255\n", n, n) + string(pixels)}
		b.Run(fmt.Sprintf("noise=%g", noise), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, err := Read(of(files), "m.yaml", Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(m.Obstacles)), "solids")
			}
		})
	}
}
