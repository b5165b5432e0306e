package project_test

import (
	"context"
	"testing"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

func BenchmarkIntervalOfNumbers(b *testing.B) {
	s, err := project.NewInterval(-0.5, 0.5)
	if err != nil {
		b.Fatal(err)
	}
	x, dst := tensor.New(4096, 1), tensor.New(4096, 1)
	noise.New(1).Normal(x.Data, 1, noise.Address{})
	b.SetBytes(4 * 4096)
	for b.Loop() {
		if _, err := s.Project(context.Background(), dst, x); err != nil {
			b.Fatal(err)
		}
	}
}
