package nn

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

var _ cost.Linearizer = (*Question)(nil)

// newClassifier reads the network of a case, whose sizes are those of its tensors.
func newClassifier(t *testing.T, dir string) *Classifier {
	t.Helper()
	tensors := golden.Safetensors(t, dir+"/weights.safetensors")
	first := tensors["backbone.conv1.weight"].Shape
	c := ClassifierConfig{InChannels: first[1], Width: first[0], Workers: 2}
	for _, name := range []string{"age_group", "gender"} {
		hidden := tensors["heads."+name+".lin1.bias"].Shape[0]
		c.Heads = append(c.Heads, ClassifierHead{name, hidden, make([]string, tensors["heads."+name+".lin2.bias"].Shape[0])})
	}
	n, err := NewClassifier(c)
	if err != nil {
		t.Fatal(err)
	}
	fillClassifier(t, n, tensors)
	return n
}

// fillClassifier gives parameters and running statistics the values of a file.
func fillClassifier(t *testing.T, n interface {
	network
	Buffers() []*Param
}, tensors map[string]golden.Array) {
	t.Helper()
	rest := map[string]golden.Array{}
	for name, v := range tensors {
		if !strings.HasSuffix(name, ".num_batches_tracked") {
			rest[name] = v
		}
	}
	for _, p := range n.Buffers() {
		v := rest[p.Name]
		if !slices.Equal(v.Shape, p.Shape) {
			t.Fatalf("tensor %s has shape %v, want %v", p.Name, v.Shape, p.Shape)
		}
		p.Data = slices.Clone(v.Data)
		delete(rest, p.Name)
	}
	fillParams(t, n, rest)
}

func TestClassifierAgainstPublished(t *testing.T) {
	for _, prefix := range []string{"latent_classifier", "image_classifier"} {
		t.Run(prefix, func(t *testing.T) {
			imageCases(t, prefix, func(t *testing.T, c golden.Case) {
				n, io := newClassifier(t, c.Dir), golden.Safetensors(t, c.Dir+"/io.safetensors")
				first, second := asBatch(t, io["in.first"]), asBatch(t, io["in.second"])
				checkClassifierStages(t, c, n, first, io)
				checkTrunk(t, c, n, first, io)
				logits := n.apply(t, first)
				c.Check(t, "out.age_group", n.answers(logits, 0), io["out.age_group"])
				c.Check(t, "out.gender", n.answers(logits, 1), io["out.gender"])
				c.Check(t, "out.age_group_second", n.answers(n.apply(t, second), 0), io["out.age_group_second"])
				checkXOR(t, c, n, first, second, io)
				checkCrossEntropy(t, c, n, first, io)
				checkMovingStatistics(t, c, n, first, io)
			})
		})
	}
}

func (n *Classifier) apply(t *testing.T, x tensor.Batch) tensor.Batch {
	t.Helper()
	shape, err := n.Output(x.Shape)
	if err != nil {
		t.Fatal(err)
	}
	out := tensor.New(x.N, shape...)
	if err := n.Apply(t.Context(), out, x); err != nil {
		t.Fatal(err)
	}
	return out
}

// answers returns the logits of a head.
func (n *Classifier) answers(logits tensor.Batch, head int) (out []float32) {
	from, to := n.Logits(head)
	for i := range logits.N {
		out = append(out, logits.Sample(i)[from:to]...)
	}
	return out
}

func checkClassifierStages(t *testing.T, c golden.Case, n *Classifier, x tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	stages := map[string]golden.Array{}
	named := c
	named.Tolerances = map[string]golden.Tolerance{}
	for _, name := range []string{"conv1", "layer1", "features"} {
		if v, ok := io["out."+name]; ok {
			stages["out.act."+name] = v
			named.Tolerances["out.act."+name] = c.Tolerances["out."+name]
		}
	}
	checkActivations(t, named, &n.engine, mapBindings(&n.Map, x), stages)
}

// checkTrunk compares the first layer of the trunk and the means of the last.
func checkTrunk(t *testing.T, c golden.Case, n *Classifier, x tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	trunk := n.Stages()
	shapes, err := trunk.Shapes(x.Shape)
	if err != nil || len(shapes) != classifierLayers {
		t.Fatalf("shapes %v, %v", shapes, err)
	}
	var all []tensor.Batch
	for _, s := range shapes {
		all = append(all, tensor.New(x.N, s...))
	}
	if err := trunk.Apply(t.Context(), all, x); err != nil {
		t.Fatal(err)
	}
	if want, ok := io["out.layer1"]; ok {
		c.Check(t, "out.layer1", all[0].Data, want)
	}
	last := all[classifierLayers-1]
	pixels := last.Shape[1] * last.Shape[2]
	means := make([]float32, len(last.Data)/pixels)
	for i, v := range last.Data {
		means[i/pixels] += v / float32(pixels)
	}
	if want, ok := io["out.features"]; ok {
		c.Check(t, "out.features", means, want)
	}
	if _, err := trunk.Shapes(x.Shape[1:]); err == nil {
		t.Error("two axes are taken for an image")
	}
}

// checkXOR compares the coupling cost of the ages, young and old, and its gradients. With
// the groups of the second exchanged the cost is 2 less it.
func checkXOR(t *testing.T, c golden.Case, n *Classifier, first, second tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	ages := n.Question(0)
	xor := cost.XOR{Classifier: ages, Groups: [][]int{{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}}}
	value, x := make([]float64, first.N), []tensor.Batch{first, second}
	grad := []tensor.Batch{tensor.New(first.N, first.Shape...), tensor.New(second.N, second.Shape...)}
	if err := xor.Add(t.Context(), value, grad, x, 1/float64(first.N)); err != nil {
		t.Fatal(err)
	}
	loss := 0.0
	for _, v := range value {
		loss += v
	}
	c.Check(t, "out.xor_loss_rot0", []float32{float32(loss)}, io["out.xor_loss_rot0"])
	c.Check(t, "out.xor_loss_rot1", []float32{float32(2 - loss)}, io["out.xor_loss_rot1"])
	for i, name := range []string{"first", "second"} {
		c.Check(t, "out.grad_"+name+"_rot0", grad[i].Data, io["out.grad_"+name+"_rot0"])
	}
	if want, ok := io["out.unit_grad_first"]; ok {
		c.Check(t, "out.unit_grad_first", units(grad[0]), want)
	}
	for i, name := range []string{"first", "second"} {
		if want, ok := io["out.grad_"+name+"_rot1"]; ok {
			rescale(grad[i].Data, -1)
			c.Check(t, "out.grad_"+name+"_rot1", grad[i].Data, want)
		}
	}
	for i, name := range []string{"out.p_young_old", "out.q_young_old"} {
		c.Check(t, name, youngAndOld(t, ages, x[i]), io[name])
	}
}

// TestQuestionLinearize wants the probabilities and the gradient of one evaluation to be
// those of two, bit for bit.
func TestQuestionLinearize(t *testing.T) {
	n, err := NewClassifier(ClassifierConfig{InChannels: 4, Width: 8, Heads: []ClassifierHead{{Name: "a", Hidden: 8, Classes: []string{"x", "y", "z"}}, {Name: "b", Hidden: 4, Classes: []string{"u", "v"}}}})
	if err != nil {
		t.Fatal(err)
	}
	n.Init(noise.New(3))
	x, cotangent := gaussians(5, 4, 16, 16), gaussians(5, 3)
	p, once, g := tensor.New(5, 3), tensor.New(5, 3), tensor.New(5, 4, 16, 16)
	pull, err := n.Question(0).Linearize(t.Context(), once, x)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(pull(t.Context(), g, cotangent), n.Question(0).Probabilities(t.Context(), p, x)); err != nil {
		t.Fatal(err)
	}
	want := tensor.New(5, 4, 16, 16)
	if err := n.VJP(t.Context(), want, x, logitsOf(t, n, x, p, cotangent)); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(once.Data, p.Data) || !slices.Equal(g.Data, want.Data) || slices.Max(g.Data) == 0 {
		t.Error("one evaluation gives other numbers than two")
	}
}

// logitsOf returns the cotangents of logits that belong to those of the probabilities of the
// first head.
func logitsOf(t *testing.T, n *Classifier, x, p, cotangent tensor.Batch) tensor.Batch {
	t.Helper()
	out := tensor.New(x.N, n.config.logits())
	for i := range x.N {
		softmaxPull(out.Sample(i)[:p.Size()], p.Sample(i), cotangent.Sample(i))
	}
	return out
}

// units returns every sample over its norm.
func units(b tensor.Batch) (out []float32) {
	for i := range b.N {
		norm := norm2(b.Sample(i))
		for _, v := range b.Sample(i) {
			out = append(out, float32(float64(v)/norm))
		}
	}
	return out
}

func youngAndOld(t *testing.T, ages *Question, x tensor.Batch) (out []float32) {
	t.Helper()
	p := tensor.New(x.N, ages.Classes())
	if err := ages.Probabilities(t.Context(), p, x); err != nil {
		t.Fatal(err)
	}
	for i := range x.N {
		young, old := 0.0, 0.0
		for k, v := range p.Sample(i) {
			if k < 8 {
				young += float64(v)
			} else {
				old += float64(v)
			}
		}
		out = append(out, float32(young), float32(old))
	}
	return out
}

// train does the forward and the backward pass of the classes' cross-entropy.
func (n *Classifier) train(t *testing.T, x tensor.Batch, io map[string]golden.Array, frozen bool, weights ...float64) (logits tensor.Batch, loss float64) {
	t.Helper()
	tr, err := n.NewTraining(x.N, x.Shape, frozen)
	if err != nil {
		t.Fatal(err)
	}
	ages, genders := io["in.ce_age_labels"].Ints(), io["in.ce_gender_labels"].Ints()
	labels := tensor.New(x.N, 2)
	for i := range ages {
		labels.Sample(i)[0], labels.Sample(i)[1] = float32(ages[i]), float32(genders[i])
	}
	logits = n.apply(t, x)
	if err := tr.Forward(t.Context(), logits, Examples{X: x}); err != nil {
		t.Fatal(err)
	}
	grad := logits.Clone()
	for _, term := range n.CrossEntropy(grad, labels, weights, 0) {
		loss += term
	}
	if err := tr.Backward(t.Context(), grad); err != nil {
		t.Fatal(err)
	}
	return logits, loss
}

func checkCrossEntropy(t *testing.T, c golden.Case, n *Classifier, x tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	_, loss := n.train(t, x, io, true, 10, 2)
	c.Check(t, "out.ce_loss_10age_2gender", []float32{float32(loss)}, io["out.ce_loss_10age_2gender"])
	checkGradientsNamed(t, c, n, "out.ce_grad_evalmode.", io)
}

// checkMovingStatistics compares a training whose normalisations use the batch.
func checkMovingStatistics(t *testing.T, c golden.Case, n *Classifier, x tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	logits, _ := n.train(t, x, io, false, 1, 0) // of the ages alone
	c.Check(t, "out.trainmode_age_group", n.answers(logits, 0), io["out.trainmode_age_group"])
	c.Check(t, "out.trainmode_grad_conv1", n.conv1.weight.Grad, io["out.trainmode_grad_conv1"])
	c.Check(t, "out.trainmode_running_mean_bn1", n.bn1.mean.Data, io["out.trainmode_running_mean_bn1"])
	c.Check(t, "out.trainmode_running_var_bn1", n.bn1.variance.Data, io["out.trainmode_running_var_bn1"])
}

// TestClassifierLayout compares names, shapes and the number of parameters of the
// published sizes with their state dicts, whose counters of batches we do without.
func TestClassifierLayout(t *testing.T) {
	classes := func(n int) []string { return make([]string, n) }
	for name, c := range map[string]struct{ channels, hidden int }{"latent_classifier": {4, 256}, "image_classifier": {3, 1024}} {
		var layout struct {
			Entries [][3]any // name, shape, type
			Params  int
		}
		if err := json.Unmarshal(readFile(t, "testdata/images/"+name+"/full_layout.json"), &layout); err != nil {
			t.Fatal(err)
		}
		n, err := NewClassifier(ClassifierConfig{InChannels: c.channels, Heads: []ClassifierHead{
			{"age_group", c.hidden, classes(10)}, {"gender", 128, classes(2)}}})
		if err != nil {
			t.Fatal(err)
		}
		ours := map[string]string{}
		for _, p := range n.Params() {
			ours[p.Name] = fmt.Sprint(p.Shape)
		}
		for _, b := range n.Buffers() {
			ours[b.Name] = fmt.Sprint(b.Shape)
		}
		for _, e := range layout.Entries {
			tensor, shape := e[0].(string), fmt.Sprint(e[1])
			if strings.HasSuffix(tensor, "num_batches_tracked") {
				continue
			}
			if got := ours[tensor]; got != shape {
				t.Errorf("%s: %s has the shape %s, want %s", name, tensor, got, shape)
			}
			delete(ours, tensor)
		}
		if got := n.params.count(); got != layout.Params || len(layout.Entries) != 128 || len(ours) != 0 {
			t.Errorf("%s: %d parameters, want %d; not in the published file: %v", name, got, layout.Params, ours)
		}
	}
}

func TestReadClassifierConfig(t *testing.T) {
	c, err := ReadClassifierConfig(strings.NewReader("in_channels: 4\nheads:\n  - {name: gender, hidden: 128, classes: [male, female]}\n"))
	if err != nil || c.InChannels != 4 || c.Width != 64 || c.Heads[0].Hidden != 128 || len(c.Heads[0].Classes) != 2 {
		t.Errorf("read %+v, %v", c, err)
	}
	for _, bad := range []string{"", "in_channels: 0\nheads: [{name: a, hidden: 1, classes: [x, y]}]", "in_channels: 3", "in_channels: 3\nheads: [{name: a.b, hidden: 1, classes: [x, y]}]",
		"in_channels: 3\nheads: [{name: a, hidden: 1, classes: [x]}]", "in_channels: 3\nwide: 4", "in_channels: 3\nwidth: 1000000\nheads: [{name: a, hidden: 1, classes: [x, y]}]",
		"in_channels: 3\nheads: [{name: a, hidden: 1, classes: [x, y]}, {name: a, hidden: 1, classes: [x, y]}]", fmt.Sprintf("in_channels: %d", math.MaxInt64)} {
		if _, err := ReadClassifierConfig(strings.NewReader(bad)); err == nil {
			t.Errorf("read %q without an error", bad)
		}
	}
}
