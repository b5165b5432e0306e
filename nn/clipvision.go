package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/tensor"
)

// CLIPVisionConfig describes a [CLIPVision]. [ParseConfig] reads it from the
// config.json of the library transformers.
type CLIPVisionConfig struct {
	Width, Hidden, Heads, Layers int
	Channels                     int
	ImageSize, PatchSize         int     // pixels of a side
	Projection                   int     // numbers that an image becomes
	Activation                   string  // gelu or quick_gelu
	Epsilon                      float64 // of the normalisations
	Workers                      int     // goroutines; 0 is GOMAXPROCS
}

// parseCLIPVision reads a config.json. It returns a [ConfigError] for what is
// missing, contradicts itself or asks for a network of another kind.
func parseCLIPVision(raw []byte) (CLIPVisionConfig, error) {
	d := parseDocument("CLIPVision", raw)
	if d.err != nil {
		return CLIPVisionConfig{}, d.err
	}
	d.only("model_type", "clip_vision_model")
	c := CLIPVisionConfig{
		Width: d.number("hidden_size", 768, maxSize), Hidden: d.number("intermediate_size", 3072, maxSize),
		Heads: d.number("num_attention_heads", 12, maxSize), Layers: d.number("num_hidden_layers", 12, maxCount),
		Channels: d.number("num_channels", 3, maxSize), ImageSize: d.number("image_size", 224, maxSize),
		PatchSize: d.number("patch_size", 32, maxSize), Projection: d.number("projection_dim", 512, maxSize),
		Activation: d.activation(), Epsilon: d.real("layer_norm_eps", 1e-5),
	}
	d.ignoreTransformers()
	if err := d.end(); err != nil {
		return CLIPVisionConfig{}, err
	}
	return c, c.check()
}

func (c *CLIPVisionConfig) check() error {
	if c.PatchSize < 1 || c.ImageSize < c.PatchSize || c.ImageSize > maxSize || c.ImageSize%c.PatchSize != 0 {
		return &ConfigError{"CLIPVision", "image_size", fmt.Sprint(c.ImageSize), fmt.Sprintf("a multiple of the patch size %d up to %d", c.PatchSize, maxSize)}
	}
	if min(c.Channels, c.Projection) < 1 || max(c.Channels, c.Projection) > maxSize {
		return &ConfigError{"CLIPVision", "projection_dim", fmt.Sprint(c.Projection), fmt.Sprintf("between 1 and %d, like num_channels", maxSize)}
	}
	return checkTower("CLIPVision", c.Width, c.Hidden, c.Heads, c.Layers, c.Epsilon, c.Activation)
}

// CLIPVision maps an image to an embedding: the image encoder of CLIP, a transformer of
// patches. Names are those of CLIPVisionModelWithProjection of the library transformers;
// [OpenAIVision] reads the tensors of the original archive.
type CLIPVision struct {
	Map
	config          CLIPVisionConfig
	class, position *Param
	patches         *conv
	before, after   *layerNorm
	layers          []*clipLayer
	projection      *conv
}

// NewCLIPVision returns a network whose parameters have no values yet: give them some, or
// call Init.
func NewCLIPVision(c CLIPVisionConfig) (*CLIPVision, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &CLIPVision{config: c}
	n.params.lazy = true
	n.name = "CLIPVision"
	size := c.ImageSize
	n.shape = func(in tensor.Shape) (tensor.Shape, extent, error) {
		if !in.Equal(tensor.Shape{c.Channels, size, size}) {
			return nil, extent{}, &ShapeError{"CLIPVision", in, fmt.Sprintf("[%d %d %d]", c.Channels, size, size)}
		}
		return tensor.Shape{c.Projection}, extent{height: size, width: size}, nil
	}
	p := &n.params
	const name = "vision_model."
	side := c.ImageSize / c.PatchSize
	n.class = p.add(name+"embeddings.class_embedding", 0, bound(c.Width), c.Width)
	n.patches = newUnbiased(p, name+"embeddings.patch_embedding", c.Channels, c.Width, taps{size: c.PatchSize, stride: c.PatchSize})
	n.position = p.add(name+"embeddings.position_embedding.weight", 0, bound(c.Width), side*side+1, c.Width)
	n.before = newLayerNorm(p, name+"pre_layrnorm", c.Width, c.Epsilon)
	n.layers = newClipLayers(p, name+"encoder", clipSize{c.Width, c.Hidden, c.Heads, c.Layers, c.Epsilon, activationOf(c.Activation)})
	n.after = newLayerNorm(p, name+"post_layernorm", c.Width, c.Epsilon)
	n.projection = newLinear(p, "visual_projection", c.Width, c.Projection, false)
	return n, n.start(n.wire, c.Workers)
}

// wire lays the network out.
func (n *CLIPVision) wire(k key) *plan {
	g := newGraph(k)
	x := g.conv(n.patches, g.enterImage(0, k.size.height, k.size.width, n.config.Channels, true))
	x = g.layerNorm(n.before, g.withClass(n.class, n.position, x))
	for _, l := range n.layers {
		x = g.clipLayer(l, activationOf(n.config.Activation), false, x)
	}
	g.leaveRows(0, g.conv(n.projection, g.layerNorm(n.after, g.firstRow(x))))
	return g.finish()
}

// withClass lays out the row of the class before those of the patches, and adds the
// positions to all.
func (g *graph) withClass(class, position *Param, patches *signal) *signal {
	width := patches.channels
	x := g.signal(patches.length+1, width)
	g.from(x, class, patches)
	g.tasks(1, func(r *run, i int, _ *kernel.Hand) {
		sample := r.all(x)[i*x.size():][:x.size()]
		copy(sample, class.Data)
		copy(sample[width:], r.all(patches)[i*patches.size():(i+1)*patches.size()])
		kernel.Add(kernel.Vector(sample), kernel.Vector(sample), kernel.Vector(position.Data))
	}, x, patches)
	g.onBackward(x, func(d *signal) {
		if g.trains(class) {
			g.does(func(r *run) {
				for i := range r.n {
					dy := r.all(d)[i*x.size():][:x.size()]
					addRow(class.Grad, dy[:width])
					addRow(position.Grad, dy)
				}
			}, d)
		}
		if !patches.needs {
			return
		}
		g.gives(patches, func(part *signal) {
			g.does(func(r *run) {
				for i := range r.n {
					copy(r.all(part)[i*patches.size():][:patches.size()], r.all(d)[i*x.size()+width:])
				}
			}, part, d)
		})
	})
	return x
}

// firstRow lays out the first row of every sample.
func (g *graph) firstRow(x *signal) *signal {
	out := g.signal(1, x.channels)
	g.from(out, nil, x)
	g.does(func(r *run) {
		for i := range r.n {
			copy(r.vector(out, i), r.all(x)[i*x.size():])
		}
	}, out, x)
	g.onBackward(out, func(d *signal) {
		g.gives(x, func(part *signal) {
			g.does(func(r *run) {
				all := r.all(part)
				clear(all)
				for i := range r.n {
					copy(all[i*x.size():], r.vector(d, i))
				}
			}, part, d)
		})
	})
	return out
}

// Config returns what the network was made from.
func (n *CLIPVision) Config() CLIPVisionConfig { return n.config }
