package portraits

import (
	"context"
	"slices"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
)

// Agreement is how many of the edges of held-out portraits are within two pixels of an edge
// of what the model draws: steered by them, and from the same noise without.
type Agreement struct {
	Images  int     `json:"images"`
	Steered float64 `json:"steered"`
	Plain   float64 `json:"plain"`
	// Better is the share of the portraits of which steering finds more.
	Better float64 `json:"better"`
	// Returned are those found in what the autoencoder makes of the portraits: no latent
	// is much better.
	Returned float64 `json:"returned"`
}

// steeredImages is how many portraits are drawn along, and steeredColumns how many of them
// are shown.
const steeredImages, steeredColumns = 48, 6

// steeredFile is the name of the grid of steered samples.
const steeredFile = "steered.png"

// steered draws along the edges of held-out portraits, and writes a grid: portraits, edges,
// what is drawn along them, and what is drawn from the same noise without them.
func steered(ctx context.Context, m *latent.Model, net *nn.ControlNetXS, steps int, p Photos, path string) (*Agreement, error) {
	n := min(steeredImages, p.Held)
	hints := tensor.New(n, 3, p.Size, p.Size)
	rows := make([][]*dataset.Picture, 4)
	for k := range n {
		picture := p.picture(p.N - p.Held + k)
		copy(hints.Sample(k), latent.Edges(picture).Data)
		rows[0] = append(rows[0], picture)
		rows[1] = append(rows[1], picture.Canny(published.EdgesLow, published.EdgesHigh))
	}
	back, err := comeBack(ctx, m.Codec, p, 0, n)
	if err != nil {
		return nil, err
	}
	returned := latent.Pictures(back)
	for row, s := range []*latent.Steering{{Net: net, Hint: hints, Scale: published.ControlScale}, nil} {
		r, err := m.Generate(ctx, latent.Request{
			Images: n, Seed: 1, Conditions: latent.Conditions{Guidance: 1, Steer: s},
			Sampler: latent.Sampler{Steps: steps, Deterministic: true, Eta: published.ControlEta},
		})
		if err != nil {
			return nil, err
		}
		rows[2+row] = r.Pictures
	}
	a := &Agreement{Images: n}
	for k := range n {
		with, without := found(rows[1][k], rows[2][k]), found(rows[1][k], rows[3][k])
		a.Steered += with / float64(n)
		a.Plain += without / float64(n)
		a.Better += float64(indicator(with > without)) / float64(n)
		a.Returned += found(rows[1][k], returned[k]) / float64(n)
	}
	shown := min(n, steeredColumns)
	for i := range rows {
		rows[i] = rows[i][:shown]
	}
	return a, dataset.Grid(slices.Concat(rows...), shown, 4, 255).WritePNG(path)
}

// found returns the share of the white pixels of edges that are near an edge of a picture;
// 1 where there are none.
func found(edges, picture *dataset.Picture) float64 {
	const reach = 2
	drawn := picture.Canny(published.EdgesLow, published.EdgesHigh)
	all, near := 0, 0
	for i := range edges.Width * edges.Height {
		if edges.Pix[3*i] == 0 {
			continue
		}
		all++
		near += indicator(touches(drawn, i%edges.Width, i/edges.Width, reach))
	}
	if all == 0 {
		return 1
	}
	return float64(near) / float64(all)
}

// touches reports whether a white pixel is within reach of a pixel, in lines and columns.
func touches(p *dataset.Picture, x, y, reach int) bool {
	for v := max(y-reach, 0); v <= min(y+reach, p.Height-1); v++ {
		for u := max(x-reach, 0); u <= min(x+reach, p.Width-1); u++ {
			if p.Pix[3*(v*p.Width+u)] > 0 {
				return true
			}
		}
	}
	return false
}
