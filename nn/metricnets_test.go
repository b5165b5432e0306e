package nn

import (
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

func TestLPIPSAgainstPublished(t *testing.T) {
	imageCases(t, "lpips_vgg_tiny", func(t *testing.T, c golden.Case) {
		tensors, io := golden.Safetensors(t, c.Dir+"/vgg16_tiny.safetensors"), golden.Safetensors(t, c.Dir+"/io.safetensors")
		for name, v := range golden.Safetensors(t, c.Dir+"/lin.safetensors") {
			tensors[name] = v
		}
		config := LPIPSConfig{Workers: 2}
		for _, name := range []string{"features.0", "features.5", "features.10", "features.17", "features.24"} {
			config.Widths = append(config.Widths, tensors[name+".bias"].Shape[0])
		}
		n, err := NewLPIPS(config)
		if err != nil {
			t.Fatal(err)
		}
		fillParams(t, n, tensors)
		pairs := pairsOf(t, io["in.first"], io["in.second"])
		parts, dx := tensor.New(pairs.N, 5), pairs.Clone()
		if err := n.Apply(t.Context(), parts, pairs); err != nil {
			t.Fatal(err)
		}
		checkParts(t, c, parts, io)
		checkFeatures(t, n, asBatch(t, io["in.first"]), asBatch(t, io["in.second"]), parts)
		ones := parts.Clone()
		for i := range ones.Data {
			ones.Data[i] = 1
		}
		if err := n.VJP(t.Context(), dx, pairs, ones); err != nil {
			t.Fatal(err)
		}
		c.Check(t, "out.grad_first", halves(dx), io["out.grad_first"])
		named := c
		named.Tolerances = map[string]golden.Tolerance{"out.act.stage2": c.Tolerances["out.relu3_3"]}
		checkActivations(t, named, &n.engine, mapBindings(&n.Map, pairs), map[string]golden.Array{"out.act.stage2": io["out.relu3_3"]})
	})
}

// checkFeatures compares images that were looked at one by one: the same bits as in pairs.
func checkFeatures(t *testing.T, n *LPIPS, first, second, parts tensor.Batch) {
	t.Helper()
	a, err := n.See(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	b, err := n.See(t.Context(), second)
	if err != nil {
		t.Fatal(err)
	}
	memory := 0
	for _, s := range a.stages {
		memory += 4 * s.Size()
	}
	if want := n.Bytes(first.Shape[1], first.Shape[2]); memory != want {
		t.Errorf("features of an image take %d bytes, want %d", memory, want)
	}
	got := make([]float32, 5)
	for i := range parts.N {
		n.Apart(got, a, i, b, i)
		if !slices.Equal(got, parts.Sample(i)) {
			t.Errorf("pair %d: parts %v of features, %v of the images", i, got, parts.Sample(i))
		}
	}
	if _, err := n.See(t.Context(), tensor.New(1, 3, 8, 8)); err == nil {
		t.Error("an image of 8 pixels: no error")
	}
}

// pairsOf returns pairs of images.
func pairsOf(t *testing.T, first, second golden.Array) tensor.Batch {
	t.Helper()
	a, b := asBatch(t, first), asBatch(t, second)
	out := tensor.New(a.N, append([]int{2}, a.Shape...)...)
	for i := range a.N {
		copy(out.Sample(i), a.Sample(i))
		copy(out.Sample(i)[a.Size():], b.Sample(i))
	}
	return out
}

// halves returns the first halves of all samples.
func halves(b tensor.Batch) (out []float32) {
	for i := range b.N {
		out = append(out, b.Sample(i)[:b.Size()/2]...)
	}
	return out
}

// checkParts compares the parts of the distance and their sum.
func checkParts(t *testing.T, c golden.Case, parts tensor.Batch, io map[string]golden.Array) {
	t.Helper()
	sums := make([]float32, parts.N)
	for stage, name := range []string{"out.tap0", "out.tap1", "out.tap2", "out.tap3", "out.tap4"} {
		column := make([]float32, parts.N)
		for i := range parts.N {
			column[i] = parts.Sample(i)[stage]
			sums[i] += column[i]
		}
		c.Check(t, name, column, io[name])
	}
	c.Check(t, "out.distance", sums, io["out.distance"])
}

func TestInceptionStageAgainstPublished(t *testing.T) {
	imageCases(t, "fid_block0", func(t *testing.T, c golden.Case) {
		n, err := NewInceptionStage(2)
		if err != nil {
			t.Fatal(err)
		}
		io := golden.Safetensors(t, c.Dir+"/io.safetensors")
		fillClassifier(t, n, golden.Safetensors(t, c.Dir+"/weights.safetensors"))
		for _, set := range []string{"a", "b"} {
			x := asBatch(t, io["in.images01_"+set])
			out := tensor.New(x.N, 64)
			if err := n.Apply(t.Context(), out, x); err != nil {
				t.Fatal(err)
			}
			c.Check(t, "out.features_"+set, out.Data, io["out.features_"+set])
		}
		checkEveryEighth(t, c, n, asBatch(t, io["in.images01_b"]).Rows(0, 1), io["out.maxpool_first_image_every8th"])
	})
}

// checkEveryEighth compares every eighth pixel each way of what the maximum leaves.
func checkEveryEighth(t *testing.T, c golden.Case, n *InceptionStage, x tensor.Batch, want golden.Array) {
	t.Helper()
	b := mapBindings(&n.Map, x)
	s := newSession(n.prepare(key{observing, b.size}), 2)
	if err := s.run(t.Context(), 0, b); err != nil {
		t.Fatal(err)
	}
	w := s.workers[0]
	w.first, w.n = 0, 1
	signal := s.plan.stages[0].signal
	all, side := inOrder(&w.run, signal, true), signal.height
	var got []float32
	for ch := range 64 {
		for y := 0; y < side; y += 8 {
			for x := 0; x < side; x += 8 {
				got = append(got, all[(ch*side+y)*side+x])
			}
		}
	}
	c.Check(t, "out.maxpool_first_image_every8th", got, want)
}
