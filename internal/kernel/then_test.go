package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestWhatFollowsHasTheBitsOfPasses compares a sum and a rectifier in the pass of a convolution
// with those of passes of their own.
func TestWhatFollowsHasTheBitsOfPasses(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(93, 94)), NewCrew(2)
		for _, v := range []Conv{
			{In: 16, Out: 32, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 16, Out: 37, Size: 3, Stride: 1, Before: 1, After: 1},
			{In: 16, Out: 33, Size: 3, Stride: 2, Before: 1, After: 1},
			{In: 3, Out: 8, Size: 7, Stride: 2, Before: 3, After: 3},
		} {
			v.Minimal = true
			c := newConvCase(r, v, 3, 11, 9)
			like := func(n, height, width int) Images { return randomImages(r, n, height, width, v.Out, v.Out+5) }
			for i, plus := range []Images{{}, like(3, c.dst.Height, c.dst.Width), like(3, 1, 1), like(1, 1, 1), like(1, c.dst.Height, c.dst.Width)} {
				for _, rectified := range []bool{false, true} {
					then := Then{Plus: plus, Rectified: rectified}
					got, want := c.dst, c.dst
					got.Data, want.Data = normals(r, len(c.dst.Data)), normals(r, len(c.dst.Data))
					copy(got.Data, want.Data) // what is between the pixels
					c.ForwardThen(crew, got, c.src, then)
					c.Forward(crew, want, c.src, false)
					for image := range want.N {
						for p := range want.pixels() {
							then.rows(want.Image(image).part(p, 1), image, p)
						}
					}
					requireSame(t, fmt.Sprintf("%v, sum %d, rectified %v", c, i, rectified), got.Data, want.Data)
				}
			}
		}
	})
}

// TestGatedHasTheBitsOfTwoPasses compares the gated unit of a linear map with the map and the unit,
// for rows and columns that are no multiples of a tile, and long rows.
func TestGatedHasTheBitsOfTwoPasses(t *testing.T) {
	withKind(t, func(t *testing.T) {
		r, crew := rand.New(rand.NewPCG(95, 96)), NewCrew(3)
		for _, s := range [][3]int{{1, 5, 3}, {40, 96, 48}, {391, 33, 65}, {7, 530, 32}} {
			rows, in, half := s[0], s[1], s[2]
			l := Linear{In: in, Out: 2 * half, Weight: Tensor{Floats: normals(r, 2*in*half)}, Bias: normals(r, 2*half)}
			src := Matrix{normals(r, rows*in), rows, in, in}
			both := Matrix{normals(r, 2*rows*half), rows, 2 * half, 2 * half}
			got, want := Matrix{normals(r, rows*half), rows, half, half}, Matrix{normals(r, rows*half), rows, half, half}
			l.Forward(crew, both, src, false)
			GEGLU(want, both)
			l.ForwardGated(crew, got, src)
			requireSame(t, fmt.Sprintf("gated, %v", s), got.Data, want.Data)

			plus, sum := Matrix{normals(r, 2*rows*half), rows, 2 * half, 2 * half}, Matrix{normals(r, 2*rows*half), rows, 2 * half, 2 * half}
			l.ForwardPlus(crew, sum, src, plus)
			Add(both, both, plus)
			requireSame(t, fmt.Sprintf("sum, %v", s), sum.Data, both.Data)
		}
	})
}
