package nn

import (
	"fmt"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// VisionEncoder turns an image into the feature that is part of the condition of a policy: a residual
// network, the places of the points that its channels look for, and a linear map. Images
// are [channels, height, width], as the policy normalises them; resizing and cropping
// belong to the encoder. What comes out is [2·Keypoints]. Source: Chi et al., "Diffusion
// policy: visuomotor policy learning via action diffusion" (RSS 2023), with the names of
// the library LeRobot.
type VisionEncoder struct {
	Map
	config   VisionEncoderConfig
	backbone *resNet
	maps     *conv
	softmax  *spatialSoftmax
	out      *conv
}

// VisionEncoderConfig describes a [VisionEncoder].
type VisionEncoderConfig struct {
	Backbone  string // resnet18, resnet34 or resnet50
	Channels  int    // of an image; 0 is 3
	Height    int    // of an image, in pixels
	Width     int
	Resize    [2]int // height and width before the crop; 0, 0 for none
	Crop      [2]int // height and width of the centre that is seen; 0, 0 for all
	GroupNorm bool   // normalise groups of sixteen channels, not batches
	Keypoints int    // points that are looked for; 0 is 32
	Workers   int    // goroutines; 0 is GOMAXPROCS
}

func (c VisionEncoderConfig) withDefaults() VisionEncoderConfig {
	if c.Channels == 0 {
		c.Channels = 3
	}
	if c.Keypoints == 0 {
		c.Keypoints = 32
	}
	return c
}

// The largest image of a policy, and the smallest.
const maxSide = 1 << 13

// check returns an error for sizes that make no network.
func (c VisionEncoderConfig) check() error {
	bad := func(field string, got any, want string) error {
		return &ConfigError{"VisionEncoder", field, fmt.Sprint(got), want}
	}
	side := func(v int) bool { return v >= 1 && v <= maxSide }
	height, width := c.resized()
	switch {
	case resNetKinds[c.Backbone].blocks[0] == 0:
		return bad("Backbone", fmt.Sprintf("%.40q", c.Backbone), "resnet18, resnet34 or resnet50")
	case c.Channels < 1 || c.Channels > maxSize:
		return bad("Channels", c.Channels, fmt.Sprintf("between 1 and %d", maxSize))
	case !side(c.Height) || !side(c.Width):
		return bad("size of an image", fmt.Sprintf("%d×%d", c.Height, c.Width), fmt.Sprintf("sides between 1 and %d pixels", maxSide))
	case c.Resize != [2]int{} && (!side(c.Resize[0]) || !side(c.Resize[1])):
		return bad("Resize", c.Resize, fmt.Sprintf("sides between 1 and %d pixels", maxSide))
	case c.Crop != [2]int{} && (!side(c.Crop[0]) || !side(c.Crop[1]) || c.Crop[0] > height || c.Crop[1] > width):
		return bad("Crop", c.Crop, fmt.Sprintf("sides between 1 and those of the image that is cropped, %d×%d", height, width))
	case c.Keypoints < 1 || c.Keypoints > maxSize:
		return bad("Keypoints", c.Keypoints, fmt.Sprintf("between 1 and %d", maxSize))
	}
	return nil
}

// resized returns the size of an image before the crop.
func (c VisionEncoderConfig) resized() (height, width int) {
	if c.Resize != [2]int{} {
		return c.Resize[0], c.Resize[1]
	}
	return c.Height, c.Width
}

// seen returns the size of what the residual network sees.
func (c VisionEncoderConfig) seen() (height, width int) {
	if c.Crop != [2]int{} {
		return c.Crop[0], c.Crop[1]
	}
	return c.resized()
}

// halvings is how often a residual network halves an image.
const halvings = 5

// mapSize returns the size of the maps that points are looked for in.
func (c VisionEncoderConfig) mapSize() (height, width int) {
	height, width = c.seen()
	for range halvings {
		height, width = (height+1)/2, (width+1)/2
	}
	return height, width
}

// NewVisionEncoder returns a network whose parameters have no values yet: give them some,
// with those of [VisionEncoder.Buffers], or call Init. It returns a [ConfigError] for sizes
// that make no network.
func NewVisionEncoder(c VisionEncoderConfig) (*VisionEncoder, error) { return c.build(false) }

// build makes the network, or its names and shapes only.
func (c VisionEncoderConfig) build(dry bool) (*VisionEncoder, error) {
	c = c.withDefaults()
	if err := c.check(); err != nil {
		return nil, err
	}
	n := &VisionEncoder{config: c}
	n.name = "VisionEncoder"
	in, size := tensor.Shape{c.Channels, c.Height, c.Width}, extent{height: c.Height, width: c.Width}
	n.shape = func(got tensor.Shape) (tensor.Shape, extent, error) {
		if !got.Equal(in) {
			return nil, extent{}, &ShapeError{"VisionEncoder", got, fmt.Sprint([]int(in))}
		}
		return tensor.Shape{c.Features()}, size, nil
	}
	n.params.lazy, n.params.dry = true, dry
	p := &n.params
	n.backbone = newResNet(p, "backbone", resNetKinds[c.Backbone], c.Channels, c.GroupNorm)
	n.maps = newConv2d(p, "pool.nets", n.backbone.out, c.Keypoints, same(1, 1))
	height, width := c.mapSize()
	n.softmax = newSpatialSoftmax(p, "pool.pos_grid", height, width)
	n.out = newLinear(p, "out", 2*c.Keypoints, 2*c.Keypoints, true)
	return n, n.start(n.wire, c.Workers)
}

// Features returns the length of the feature of an image.
func (c VisionEncoderConfig) Features() int { return 2 * c.withDefaults().Keypoints }

// wire lays the network out.
func (n *VisionEncoder) wire(k key) *plan {
	g, c := newGraph(k), n.config
	x := g.enterImage(0, c.Height, c.Width, c.Channels, true)
	if h, w := c.resized(); h != c.Height || w != c.Width {
		x = g.antialias(x, h, w)
	}
	if h, w := c.seen(); h != x.height || w != x.width() {
		x = g.crop(x, h, w)
	}
	g.watch("encoder_input", x)
	x = g.conv(n.maps, g.resNet(n.backbone, x))
	g.watch("keypoint_maps", x)
	x = g.spatialSoftmax(n.softmax, x)
	g.watch("keypoints", x)
	if k.size.points {
		g.leaveRows(0, x)
		return g.finish()
	}
	x = g.activate(relu, g.conv(n.out, x))
	g.watch("feature", x)
	g.leaveRows(0, x)
	return g.finish()
}

// points returns the encoder without its linear map: what comes out is x and y of every
// key point, between -1 and 1. It shares the parameters, which must have values.
func (n *VisionEncoder) points() *Map {
	m := &Map{name: n.name}
	m.shape = func(in tensor.Shape) (tensor.Shape, extent, error) {
		out, size, err := n.shape(in)
		size.points = true
		return out, size, err
	}
	m.params, m.workers, m.unset, m.layout = n.params, n.workers, n.unset, n.wire
	m.plans, m.idle = map[key]*plan{}, map[key][]*session{}
	return m
}

// Init draws new parameters from the field, and lays the places of the pixels.
func (n *VisionEncoder) Init(f noise.Field) {
	n.params.initialise(f)
	height, width := n.config.mapSize()
	grid(n.softmax.places.Data, height, width)
	n.Refresh()
}

// Config returns what the network was made from.
func (n *VisionEncoder) Config() VisionEncoderConfig { return n.config }

// Buffers returns what belongs to the state dict and has no gradients: the running
// statistics of batch normalisations, and the places of the pixels.
func (n *VisionEncoder) Buffers() []*Param { return n.params.buffers }
