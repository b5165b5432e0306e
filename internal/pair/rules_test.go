package pair

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/env/portrait"
	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/latent"
	"github.com/go-pcd/pcd/tensor"
)

// Stored weights are none of them negative, add up to 1 in any order, and lie within a
// grain of what they stand for.
func TestStoredWeights(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		w := make([]float64, 2+r.IntN(9))
		sum := 0.0
		for i := range w {
			if r.IntN(3) > 0 {
				w[i] = math.Exp(12 * (r.Float64() - 1))
			}
			sum += w[i]
		}
		if sum == 0 {
			w[0], sum = 1, 1
		}
		for i := range w {
			w[i] /= sum
		}
		got := make([]float32, len(w))
		store(got, w)
		total := float32(0)
		for i, v := range got {
			total += v
			if v < 0 || math.Abs(float64(v)-w[i]) > 1.001*grain {
				t.Fatalf("%v is stored as %v", w, got)
			}
		}
		slices.Reverse(got)
		back := float32(0)
		for _, v := range got {
			back += v
		}
		if total != 1 || back != 1 {
			t.Fatalf("%v is stored as %v: sums %v, %v", w, got, total, back)
		}
	}
	got := make([]float32, 2)
	store(got, []float64{1 + 1e-12, -1e-12})
	if got[0] != 1 || got[1] != 0 {
		t.Errorf("a vertex is stored as %v", got)
	}
}

func TestChoices(t *testing.T) {
	e := tensor.New(2, 3)
	copy(e.Data, []float32{0, 0, 0, 3, 4, 0})
	far := tensor.New(2, 3)
	far.Data[0] = 10
	for _, c := range []struct {
		request    Request
		gamma, k   float64
		rate       float64
		dimensions int
	}{
		{Request{Method: PCD}, 450, 2, 0, 16384},
		{Request{Method: PCD}, 112.5, 2, 0, 1024},
		{Request{Method: SDP}, 0, 2, 0, 1024},
		{Request{Method: SDC}, 6.4, 1, 0, 1024},
		{Request{Method: SD}, 0, 1, 0, 1024},
		{Request{Method: PCD, Gamma: 7, NoiseScale: 20, MirrorDescent: &latent.MirrorDescent{}}, 7, 20, 0.0025, 1024},
		{Request{Method: PCD, MirrorDescent: &published.MirrorDescentImages}, 450, 2, 1e-5, 16384},
	} {
		got := c.request.Choose(c.dimensions, []tensor.Batch{far, e})
		if math.Abs(got.Gamma-c.gamma) > 1e-9 || math.Abs(got.NoiseScale-c.k) > 1e-9 {
			t.Errorf("%+v of %d numbers: %+v", c.request, c.dimensions, got)
		}
		if c.rate > 0 && (got.MirrorDescent.LearningRate != c.rate || got.MirrorDescent.Iterations != 10000) {
			t.Errorf("mirror descent %+v, want the rate %v", got.MirrorDescent, c.rate)
		}
		if !slices.Equal(got.Chords, []float64{10, 5}) {
			t.Errorf("chords %v", got.Chords)
		}
	}
}

func TestGroups(t *testing.T) {
	for n, want := range map[int][][]int{
		2: {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9}},
		3: {{0, 1, 2, 3, 4, 5, 6, 7}, {8}, {9}},
		4: {{0, 1, 2, 3, 4, 5, 6}, {7}, {8}, {9}},
	} {
		got, err := Age.groups(n)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%d groups: %v, %v", n, got, err)
		}
	}
	three, err := Age.groups(3)
	check(t, err)
	if got := Age.Names(three); !slices.Equal(got, []string{"0 to 49", "50 to 69", "70 to 120"}) {
		t.Errorf("names of three groups: %v", got)
	}
	all, err := Age.groups(10)
	if err != nil || len(slices.Concat(all...)) != 10 || slices.ContainsFunc(all, func(g []int) bool { return len(g) != 1 }) {
		t.Errorf("10 groups: %v, %v", all, err)
	}
	if _, err := Age.groups(11); err == nil {
		t.Error("11 people of 10 age groups can differ")
	}
}

// The judge's answers are counted as the published tables do.
func TestXORIsCounted(t *testing.T) {
	groups, err := Age.groups(2)
	check(t, err)
	young, old := make([]float32, 10), make([]float32, 10)
	young[2], young[8] = 0.6, 0.4
	old[9], old[8], old[3] = 0.3, 0.3, 0.4
	of := func(ages ...[]float32) (all []Opinion) {
		for _, a := range ages {
			all = append(all, Opinion{Age: a, Gender: []float32{0.75, 0.25}})
		}
		return all
	}
	r := &Result{Request: Request{Attribute: Age}, Groups: groups, Members: []Drawn{
		{Opinions: of(young, old, young, old), Images: tensor.New(4, 1)}, {Opinions: of(old, old, young, young), Images: tensor.New(4, 1)},
	}}
	if got := r.Satisfied(); !slices.Equal(got, []bool{true, false, false, true}) || r.XOR() != 0.5 {
		t.Errorf("satisfied %v, rate %v", got, r.XOR())
	}
	r.Request.Rotation = 1
	if got := r.Satisfied(); !slices.Equal(got, []bool{false, true, true, false}) {
		t.Errorf("rotated: %v", got)
	}
	if got := r.Share(0, Gender, 0); got != 0.75 {
		t.Errorf("share of male images %v", got)
	}
}

// Spread ages lie in as many groups, and no two give the same picture.
func TestDrawnMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("pictures that one goroutine draws")
	}
	for n := 3; n <= MostTogether; n++ {
		groups, err := Age.groups(n)
		check(t, err)
		seen := map[int]bool{}
		for _, age := range spread(n) {
			class := portrait.GroupOf(age)
			seen[slices.IndexFunc(groups, func(g []int) bool { return slices.Contains(g, class) })] = true
		}
		all := DrawMembers(Age, n, 0)
		if len(seen) != n || len(all) != n || len(all[0].Exemplars) != n || slices.Equal(all[0].Exemplars[0].Picture.Pix, all[2].Exemplars[0].Picture.Pix) {
			t.Errorf("%d images: groups %v, %d members with %d exemplars", n, seen, len(all), len(all[0].Exemplars))
		}
	}
	for _, m := range DrawMembers(Age, MostTogether, 0) {
		for i, e := range m.Exemplars {
			if slices.Equal(e.Picture.Pix, m.Exemplars[(i+1)%MostTogether].Picture.Pix) {
				t.Errorf("%s: exemplar %d is the same picture as the next one", m.Name, i)
			}
		}
	}
	two := DrawMembers(Gender, 2, 2)
	if two[0].Name != "young" || two[1].Exemplars[0].Name != "male-1-80-1" || two[1].Exemplars[1].Name != "female-1-76-1" {
		t.Errorf("for genders: %+v", two)
	}
}

// The exemplars that are drawn differ in age and clothes alone.
func TestDrawnExemplars(t *testing.T) {
	if testing.Short() {
		t.Skip("pictures that one goroutine draws")
	}
	for _, g := range []portrait.Gender{portrait.Male, portrait.Female} {
		six, two := drawExemplars(g, 6), drawExemplars(g, 2)
		if len(six) != 6 || len(two) != 2 || !slices.Equal(two[1].Picture.Pix, six[1].Picture.Pix) {
			t.Errorf("%s: %d and %d exemplars", g, len(six), len(two))
		}
		check(t, checkExemplars(g.String(), six))
	}
}
