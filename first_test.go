package pcd_test

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
)

// A shard may begin anywhere: sample 2^32 is not sample 0.
func TestSamplesBeyond32Bits(t *testing.T) {
	s := cosine(t, 4)
	p := pcd.Problem{Variables: []pcd.Variable{{Model: gaussian(t, []int{3}, 0, 1, s)}}, Dynamics: pcd.DDPM{Schedule: s}}
	low := mustSample(t, p, pcd.Options{Samples: 8})
	high := mustSample(t, p, pcd.Options{Samples: 8, First: 1 << 32})
	across := mustSample(t, p, pcd.Options{Samples: 16, First: 1<<32 - 8})
	if slices.Equal(low.Samples[0].Data, high.Samples[0].Data) {
		t.Error("samples from 2^32 on repeat those from 0 on")
	}
	if !slices.Equal(high.Samples[0].Data, across.Samples[0].Data[8*3:]) {
		t.Error("samples from 2^32 on depend on the batch")
	}
}
