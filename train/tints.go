package train

import "github.com/go-pcd/pcd/tensor"

// tinted returns the channels of a latent that hold tints: the last, from one on.
func (l *autoencoderLoss) tinted() (first, channels int) {
	channels = l.x.Shape[0] - 1
	return l.z.Shape[0] - channels, channels
}

// compareTints computes what the means of the first samples are to hold, and how far they
// are from it.
func (l *autoencoderLoss) compareTints(means tensor.Batch) {
	if l.untinted = 0; l.Tints == 0 {
		return
	}
	first, channels := l.tinted()
	cells := l.z.Shape[1] * l.z.Shape[2]
	size := channels * cells
	l.tints = l.tints[:0]
	for k := range means.N {
		l.tints = tintsOf(l.tints, l.x.Sample(k), l.x.Shape, l.z.Shape)
		for i, v := range means.Sample(k)[first*cells:] {
			d := float64(v) - float64(l.tints[k*size+i])
			l.untinted += d * d / float64(means.N*size)
		}
	}
}

// throughTints adds the gradient of the differences to that of the means.
func (l *autoencoderLoss) throughTints() {
	if l.Tints == 0 {
		return
	}
	first, channels := l.tinted()
	cells := l.z.Shape[1] * l.z.Shape[2]
	size := channels * cells
	slope := float32(2 * l.Tints / float64(l.moments.N*size))
	for k := range l.moments.N {
		d, mean := l.moments.Sample(k)[first*cells:], l.means.Sample(k)[first*cells:]
		for i := range size {
			d[i] += slope * (mean[i] - l.tints[k*size+i])
		}
	}
}

// tintsOf appends the mean differences of each channel of an image to the next, times
// tintScale, in the cells of a latent.
func tintsOf(dst, x []float32, image, latent tensor.Shape) []float32 {
	h, w := image[1], image[2]
	rows, columns := h/latent[1], w/latent[2]
	for c := range image[0] - 1 {
		a, b := x[c*h*w:], x[(c+1)*h*w:]
		for cell := range latent[1] * latent[2] {
			top, left := cell/latent[2]*rows, cell%latent[2]*columns
			sum := float32(0)
			for y := top; y < top+rows; y++ {
				for i := y*w + left; i < y*w+left+columns; i++ {
					sum += b[i] - a[i]
				}
			}
			dst = append(dst, tintScale*sum/float32(rows*columns))
		}
	}
	return dst
}
