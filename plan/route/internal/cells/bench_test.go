package cells

import (
	"context"
	"math/rand/v2"
	"testing"
)

// A crowd of 150 in a hall of 32 cells a side.
func BenchmarkSearch(b *testing.B) {
	draw := rand.New(rand.NewPCG(7, 8))
	f, places := hall(draw, 32, 0.1)
	team := crowdIn(draw, f, places, 150)
	for b.Loop() {
		if w, _ := team.Search(context.Background(), enough); w == nil {
			b.Fatal("no ways")
		}
	}
}
