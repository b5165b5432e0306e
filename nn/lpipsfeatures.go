package nn

import (
	"context"

	"github.com/go-pcd/pcd/tensor"
)

// LPIPSFeatures are what an [LPIPS] sees in some images: any two of them are compared
// without looking at them again. They take 16 MiB for every 65536 pixels of the published
// network.
type LPIPSFeatures struct {
	Images int
	stages [ports]tensor.Batch // [pixels, channels] of every stage
}

// See looks at images, [3, height, width] with values in [-1, 1].
func (n *LPIPS) See(ctx context.Context, x tensor.Batch) (*LPIPSFeatures, error) {
	_, size, err := n.shape(append(tensor.Shape{2}, x.Shape...))
	if err != nil {
		return nil, err
	}
	size.single = true
	b := bindings{samples: x.N, size: size}
	b.in[0] = x.Data
	f := &LPIPSFeatures{Images: x.N}
	height, width := size.height, size.width
	for stage, head := range n.heads {
		f.stages[stage] = tensor.New(x.N, height*width, head.Shape[1])
		b.out[stage] = f.stages[stage].Data
		height, width = height/2, width/2
	}
	return f, n.run(ctx, predicting, 0, b)
}

// Apart writes the parts of the distance of image i of f and image j of g, which have one
// size, to dst: what Apply gives for the pair.
func (n *LPIPS) Apart(dst []float32, f *LPIPSFeatures, i int, g *LPIPSFeatures, j int) {
	for stage, head := range n.heads {
		dst[stage] = apart(head.Values(), f.stages[stage].Sample(i), g.stages[stage].Sample(j))
	}
}

// Bytes returns the memory that the features of an image of height × width take.
func (n *LPIPS) Bytes(height, width int) (bytes int) {
	for _, head := range n.heads {
		bytes += 4 * height * width * head.Shape[1]
		height, width = height/2, width/2
	}
	return bytes
}
