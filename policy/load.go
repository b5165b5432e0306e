package policy

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// Options says how a policy is opened. The zero value keeps weights as they are stored and
// uses all cores.
type Options struct {
	Half    bool // round float32 weights of products to half precision, which needs half the memory
	Workers int  // goroutines; 0 is GOMAXPROCS
}

// Policy is a policy that can be run. It may be used by several goroutines.
type Policy struct {
	config   Config
	unet     *nn.ActionUNet
	encoders []*nn.VisionEncoder // one for all cameras, or one for each
	rename   map[string]string   // of keys of observations
	inputs   map[string]*normalizer
	action   *normalizer
	shape    Shape
}

// Shape is how large a policy is.
type Shape struct {
	Parameters int    `json:"parameters"` // of all networks
	UNet       int    `json:"unet_parameters"`
	Tensors    int    `json:"tensors"`
	Bytes      int64  `json:"bytes"` // of the weights in memory
	Stored     string `json:"stored"`
}

// The names of the weights in a folder.
const (
	weightsFile   = "model.safetensors"
	unetPrefix    = "diffusion.unet."
	encoderPrefix = "diffusion.rgb_encoder."
)

// Open reads the folder of a policy.
func Open(dir string, o Options) (*Policy, error) {
	f, err := openFolder(dir)
	if err != nil {
		return nil, err
	}
	defer f.close()
	p := &Policy{config: *f.config, rename: f.rename()}
	if err := f.normalizers(p); err != nil {
		return nil, err
	}
	if err := f.networks(p, o); err != nil {
		return nil, err
	}
	return p, nil
}

// folder is a folder whose files are open.
type folder struct {
	config    *Config
	weights   *weights.StateDict // without what compiling puts into names
	pre, post *processor         // of vintage C, else nil
}

func openFolder(dir string) (*folder, error) {
	raw, err := regular.ReadFile(filepath.Join(dir, configFile), maxDocument)
	if err != nil {
		return nil, &FileError{configFile, "cannot be read; the folder of a policy has it", err}
	}
	f := &folder{}
	if err := f.open(dir, raw); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// open opens what the configuration asks for.
func (f *folder) open(dir string, config []byte) (err error) {
	_, missing := os.Stat(filepath.Join(dir, preprocessorFile))
	if missing != nil && !errors.Is(missing, fs.ErrNotExist) {
		return &FileError{preprocessorFile, "cannot be read", missing}
	}
	if f.config, err = parseConfig(config, missing == nil); err != nil {
		return err
	}
	if err = f.openWeights(dir); err != nil || f.config.Vintage != VintageC {
		return err
	}
	if f.pre, err = readProcessor(dir, preprocessorFile, "normalizer_processor"); err != nil {
		return err
	}
	f.post, err = readProcessor(dir, postprocessorFile, "unnormalizer_processor")
	return err
}

// compiled is what compiling a network puts into the names of its tensors.
const compiled = "._orig_mod"

// openWeights opens the tensors under the names that they have without being compiled.
func (f *folder) openWeights(dir string) error {
	sd, err := weights.Open(filepath.Join(dir, weightsFile), weights.Options{})
	if err != nil {
		return &FileError{weightsFile, "cannot be read", err}
	}
	f.weights = sd
	var keys weights.KeyMap
	for _, t := range sd.Tensors() {
		switch name := strings.ReplaceAll(t.Name, compiled, ""); {
		case strings.HasSuffix(name, ".num_batches_tracked"):
			keys = append(keys, weights.Rule{From: t.Name, Exact: true, Drop: true})
		case name != t.Name:
			keys = append(keys, weights.Rename(t.Name, name))
		}
	}
	renamed, err := sd.Rename(keys)
	if err != nil {
		return &FileError{weightsFile, "holds a tensor under its name and that with " + compiled, err}
	}
	f.weights = renamed
	return nil
}

func (f *folder) close() {
	if f.weights != nil {
		f.weights.Close() // only read
	}
	f.pre.Close()
	f.post.Close()
}

// rename returns the new keys of observations.
func (f *folder) rename() map[string]string {
	if f.pre == nil {
		return nil
	}
	return f.pre.rename
}

// normalizers reads the normalisation of everything that the networks take and give.
func (f *folder) normalizers(p *Policy) (err error) {
	p.inputs = map[string]*normalizer{}
	for _, input := range f.config.told() {
		if p.inputs[input.Key], err = f.normalizer(input, "normalize_inputs"); err != nil {
			return err
		}
	}
	p.action, err = f.normalizer(f.config.Action, "unnormalize_outputs")
	return err
}

// normalizer reads the normalisation of a feature, where the vintage has it.
func (f *folder) normalizer(feature Feature, prefix string) (*normalizer, error) {
	mode := f.config.Modes[feature.Type]
	if f.config.Vintage == vintageA {
		mode = f.config.keyModes[feature.Key]
	}
	if f.config.Vintage != VintageC {
		return newNormalizer(feature, mode, inModel{f.weights, prefix}, true, defaultEpsilon)
	}
	step := f.pre.normalize
	if feature.Type == Action {
		step = f.post.normalize
	}
	if step == nil && (mode == identityMode || mode == "") {
		return newNormalizer(feature, identityMode, nil, false, defaultEpsilon)
	}
	return step.normalizer(feature)
}

// Told returns the features that the policy is told, in their order.
func (c *Config) Told() []Feature { return c.told() }

// told returns the features that the networks take: the state, the cameras in their order,
// the state of the environment.
func (c *Config) told() (out []Feature) {
	state, _ := c.input(State)
	out = append([]Feature{state}, c.Cameras()...)
	if e, ok := c.input(Environment); ok {
		out = append(out, e)
	}
	return out
}

// part is a network with the place of its tensors.
type part struct {
	prefix string
	net    interface {
		Params() []*nn.Param
		Refresh()
	}
	buffers func() []*nn.Param
}

// networks makes the networks, after their tensors have been compared with the folder's.
func (f *folder) networks(p *Policy, o Options) error {
	encoders, err := f.compare(o)
	if err != nil {
		return err
	}
	need := 0.0
	for _, t := range f.weights.Tensors() {
		need += float64(t.Bytes())
	}
	if err := memory.CheckMachine(1, need, "the weights"); err != nil {
		return &FileError{weightsFile, "is too large for this machine", err}
	}
	if p.unet, err = nn.NewActionUNet(f.config.unet(o.Workers)); err != nil {
		return err
	}
	parts := []part{{prefix: unetPrefix, net: p.unet}}
	for _, prefix := range encoders {
		n, err := nn.NewVisionEncoder(f.config.encoder(o.Workers))
		if err != nil {
			return err
		}
		p.encoders = append(p.encoders, n)
		parts = append(parts, part{prefix: prefix, net: n, buffers: n.Buffers})
	}
	for i, n := range parts {
		before := p.shape.Parameters
		if err := f.fill(n, o, &p.shape); err != nil {
			return err
		}
		if i == 0 {
			p.shape.UNet = p.shape.Parameters - before
		}
		n.net.Refresh()
	}
	return nil
}

// compare checks names, shapes and number of all tensors before anything is made from the
// configuration. It returns the prefixes of the encoders.
func (f *folder) compare(o Options) (encoders []string, err error) {
	layout, err := f.config.unet(o.Workers).Layout()
	if err != nil {
		return nil, sizesError(err)
	}
	want := prefixed(unetPrefix, layout)
	if cameras := f.config.Cameras(); len(cameras) > 0 {
		layout, err := f.config.encoder(o.Workers).Layout()
		if err != nil {
			return nil, sizesError(err)
		}
		encoders = []string{encoderPrefix}
		if f.config.SeparateEncoders {
			encoders = nil
			for i := range cameras {
				encoders = append(encoders, fmt.Sprintf("%s%d.", encoderPrefix, i))
			}
		}
		for _, prefix := range encoders {
			want = append(want, prefixed(prefix, layout)...)
		}
	}
	keys := weights.KeyMap{weights.Drop("normalize_inputs."), weights.Drop("normalize_targets."), weights.Drop("unnormalize_outputs.")}
	if err := weights.Check(want, f.weights, weights.LoadOptions{Keys: keys}); err != nil {
		return nil, &FileError{weightsFile, "does not hold the networks of " + configFile, err}
	}
	return encoders, nil
}

// keysOf are the keys of the settings of networks.
var keysOf = map[string]string{
	"levels": "number of down_dims", "DownDims": "down_dims", "Horizon": "horizon", "Kernel": "kernel_size", "TimeDim": "diffusion_step_embed_dim", "Groups": "n_groups",
	"Backbone": "vision_backbone", "Crop": "crop_shape", "Resize": "resize_shape", "Keypoints": "spatial_softmax_num_keypoints",
}

// sizesError makes the error of a network that of the configuration.
func sizesError(err error) error {
	var e *nn.ConfigError
	if !errors.As(err, &e) {
		return err
	}
	key, ok := keysOf[e.Field]
	if !ok {
		key = e.Field
	}
	return &ConfigError{configFile, key, e.Got, e.Want}
}

func prefixed(prefix string, layout []weights.Spec) []weights.Spec {
	out := make([]weights.Spec, len(layout))
	for i, s := range layout {
		out[i] = weights.Spec{Name: prefix + s.Name, Shape: s.Shape}
	}
	return out
}

// fill gives a network its values.
func (f *folder) fill(n part, o Options, s *Shape) error {
	params := n.net.Params()
	if n.buffers != nil {
		params = append(params[:len(params):len(params)], n.buffers()...)
	}
	var kinds weights.LoadError
	load := func(q *nn.Param) error {
		t, _ := f.weights.Tensor(n.prefix + q.Name) // compare found it
		strange, err := give(q, t, o.Half)
		if err == nil && strange > 0 {
			err = &weights.LoadError{NonFinite: []weights.NonFinite{{Name: t.Name, Count: strange}}}
		}
		return err
	}
	errs := make([]error, len(params))
	_ = parallel.For(context.Background(), parallel.Workers(o.Workers), len(params), func(_, i int) error {
		errs[i] = load(params[i]) // all of them are looked at below
		return nil
	})
	for i, err := range errs {
		var e *weights.LoadError
		switch {
		case errors.As(err, &e):
			kinds.NonFinite = append(kinds.NonFinite, e.NonFinite...)
		case err != nil:
			return &FileError{weightsFile, "cannot be read", err}
		}
		t, _ := f.weights.Tensor(n.prefix + params[i].Name)
		s.count(params[i], t, o.Half, i < len(n.net.Params()))
	}
	if len(kinds.NonFinite) > 0 {
		return &FileError{weightsFile, "holds numbers that cannot be used", &kinds}
	}
	return nil
}
