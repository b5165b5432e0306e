// Package clipimage prepares images as CLIP and the judges of pairs see them: resized and in its colours.
package clipimage

import (
	"math"

	"github.com/go-pcd/pcd/tensor"
)

// cubicSharpness is the constant a of the cubic convolution kernel that PyTorch uses.
const cubicSharpness = -0.75

// Resize writes images of another size to dst: cubic convolution of four pixels each way
// with pixels as areas, edges repeated and no antialiasing, so that values may leave the
// range of the old ones. Images are [channels, height, width]. Source: Keys, "Cubic
// convolution interpolation for digital image processing" (1981).
func Resize(dst, src tensor.Batch) {
	channels, h, w := src.Shape[0], src.Shape[1], src.Shape[2]
	height, width := dst.Shape[1], dst.Shape[2]
	ys, xs := cubics(height, h), cubics(width, w)
	lines := make([]float64, h*width)
	for plane := range src.N * channels {
		in, out := src.Data[plane*h*w:][:h*w], dst.Data[plane*height*width:][:height*width]
		for y := range h {
			for x, c := range xs {
				lines[y*width+x] = c.mix(func(i int) float64 { return float64(in[y*w+i]) })
			}
		}
		for y, c := range ys {
			for x := range width {
				out[y*width+x] = float32(c.mix(func(i int) float64 { return lines[i*width+x] }))
			}
		}
	}
}

// cubic is what a pixel of a resized axis is made of.
type cubic struct {
	at     [4]int
	weight [4]float64
}

func (c cubic) mix(value func(i int) float64) (sum float64) {
	for k, i := range c.at {
		sum += c.weight[k] * value(i)
	}
	return sum
}

// cubics returns what n pixels are made of, from old ones.
func cubics(n, old int) []cubic {
	out := make([]cubic, n)
	for i := range out {
		position := (float64(i)+0.5)*float64(old)/float64(n) - 0.5
		first := math.Floor(position)
		for k := range 4 {
			at := first + float64(k-1)
			out[i].at[k] = int(min(max(at, 0), float64(old-1)))
			out[i].weight[k] = cubicKernel(math.Abs(position - at))
		}
	}
	return out
}

// cubicKernel is the weight of a pixel at a distance.
func cubicKernel(x float64) float64 {
	const a = cubicSharpness
	switch {
	case x <= 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

// The colours that CLIP was trained on.
var (
	clipMean = [3]float64{0.48145466, 0.4578275, 0.40821073}
	clipStd  = [3]float64{0.26862954, 0.26130258, 0.27577711}
)

// Normalise brings images of three channels in [0, 1] to the colours that CLIP was
// trained on, in place.
func Normalise(x tensor.Batch) {
	size := x.Shape[1] * x.Shape[2]
	for i, v := range x.Data {
		c := i / size % 3
		x.Data[i] = float32((float64(v) - clipMean[c]) / clipStd[c])
	}
}
