package modelfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/tokenizer"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// network makes the network of a class from its settings, without memory for its
// parameters.
type network struct {
	build func(*Part) (Parameters, error)
	keys  func(*weights.StateDict) weights.KeyMap // nil: names are as in the network
}

// classifierClass is the class of folders that name none but describe a classifier.
const classifierClass = "Classifier"

// networks are those that folders can hold, by class.
var networks = map[string]network{
	"UNet2DConditionModel": {build: func(p *Part) (Parameters, error) {
		return made(p, nn.ParseConfig[nn.UNet2DConfig], nn.NewUNet2DCondition)
	}},
	"AutoencoderKL": {keys: autoencoderKeys, build: func(p *Part) (Parameters, error) {
		return made(p, nn.ParseConfig[nn.AutoencoderConfig], nn.NewAutoencoderKL)
	}},
	"AutoencoderTiny": {build: func(p *Part) (Parameters, error) {
		return made(p, nn.ParseConfig[nn.AutoencoderTinyConfig], nn.NewAutoencoderTiny)
	}},
	"CLIPTextModel": {keys: textKeys, build: func(p *Part) (Parameters, error) {
		return made(p, nn.ParseConfig[nn.CLIPTextConfig], nn.NewCLIPText)
	}},
	classifierClass:    classifier,
	"LatentClassifier": classifier,
	"ImageClassifier":  classifier,
}

// made reads a configuration and makes its network.
func made[C any, N Parameters](p *Part, parse func([]byte) (C, error), build func(C) (N, error)) (Parameters, error) {
	raw, err := p.ReadSettings()
	if err != nil {
		return nil, err
	}
	c, err := parse(raw)
	if err != nil {
		return nil, p.noNetwork(err)
	}
	net, err := build(c)
	if err != nil {
		return nil, p.noNetwork(err) // not a nil pointer in an interface
	}
	return net, nil
}

func (p *Part) noNetwork(err error) error {
	return &Error{Path: p.Settings, Reason: "describes no network that can be made", Err: err}
}

// autoencoderKeys gives the attention of files of before 2023 its present names.
func autoencoderKeys(sd *weights.StateDict) (keys weights.KeyMap) {
	for _, t := range sd.Tensors() {
		if now := nn.CurrentName(t.Name); now != t.Name {
			keys = append(keys, weights.Rename(t.Name, now))
		}
	}
	return keys
}

// textKeys leaves out what some files hold and rows of context do not need: a buffer, and what maps a text to the space of
// images. Current libraries leave out the first level of names.
func textKeys(sd *weights.StateDict) weights.KeyMap {
	const level = "text_model."
	keys := weights.KeyMap{weights.Drop(level + "embeddings.position_ids"), weights.Drop("embeddings.position_ids"), weights.Drop("text_projection.weight")}
	if _, ok := sd.Tensor("embeddings.token_embedding.weight"); ok {
		for _, t := range sd.Tensors() {
			keys = append(keys, weights.Rename(t.Name, level+t.Name))
		}
	}
	return keys
}

// keys returns what the tensors of a part are to be renamed by for its network.
func (p *Part) keys(sd *weights.StateDict) weights.KeyMap {
	if n := networks[p.Class]; n.keys != nil {
		return n.keys(sd)
	}
	return nil
}

// Network makes the network of a part from its settings, without memory for its
// parameters: see [Part.Fill] and [Part.Keep]. It returns an [Error] for settings that
// make none, and for a network of another type than N.
func Network[N Parameters](p *Part) (N, error) {
	var none N
	found, err := p.network()
	if err != nil {
		return none, err
	}
	net, ok := found.(N)
	if !ok {
		return none, &Error{Path: p.Path, Reason: fmt.Sprintf("is a part of class %.60q, which is no %s", p.Class, strings.TrimPrefix(fmt.Sprintf("%T", none), "*nn."))}
	}
	return net, nil
}

// Tokenizer reads the tokenizer of a part. It returns an [Error] for files that are none.
func (p *Part) Tokenizer() (*tokenizer.Tokenizer, error) {
	t, err := tokenizer.Open(p.Path)
	if err != nil {
		return nil, &Error{Path: p.Path, Reason: "holds no tokenizer that can be used", Err: err}
	}
	return t, nil
}

// State returns what the file of a network holds: its parameters, and behind them the
// values that follow its training without gradients.
func State(net Parameters) []*nn.Param {
	if b, ok := net.(interface{ Buffers() []*nn.Param }); ok {
		return slices.Concat(net.Params(), b.Buffers())
	}
	return net.Params()
}

// Check compares the weights of a part with its settings, without reading a number:
// nil, or an [Error] around the [weights.LoadError] that names every tensor that is
// missing, additional or of another shape, and what was expected.
func (p *Part) Check() error {
	net, err := p.network()
	if err != nil || net == nil {
		return err
	}
	sd, err := p.Open()
	if err != nil {
		return err
	}
	defer sd.Close()
	return p.check(net, sd)
}

// network returns the network of a part without memory for its parameters, nil for
// parts that are none, or of a class that is not known.
func (p *Part) network() (Parameters, error) {
	n, ok := networks[p.Class]
	if !ok {
		return nil, nil
	}
	net, err := n.build(p)
	if err != nil {
		return nil, p.untold(err)
	}
	return net, nil
}

func (p *Part) check(net Parameters, sd *weights.StateDict) error {
	var layout []weights.Spec
	for _, q := range State(net) {
		layout = append(layout, weights.Spec{Name: q.Name, Shape: q.Shape})
	}
	if err := weights.Check(layout, sd, weights.LoadOptions{Keys: p.keys(sd)}); err != nil {
		return &Error{Path: p.Weights[0], Reason: "its weights do not fit", Err: err}
	}
	return nil
}
