package portraits

import (
	"context"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/tensor"
)

// Edged are latents whose hint is the edges of the portrait. They are train.Data with hints.
type Edged struct {
	*Latents
	bits [][]uint8 // a bit per pixel
}

// edged finds the edges of the portraits of latents.
func edged(ctx context.Context, l *Latents, progress Progress) (*Edged, error) {
	e := &Edged{l, make([][]uint8, l.photos.N)}
	for first := 0; first < l.photos.N; first += shard {
		n := min(shard, l.photos.N-first)
		err := parallel.For(ctx, parallel.Workers(0), n, func(_, k int) error {
			e.bits[first+k] = packed(l.photos.picture(first+k).Canny(published.EdgesLow, published.EdgesHigh))
			return nil
		})
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(first+n, l.photos.N)
		}
	}
	return e, nil
}

// picture returns photo i as a picture.
func (p Photos) picture(i int) *dataset.Picture {
	x := make([]float32, p.Shape().Size())
	_ = p.Picture(x, i) // drawing does not fail
	return dataset.PictureOf(x, p.Size, p.Size, -1, 1)
}

// packed returns whether each pixel is white, a bit per pixel.
func packed(p *dataset.Picture) []uint8 {
	bits := make([]uint8, (p.Width*p.Height+7)/8)
	for i := range p.Width * p.Height {
		if p.Pix[3*i] > 0 {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return bits
}

// HintShape returns the shape of the edges.
func (e *Edged) HintShape() tensor.Shape { return e.photos.Shape() }

// Hint writes the edges of portrait i: three times the same, 0 and 1.
func (e *Edged) Hint(dst []float32, i int) {
	plane := len(dst) / 3
	for at := range plane {
		v := float32(e.bits[i][at/8] >> (at % 8) & 1)
		dst[at], dst[plane+at], dst[2*plane+at] = v, v, v
	}
}
