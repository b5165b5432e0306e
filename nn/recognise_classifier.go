package nn

import (
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/weights"
)

// publishedClasses are the classes of the published heads, in their order, which tensors
// do not tell. Source: the image-pair experiment of Projected Coupled Diffusion, and the
// data set FFHQ-Aging.
var publishedClasses = map[string][]string{
	"age_group": {"0-2", "3-6", "7-9", "10-14", "15-19", "20-29", "30-39", "40-49", "50-69", "70-120"},
	"gender":    {"male", "female"},
}

// recogniseClassifier reads the sizes of a [Classifier] off its tensors. Heads keep the
// order of the file.
func recogniseClassifier(p tensors) (*ClassifierConfig, error) {
	first, err := p.shape("backbone.conv1.weight", 4)
	if err != nil {
		return nil, err
	}
	c := &ClassifierConfig{InChannels: first[1], Width: first[0]}
	for _, t := range p.sd.Tensors() {
		name, ok := strings.CutPrefix(t.Name, p.prefix+"heads.")
		if name, ok = cutSuffix(name, ".lin1.weight", ok); !ok {
			continue
		}
		h, err := recogniseHead(p, name)
		if err != nil {
			return nil, err
		}
		c.Heads = append(c.Heads, h)
	}
	n, err := NewClassifier(*c)
	if err != nil {
		return nil, p.fail("%v", err)
	}
	_, err = p.complete(specsOf(n.params.buffers))
	return c, err
}

func cutSuffix(name, suffix string, ok bool) (string, bool) {
	if !ok {
		return name, false
	}
	return strings.CutSuffix(name, suffix)
}

// recogniseHead reads the sizes of a head. Its classes are numbered, unless they are the
// published ones.
func recogniseHead(p tensors, name string) (h ClassifierHead, err error) {
	hidden, err := p.shape("heads."+name+".lin1.weight", 2)
	if err != nil {
		return h, err
	}
	classes, err := p.shape("heads."+name+".lin2.weight", 2)
	if err != nil {
		return h, err
	}
	if classes[0] > maxSize {
		return h, p.fail("head %s has %d classes, want at most %d", name, classes[0], maxSize)
	}
	h = ClassifierHead{Name: name, Hidden: hidden[0]}
	if known := publishedClasses[name]; len(known) == classes[0] {
		h.Classes = known
		return h, nil
	}
	for i := range classes[0] {
		h.Classes = append(h.Classes, strconv.Itoa(i))
	}
	return h, nil
}

// layout returns the names and shapes of the parameters, without memory for elements.
func (c ClassifierConfig) layout() ([]weights.Spec, error) {
	n, err := NewClassifier(c)
	if err != nil {
		return nil, err
	}
	return specsOf(n.params.list), nil
}

func specsOf(list []*Param) (specs []weights.Spec) {
	for _, q := range list {
		specs = append(specs, weights.Spec{Name: q.Name, Shape: q.Shape})
	}
	return specs
}
