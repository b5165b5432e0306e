package images

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/clipimage"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/weights"
)

// CLIP is the image encoder of CLIP as an [Embedder]. Images are resized by [clipimage.Resize]
// without cropping, as the published evaluation does.
type CLIP struct{ Net *nn.CLIPVision }

// clipConfig is CLIP ViT-B/32.
var clipConfig = nn.CLIPVisionConfig{
	Width: 768, Hidden: 3072, Heads: 12, Layers: 12, Channels: 3, ImageSize: 224, PatchSize: 32, Projection: 512, Activation: "quick_gelu", Epsilon: 1e-5,
}

// OpenCLIP reads the image encoder of CLIP ViT-B/32 from a file of weights with the names
// of the library transformers or those of the original; other tensors are passed over.
func OpenCLIP(path string) (*CLIP, error) { return openCLIP(path, clipConfig) }

func openCLIP(path string, c nn.CLIPVisionConfig) (*CLIP, error) {
	net, err := nn.NewCLIPVision(c)
	if err != nil {
		return nil, err
	}
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	if _, original := sd.Tensor("visual.proj"); original {
		err = loadOriginal(net, sd)
	} else {
		err = load(net, sd, net.Params())
	}
	return &CLIP{net}, named(path, err)
}

// loadOriginal fills a network from a file with the original's names.
func loadOriginal(net *nn.CLIPVision, sd *weights.StateDict) error {
	missing := &weights.LoadError{}
	for _, p := range net.Params() {
		s := net.OpenAIVision(p)
		t, ok := sd.Tensor(s.Name)
		if !ok || t.Elements() != p.Shape.Size()*stacked(s.Name) {
			missing.Missing = append(missing.Missing, weights.Spec{Name: s.Name, Shape: p.Shape})
			continue
		}
		values := make([]float32, t.Elements())
		if _, err := t.Float32s(values); err != nil {
			return err
		}
		s.Read(p, values)
	}
	if len(missing.Missing) > 0 {
		return missing
	}
	net.Refresh()
	return nil
}

// stacked is how many parameters a tensor of the original holds.
func stacked(name string) int {
	if strings.Contains(name, "attn.in_proj_") {
		return 3 // queries, keys and values
	}
	return 1
}

// Embed implements [Embedder].
func (c *CLIP) Embed(ctx context.Context, x tensor.Batch) ([][]float64, error) {
	size := c.Net.Config().ImageSize
	out := tensor.New(x.N, c.Net.Config().Projection)
	err := inParts(x.N, func(lo, hi int) error {
		small := tensor.New(hi-lo, 3, size, size)
		clipimage.Resize(small, x.Rows(lo, hi))
		clipimage.Normalise(small)
		return c.Net.Apply(ctx, out.Rows(lo, hi), small)
	})
	return vectors(out), err
}

// LPIPS is the learned perceptual distance of version 0.1 with a VGG-16 as a [Distance].
type LPIPS struct {
	Net *nn.LPIPS
	// Room is about how many bytes of features are kept, so that the network sees every
	// image once; 0 is 4 GiB, which 32 images of 512×512 pixels fill. Of more images
	// some are seen again.
	Room int
}

// OpenLPIPS reads the trunk, a VGG-16 with the names of the library torchvision, and the
// heads, with those of the authors' file. Both may be one file; other tensors are passed
// over.
func OpenLPIPS(trunk, heads string) (*LPIPS, error) { return openLPIPS(trunk, heads, nn.LPIPSConfig{}) }

func openLPIPS(trunk, heads string, c nn.LPIPSConfig) (*LPIPS, error) {
	net, err := nn.NewLPIPS(c)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct{ path, prefix string }{{trunk, "features."}, {heads, "lin"}} {
		var params []*nn.Param
		for _, p := range net.Params() {
			if strings.HasPrefix(p.Name, part.prefix) {
				params = append(params, p)
			}
		}
		if err := loadFile(net, part.path, params); err != nil {
			return nil, err
		}
	}
	return &LPIPS{Net: net}, nil
}

// Distances implements [Distance].
func (l *LPIPS) Distances(ctx context.Context, a, b tensor.Batch, pairs [][2]int) ([]float64, error) {
	out := make([]float64, len(pairs))
	same := a.N > 0 && b.N > 0 && &a.Data[0] == &b.Data[0]
	block := l.block(a.Shape)
	for lo := 0; lo < a.N; lo += block {
		first, err := l.see(ctx, a, lo, block)
		if err != nil {
			return nil, err
		}
		for low := 0; low < b.N; low += block {
			pairs, at := within(pairs, [2]int{lo, low}, block)
			second := first
			if len(pairs) > 0 && !(same && low == lo) {
				if second, err = l.see(ctx, b, low, block); err != nil {
					return nil, err
				}
			}
			for k, p := range pairs {
				out[at[k]] = l.compare(first, p[0], second, p[1])
			}
		}
	}
	return out, nil
}

// defaultRoom is the room of features by default.
const defaultRoom = 4 << 30

// block returns how many images of a shape are looked at together, so that the features
// of two blocks fit.
func (l *LPIPS) block(shape tensor.Shape) int {
	room := l.Room
	if room == 0 {
		room = defaultRoom
	}
	return max(room/2/max(l.Net.Bytes(shape[1], shape[2]), 1), 1)
}

// see looks at a block of images.
func (l *LPIPS) see(ctx context.Context, x tensor.Batch, lo, block int) (*nn.LPIPSFeatures, error) {
	part := x.Rows(lo, min(lo+block, x.N)).Clone()
	around(part.Data, part.Data)
	return l.Net.See(ctx, part)
}

// within returns the pairs of images of two blocks, counted from their beginnings, and
// where they are among all.
func within(all [][2]int, from [2]int, block int) (pairs [][2]int, at []int) {
	for k, p := range all {
		i, j := p[0]-from[0], p[1]-from[1]
		if min(i, j) >= 0 && max(i, j) < block {
			pairs, at = append(pairs, [2]int{i, j}), append(at, k)
		}
	}
	return pairs, at
}

func (l *LPIPS) compare(f *nn.LPIPSFeatures, i int, g *nn.LPIPSFeatures, j int) (sum float64) {
	var parts [5]float32
	l.Net.Apart(parts[:], f, i, g, j)
	for _, v := range parts {
		sum += float64(v)
	}
	return sum
}

// around maps [0, 1] to [-1, 1].
func around(dst, src []float32) {
	for i, v := range src {
		dst[i] = 2*v - 1
	}
}

// Inception is the first stage of the Inception network of Fréchet distances, 64
// features, as an [Embedder].
type Inception struct{ Net *nn.InceptionStage }

// OpenInception reads the first stage from a file with the names of pytorch-fid; other
// tensors are passed over.
func OpenInception(path string) (*Inception, error) {
	net, err := nn.NewInceptionStage(0)
	if err != nil {
		return nil, err
	}
	params := append(net.Params()[:len(net.Params()):len(net.Params())], net.Buffers()...)
	return &Inception{net}, loadFile(net, path, params)
}

// Embed implements [Embedder].
func (n *Inception) Embed(ctx context.Context, x tensor.Batch) ([][]float64, error) {
	out := tensor.New(x.N, 64)
	err := inParts(x.N, func(lo, hi int) error { return n.Net.Apply(ctx, out.Rows(lo, hi), x.Rows(lo, hi)) })
	return vectors(out), err
}

// refresher is a network whose parameters have changed.
type refresher interface{ Refresh() }

// loadFile fills parameters of a network from a file.
func loadFile(net refresher, path string, params []*nn.Param) error {
	sd, err := weights.Open(path, weights.Options{})
	if err != nil {
		return err
	}
	defer sd.Close()
	return named(path, load(net, sd, params))
}

// named adds the name of a file to an error.
func named(path string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// load fills parameters of a network from the tensors of their names.
func load(net refresher, sd *weights.StateDict, params []*nn.Param) error {
	var targets []weights.Target
	for _, p := range params {
		if p.Data == nil {
			p.Data = make([]float32, p.Shape.Size())
		}
		targets = append(targets, weights.Target{Name: p.Name, Shape: p.Shape, Data: p.Data})
	}
	if err := weights.Load(targets, sd, weights.LoadOptions{AllowUnexpected: true}); err != nil {
		return err
	}
	net.Refresh()
	return nil
}
