package noise

import (
	"testing"

	"github.com/go-pcd/pcd/internal/kernel"
)

// The vector kernels give the bits of the portable code: every word of many
// blocks, tails included, and samples on both sides of 2^32.
func TestVectorNormalsAreThePortableOnes(t *testing.T) {
	kind, err := kernel.Selected()
	if err != nil {
		t.Fatal(err)
	}
	f := New(77)
	for _, at := range []Address{{}, {Variable: 3, Sample: 1 << 20, Draw: 9}, {Sample: 1<<32 - 70, Draw: 1}} {
		for _, size := range []int{1, 3, 31, 32, 33, 4000} {
			n := size * (200000/size + 1)
			got := make([]float32, n)
			f.Normal(got, size, at)
			for i, v := range got {
				row := at
				row.Sample += i / size
				w := philox4x32(row.counter(uint32(i%size/4)), f.wide(row).key)
				if want := float32(quantile(uniform(w[i%size%4]))); v != want {
					t.Fatalf("%v kernel, %+v, size %d: element %d is %v, want %v", kind, at, size, i, v, want)
				}
			}
		}
	}
}
