package pair

import (
	"errors"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/noise"
)

// whole returns a request of a baseline, of a small model that has the parts for it.
func whole(t *testing.T, method Method) Request {
	t.Helper()
	r := request(t, method)
	r.Model.Guide = questions(t, 3)
	control, err := nn.NewControlNetXS(r.Model.Net, nn.ControlNetXSConfig{BlockOutChannels: []int{4, 4}, HintChannels: []int{4, 4},
		ConditioningChannels: 3, Heads: []int{2, 2}, MaxNormNumGroups: 4, TransformerLayers: []int{1, 1}})
	check(t, err)
	control.Init(noise.New(7))
	for i, p := range control.Params() { // an adapter that has learned something
		noise.New(8).Normal(p.Data, len(p.Data), noise.Address{Variable: i})
		for j := range p.Data {
			p.Data[j] *= 0.1
		}
	}
	control.Refresh()
	r.Model.Control = control
	return r
}

// The anchor of SyncDiffusion, the second image, is drawn as if it were alone, the first
// as strongly as the weight says; together both move.
func TestSync(t *testing.T) {
	r := whole(t, Sync)
	r.SyncWeight = 1e-9 // next to nothing
	alone := do(t, r)
	r.SyncWeight = 1e5
	anchored := do(t, r)
	r.SyncTogether = true
	together := do(t, r)
	same := func(a, b *Result, i int) bool {
		return slices.Equal(a.Members[i].Latents.Data, b.Members[i].Latents.Data)
	}
	if !same(anchored, alone, 1) || same(anchored, alone, 0) {
		t.Error("want the anchor as it is alone, and the other image moved")
	}
	if same(together, alone, 1) || !same(together, anchored, 0) && same(together, alone, 0) {
		t.Error("want both images moved together")
	}
	if together.Certificate.Certified || together.Members[0].Exemplars.N != 0 || together.Choices.SyncWeight != 1e5 {
		t.Errorf("certificate %+v of images that nothing projects, weight %v", together.Certificate, together.Choices.SyncWeight)
	}
	r.Attribute, r.Model.Guide.Net = Gender, withoutGender(t)
	var needs *NeedsError
	if _, err := Do(t.Context(), r); !errors.As(err, &needs) {
		t.Errorf("a guide that is not asked about genders: %v", err)
	}
}

func withoutGender(t *testing.T) *nn.Classifier {
	t.Helper()
	c, err := nn.NewClassifier(nn.ClassifierConfig{InChannels: 3, Width: 4, Heads: []nn.ClassifierHead{{Name: "age_group", Hidden: 4, Classes: make([]string, 10)}}})
	check(t, err)
	c.Init(noise.New(1))
	return c
}

// ControlNet-XS sees the exemplars of each image, and needs some.
func TestControl(t *testing.T) {
	r := whole(t, CNetXS)
	first := do(t, r)
	r.Members[1].Exemplars = painted(9, 2, 16)
	other := do(t, r)
	if !slices.Equal(first.Members[0].Latents.Data, other.Members[0].Latents.Data) || slices.Equal(first.Members[1].Latents.Data, other.Members[1].Latents.Data) {
		t.Error("want the image whose exemplars changed to change, and no other")
	}
	r.Control = 1e-9
	if loose := do(t, r); slices.Equal(loose.Members[0].Latents.Data, first.Members[0].Latents.Data) {
		t.Error("the scale of the control does nothing")
	}
	r.Members[0].Exemplars = nil
	var exemplars *ExemplarError
	if _, err := Do(t.Context(), r); !errors.As(err, &exemplars) {
		t.Errorf("without exemplars: %v", err)
	}
}

// Pairs of baselines are independent of each other, too.
func TestBaselinesAreIndependent(t *testing.T) {
	if testing.Short() {
		t.Skip("its goroutines are those of the baselines' other tests")
	}
	for _, method := range []Method{Sync, CNetXS} {
		r := whole(t, method)
		r.SyncWeight = 1e5
		all := do(t, r)
		r.First, r.Pairs = 2, 1
		one := do(t, r)
		for i, d := range one.Members {
			if !slices.Equal(d.Latents.Data, all.Members[i].Latents.Sample(2)) {
				t.Errorf("%s: image 2 of %s depends on the others", method, d.Name)
			}
		}
	}
}
