package project

import (
	"context"
	"fmt"
	"testing"

	"github.com/go-pcd/pcd/tensor"
)

func TestProjectDoesNotAllocate(t *testing.T) {
	if testing.Short() {
		t.Skip("sizes, which nobody shares")
	}
	x, start := noisyPaths(2, 64, 63, 0.2)
	speed, err := NewSpeedLimit(0.05, Path{Start: start})
	if err != nil {
		t.Fatal(err)
	}
	ball, err := NewBall(tensor.New(1, 63, 2), 1)
	if err != nil {
		t.Fatal(err)
	}
	exemplars := tensor.New(3, 63, 2)
	for i := range exemplars.Data {
		exemplars.Data[i] = float32(i % 7)
	}
	acceleration, err := NewAccelerationLimit(0.02, Path{Start: start}, tensor.Batch{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []Projector{speed, ball, acceleration} {
		dst := tensor.New(x.N, x.Shape...)
		// A collection in between may empty a pool.
		if n := testing.AllocsPerRun(20, func() {
			if _, err := p.Project(context.Background(), dst, x); err != nil {
				t.Fatal(err)
			}
		}); n > allocations*float64(x.N)+1 {
			t.Errorf("%T: %v allocations per call, want none but what pools drop, %v per row", p, n, allocations)
		}
	}
}

func BenchmarkSpeedLimitLength(b *testing.B) {
	for _, n := range []int{63, 512, 4096} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, start := noisyPaths(1, 4096/n, n, 0.2)
			s, err := NewSpeedLimit(0.05, Path{Start: start})
			if err != nil {
				b.Fatal(err)
			}
			benchmarkPaths(b, s, x)
		})
	}
}

func BenchmarkAccelerationLimit(b *testing.B) {
	x, start := noisyPaths(1, 64, 63, 0.2)
	s, err := NewAccelerationLimit(0.02, Path{Start: start}, tensor.Batch{})
	if err != nil {
		b.Fatal(err)
	}
	benchmarkPaths(b, s, x)
}

func benchmarkPaths(b *testing.B, p Projector, x tensor.Batch) {
	b.Helper()
	dst := tensor.New(x.N, x.Shape...)
	var r Report
	var err error
	b.ReportAllocs()
	for b.Loop() {
		if r, err = p.Project(context.Background(), dst, x); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(x.Data)/2), "ns/point")
	b.ReportMetric(float64(r.Iterations)/float64(x.N), "solves/path")
}
