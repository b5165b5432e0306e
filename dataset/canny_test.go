package dataset_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// drawing returns a picture whose pixels have the grey of a function.
func drawing(width, height int, grey func(x, y int) uint8) *dataset.Picture {
	p := dataset.NewPicture(width, height)
	for i := range width * height {
		v := grey(i%width, i/width)
		p.Pix[3*i], p.Pix[3*i+1], p.Pix[3*i+2] = v, v, v
	}
	return p
}

// edges returns the pixels that are white, and fails for any that is neither white nor
// black.
func edges(t *testing.T, p *dataset.Picture) map[[2]int]bool {
	t.Helper()
	out := map[[2]int]bool{}
	for i := range p.Width * p.Height {
		switch c := [3]uint8(p.Pix[3*i:]); c {
		case [3]uint8{255, 255, 255}:
			out[[2]int{i % p.Width, i / p.Width}] = true
		case [3]uint8{}:
		default:
			t.Fatalf("pixel %d has the colour %v", i, c)
		}
	}
	return out
}

// A step of h between two columns has the slope 4h on either side of it, and the edge is
// the first of the two, if 4h is more than the threshold.
func TestCannyOfSteps(t *testing.T) {
	const n, at, h = 12, 5, 60
	for _, upright := range []bool{true, false} {
		for _, falls := range []bool{true, false} {
			p := drawing(n, n, func(x, y int) uint8 {
				if !upright {
					x = y
				}
				if (x > at) != falls {
					return 20 + h
				}
				return 20
			})
			if got := edges(t, p.Canny(4*h-1, 4*h)); len(got) != 0 {
				t.Errorf("%d edges where no slope is above the high threshold", len(got))
			}
			got := edges(t, p.Canny(4*h-1, 4*h-1))
			for k := range n {
				pixel := [2]int{at, k}
				if !upright {
					pixel = [2]int{k, at}
				}
				if !got[pixel] {
					t.Errorf("upright %v, falls %v: no edge at %v", upright, falls, pixel)
				}
			}
			if len(got) != n {
				t.Errorf("upright %v, falls %v: %d edges, want %d", upright, falls, len(got), n)
			}
		}
	}
}

// The edge of a half-plane follows its border at any angle: no pixel of it is farther than
// one pixel away, and no line of the picture along the border is without one.
func TestCannyOfHalfPlanes(t *testing.T) {
	const n, middle = 41, 20.0
	for degrees := 0; degrees < 360; degrees += 7 {
		a := float64(degrees) * math.Pi / 180
		side := func(x, y int) float64 {
			return math.Cos(a)*(float64(x)-middle-0.31) + math.Sin(a)*(float64(y)-middle+0.17)
		}
		got := edges(t, drawing(n, n, func(x, y int) uint8 {
			return uint8(255 * min(max(side(x, y)+0.5, 0), 1)) // the share of the pixel that is covered
		}).Canny(100, 250))
		seen := map[int]bool{}
		steep := math.Abs(math.Cos(a)) > math.Abs(math.Sin(a))
		for pixel := range got {
			if d := math.Abs(side(pixel[0], pixel[1])); d > 1 {
				t.Errorf("%d°: the edge at %v is %.2f pixels off", degrees, pixel, d)
			}
			if steep {
				seen[pixel[1]] = true
			} else {
				seen[pixel[0]] = true
			}
		}
		if len(seen) != n {
			t.Errorf("%d°: the edge has gaps: %d lines of %d", degrees, len(seen), n)
		}
	}
}

// Weak slopes count where they are joined to a strong one, also around a corner.
func TestCannyJoins(t *testing.T) {
	fading := drawing(20, 20, func(x, y int) uint8 {
		if x > 9 {
			return uint8(80 - 3*y) // slopes 320 to 92
		}
		return 0
	})
	if got := edges(t, fading.Canny(50, 300)); len(got) < 19 {
		t.Errorf("%d edges of a border that fades, want all that hang together", len(got))
	}
	if got := edges(t, fading.Canny(50, 330)); len(got) != 0 {
		t.Errorf("%d edges without a strong one", len(got))
	}
}

// The colour counts that changes most.
func TestCannySeesColours(t *testing.T) {
	for c := range 3 {
		p := drawing(9, 9, func(int, int) uint8 { return 90 })
		for i := range 81 {
			if i%9 > 3 {
				p.Pix[3*i+c] += 70
			}
		}
		if got := edges(t, p.Canny(100, 250)); len(got) != 9 || !got[[2]int{3, 4}] {
			t.Errorf("channel %d: edges %v", c, got)
		}
	}
}

func TestCannyOfTinyPictures(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {1, 9}, {9, 1}, {2, 2}} {
		p := drawing(size[0], size[1], func(x, y int) uint8 { return uint8(255 * ((x + y) % 2)) })
		if got := p.Canny(100, 250); got.Width != size[0] || got.Height != size[1] {
			t.Errorf("%v became %d × %d", size, got.Width, got.Height)
		}
	}
}

func ExamplePicture_Canny() {
	p := dataset.NewPicture(8, 3)
	for i := range 24 {
		if i%8 > 4 {
			p.Pix[3*i] = 200 // red on the right
		}
	}
	edges := p.Canny(100, 250)
	for x := range 8 {
		fmt.Print(edges.Pix[3*(8+x)], " ")
	}
	// Output: 0 0 0 0 255 0 0 0
}
