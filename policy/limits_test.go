package policy

import (
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/noise"
)

// adversary asks for what is hardest to refuse: far outside, to and fro, at the bounds, numbers
// that are none.
func adversary(r *rand.Rand, l *Limits, dst []float32) {
	kind := r.IntN(8)
	for i := range dst {
		lo, hi := l.Min[i], l.Max[i]
		switch kind {
		case 0:
			dst[i] = float32((r.Float64() - 0.5) * 1e30)
		case 1:
			dst[i] = float32(hi)
		case 2:
			dst[i] = float32(lo)
		case 3:
			dst[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32}[r.IntN(4)]
		case 4:
			dst[i] = float32(hi + (hi-lo)*r.NormFloat64()*1e-6)
		default:
			dst[i] = float32(lo + (hi-lo)*(1.4*r.Float64()-0.2))
		}
	}
}

func randomLimits(r *rand.Rand) Limits {
	n := 1 + r.IntN(5)
	l := Limits{}
	for range n {
		lo := (r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(5)))
		l.Min, l.Max = append(l.Min, lo), append(l.Max, lo+math.Pow(10, 4*r.Float64()-1))
	}
	groups := n
	if n > 1 && r.IntN(2) == 0 {
		l.Groups, groups = [][]int{{0, n - 1}}, n-1
	}
	for range groups {
		size := 0.0
		for i := range n {
			size = max(size, math.Abs(l.Min[i]), math.Abs(l.Max[i]))
		}
		speed := size * math.Pow(10, -1-2.5*r.Float64())
		l.Speed, l.Acceleration = append(l.Speed, speed), append(l.Acceleration, speed*math.Pow(10, -1.2*r.Float64()))
	}
	if r.IntN(4) == 0 {
		l.Acceleration = nil
	} else if r.IntN(4) == 0 {
		l.Speed = nil
	}
	return l
}

// TestCommandsKeepLimits drives robots with a hundred thousand chunks of eight actions that
// nobody should ask for, and judges what they are told.
func TestCommandsKeepLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine, many numbers")
	}
	const robots, chunks, actions = 2000, 50, 8
	r, moved := rand.New(rand.NewPCG(1, 2)), 0
	for range robots {
		l := randomLimits(r)
		g, err := NewGovernor(l)
		if err != nil {
			t.Fatalf("%+v: %v", l, err)
		}
		start := make([]float32, l.size())
		for i := range start {
			start[i] = float32(l.Min[i] + (l.Max[i]-l.Min[i])*(0.001+0.998*r.Float64()))
		}
		if err := g.Start(start); err != nil {
			t.Fatal(err)
		}
		var all []float32
		for range chunks * actions {
			asked := make([]float32, l.size())
			adversary(r, &l, asked)
			if err := g.Next(asked, asked); err != nil {
				t.Fatal(err)
			}
			all = append(all, asked...)
		}
		c, err := l.Certify(start, all)
		if err != nil || !c.Certified || c.Commands != chunks*actions {
			t.Fatalf("limits %+v: certificate %+v, %v", l, c, err)
		}
		if all[len(all)-1] != start[l.size()-1] {
			moved++
		}
	}
	if moved < robots/2 {
		t.Errorf("only %d of %d robots moved at all", moved, robots)
	}
}

// TestGovernorFollows wants a target that can be reached to be reached, and an action that
// keeps the limits to be given as it was asked, to the grid.
func TestGovernorFollows(t *testing.T) {
	l := Limits{Min: []float64{0, 0}, Max: []float64{512, 512}, Groups: [][]int{{0, 1}}, Speed: []float64{30}, Acceleration: []float64{8}}
	g, err := NewGovernor(l)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Start([]float32{100, 100}); err != nil {
		t.Fatal(err)
	}
	out := make([]float32, 2)
	steps := 0
	for ; steps < 60 && math.Hypot(float64(out[0])-500, float64(out[1])-511.9) > 0.01; steps++ {
		if err := g.Next(out, []float32{500, 511.9}); err != nil {
			t.Fatal(err)
		}
	}
	// 573 px at 30 px per step take 20 steps, getting up to speed some more.
	if steps < 20 || steps > 40 {
		t.Errorf("after %d steps the robot is at %v, want it at [500 511.9] after 20 to 40", steps, out)
	}
	if err := g.Next(out, []float32{498, 510}); err != nil || math.Abs(float64(out[0])-498) > 1e-4 {
		t.Errorf("an allowed action comes back as %v, %v", out, err)
	}
}

// TestCertifyFindsExcess moves single commands out of limits that the others keep.
func TestCertifyFindsExcess(t *testing.T) {
	l := Limits{Min: []float64{0, 0}, Max: []float64{10, 10}, Groups: [][]int{{0, 1}}, Speed: []float64{1}, Acceleration: []float64{0.9}}
	for name, c := range map[string]struct {
		commands []float32
		ok       bool
	}{
		"kept":         {[]float32{5.5, 5.5, 6, 6}, true},
		"box":          {[]float32{5.5, 5.5, 10.00001, 6}, false},
		"speed":        {[]float32{5.5, 5.5, 6.21, 6.21}, false},
		"acceleration": {[]float32{5.6, 5.6, 5.2, 5}, false},
		"nan":          {[]float32{float32(math.NaN()), 5}, false},
		"none":         {nil, false},
	} {
		got, err := l.Certify([]float32{5, 5}, c.commands)
		if err != nil || got.Certified != c.ok {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestLimitsRefused(t *testing.T) {
	nan := math.NaN()
	for name, l := range map[string]Limits{
		"none": {}, "other lengths": {Min: []float64{0}, Max: []float64{1, 2}}, "exchanged": {Min: []float64{1}, Max: []float64{0}},
		"infinite": {Min: []float64{0}, Max: []float64{math.Inf(1)}}, "nan": {Min: []float64{nan}, Max: []float64{1}},
		"group": {Min: []float64{0}, Max: []float64{1}, Groups: [][]int{{0, 1}}}, "twice": {Min: []float64{0, 0}, Max: []float64{1, 1}, Groups: [][]int{{0}, {0, 1}}},
		"empty group": {Min: []float64{0}, Max: []float64{1}, Groups: [][]int{{}}}, "speeds": {Min: []float64{0}, Max: []float64{1}, Speed: []float64{1, 1}},
		"negative": {Min: []float64{0}, Max: []float64{1}, Speed: []float64{-1}}, "too slow": {Min: []float64{0}, Max: []float64{1000}, Speed: []float64{1e-6}},
		"no room": {Min: []float64{1e8 + 1}, Max: []float64{1e8 + 2}},
	} {
		var e *LimitError
		if _, err := NewGovernor(l); !errors.As(err, &e) {
			t.Errorf("%s: %v, want a *LimitError", name, err)
		}
	}
	g, err := NewGovernor(Limits{Min: []float64{0}, Max: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	var e *StartError
	if err := g.Start([]float32{1.5}); !errors.As(err, &e) {
		t.Errorf("a start outside the box: %v, want a *StartError", err)
	}
}

// chunks is how many chunks [TestActorsKeepLimits] takes; 100000 take some minutes.
var chunks = flag.Int("chunks", 300, "chunks that are drawn from a policy that is told nonsense")

// TestActorsKeepLimits tells a policy what no robot sees, draws chunks from it, and judges the
// commands: of every policy that reads numbers alone, within random limits.
func TestActorsKeepLimits(t *testing.T) {
	r, refused := rand.New(rand.NewPCG(3, 4)), 0
	for drawn := 0; drawn < *chunks; {
		name := []string{"a_env", "b_env", "c_env", "c_quantiles"}[r.IntN(4)]
		p := open(t, goldenFolder+"/"+name, Options{Workers: 1})
		l := randomLimits(r)
		for l.size() != p.config.Action.Size() {
			l = randomLimits(r)
		}
		a, err := NewActor(p, Sampling{Scheduler: "DDIM", Steps: 1 + r.IntN(3), Seed: r.Uint64()}, &l)
		if err != nil {
			t.Fatal(err)
		}
		start := make([]float32, l.size())
		for i := range start {
			start[i] = float32(l.Min[i] + (l.Max[i]-l.Min[i])*(0.001+0.998*r.Float64()))
		}
		if err := a.Start(start); err != nil {
			t.Fatal(err)
		}
		var all []float32
		for a.Plans() < min(200, *chunks-drawn) {
			command, err := a.Act(t.Context(), nonsense(r, p))
			var e *ObservationError
			var lost *pcd.StepError                          // the network has overflowed
			if errors.As(err, &e) || errors.As(err, &lost) { // no command is given for it
				refused++
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, command...)
		}
		drawn += a.Plans()
		c, err := l.Certify(start, all)
		if err != nil || !c.Certified || c.Commands*l.size() != len(all) {
			t.Fatalf("%s: limits %+v: certificate %+v, %v", name, l, c, err)
		}
	}
	if refused == 0 {
		t.Error("no observation was far enough from those of the training to be refused")
	}
}

// nonsense is an observation of numbers of any size.
func nonsense(r *rand.Rand, p *Policy) Observation {
	o, size := Observation{Vectors: map[string][]float32{}}, math.Pow(10, float64(r.IntN(39)))
	for _, f := range p.config.told() {
		v := make([]float32, f.Size())
		for i := range v {
			v[i] = float32(r.NormFloat64() * size)
		}
		o.Vectors[f.Key] = v
	}
	return o
}

// TestActorsForgetWhatCannotBeUsed gives broken observations between good ones: they are refused
// when they come, also while actions are left, and the robot goes on after them.
func TestActorsForgetWhatCannotBeUsed(t *testing.T) {
	p := open(t, goldenFolder+"/c_env", Options{Workers: 1})
	good := func() Observation {
		return Observation{Vectors: map[string][]float32{stateKey: {1, 2, 3}, environmentKey: make([]float32, 16)}}
	}
	actors := make([]*Actor, 2)
	for i := range actors {
		var err error
		if actors[i], err = NewActor(p, Sampling{Scheduler: "DDIM", Steps: 2}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 * p.config.ActionSteps {
		for _, broken := range []float32{float32(math.NaN()), math.MaxFloat32} {
			o := good()
			o.Vectors[stateKey][i%3] = broken
			var e *ObservationError
			if _, err := actors[0].Act(t.Context(), o); !errors.As(err, &e) {
				t.Fatalf("call %d: %v, want an *ObservationError for a state of %g", i, err, broken)
			}
		}
		a, err := actors[0].Act(t.Context(), good())
		b, other := actors[1].Act(t.Context(), good())
		if err != nil || other != nil || !slices.Equal(a, b) {
			t.Fatalf("call %d: %v, %v; %v after broken observations, %v without", i, a, err, b, other)
		}
	}
}

// TestNoCommandBeforeTheStart wants no command for a robot of which nobody knows where it is, or that
// cannot begin there: it would be counted from 0, outside the box here.
func TestNoCommandBeforeTheStart(t *testing.T) {
	p := open(t, copyOf(t, "c_env").dir, Options{})
	l := Limits{Min: []float64{100, 100}, Max: []float64{400, 400}, Speed: []float64{5, 5}}
	a, err := NewActor(p, Sampling{Scheduler: "DDIM", Steps: 1}, &l)
	if err != nil {
		t.Fatal(err)
	}
	seen := Observation{Vectors: map[string][]float32{stateKey: {0, 0, 0}, environmentKey: make([]float32, 16)}}
	refused := func(when string) {
		t.Helper()
		var e *LimitError
		if action, err := a.Act(t.Context(), seen); action != nil || !errors.As(err, &e) || e.Limit != "start" {
			t.Errorf("%s: Act = %v, %v, want a *LimitError about the start and no action", when, action, err)
		}
	}
	refused("before the start")
	if err := a.Start([]float32{200, 300}); err != nil {
		t.Fatal(err)
	}
	if action, err := a.Act(t.Context(), seen); err != nil || action[0] < 195 || action[0] > 205 {
		t.Errorf("after the start: Act = %v, %v, want an action by (200, 300)", action, err)
	}
	var e *StartError
	if err := a.Start([]float32{0, 0}); !errors.As(err, &e) {
		t.Errorf("Start outside = %v, want a *StartError", err)
	}
	refused("after a start outside")
}

// A field that an actor is given serves every plan with noise of its own, as that of a seed does.
func TestActorsOfAField(t *testing.T) {
	p := open(t, goldenFolder+"/c_env", Options{Workers: 1})
	seen := Observation{Vectors: map[string][]float32{stateKey: {1, 2, 3}, environmentKey: make([]float32, 16)}}
	var drawn [2][][]float32 // by the seed, by its field
	for i, s := range []Sampling{{Seed: 5}, {Noise: noise.New(5)}} {
		s.Scheduler, s.Steps = "DDIM", 2
		a, err := NewActor(p, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for before := 0; a.Plans() < 3; before = a.Plans() {
			action, err := a.Act(t.Context(), seen)
			if err != nil {
				t.Fatal(err)
			}
			if a.Plans() > before {
				drawn[i] = append(drawn[i], action)
			}
		}
	}
	for k := range drawn[0] {
		if !slices.Equal(drawn[0][k], drawn[1][k]) {
			t.Errorf("plan %d of the field of a seed is not that of the seed", k)
		}
		if k > 0 && slices.Equal(drawn[1][k], drawn[1][0]) {
			t.Errorf("plan %d of a field is the first one again", k)
		}
	}
}
