package cost_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// disc is the signed distance of a disc.
type disc struct{ x, y, r float64 }

func (d disc) SignedDistance(x, y float64) (dist, gx, gy float64) {
	dx, dy := x-d.x, y-d.y
	n := math.Hypot(dx, dy)
	return n - d.r, dx / n, dy / n
}

// linearClassifier is a softmax of linear logits.
type linearClassifier struct{ weights [][]float64 }

func newLinearClassifier(classes, size int) linearClassifier {
	c := linearClassifier{}
	for k := range classes {
		w := make([]float32, size)
		noise.New(11).Normal(w, size, noise.Address{Variable: k})
		row := make([]float64, size)
		for i, v := range w {
			row[i] = float64(v)
		}
		c.weights = append(c.weights, row)
	}
	return c
}

func (c linearClassifier) Classes() int { return len(c.weights) }

func (c linearClassifier) softmax(x []float32) []float64 {
	p, sum := make([]float64, len(c.weights)), 0.0
	for k, w := range c.weights {
		l := 0.0
		for i, v := range x {
			l += w[i] * float64(v)
		}
		p[k] = math.Exp(l)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func (c linearClassifier) Probabilities(_ context.Context, dst, x tensor.Batch) error {
	for r := range x.N {
		for k, p := range c.softmax(x.Sample(r)) {
			dst.Sample(r)[k] = float32(p)
		}
	}
	return nil
}

func (c linearClassifier) VJP(_ context.Context, dst, x, cotangent tensor.Batch) error {
	for r := range x.N {
		p, cot := c.softmax(x.Sample(r)), cotangent.Sample(r)
		mean := 0.0
		for k := range p {
			mean += p[k] * float64(cot[k])
		}
		for i := range dst.Sample(r) {
			g := 0.0
			for k := range p {
				g += p[k] * (float64(cot[k]) - mean) * c.weights[k][i]
			}
			dst.Sample(r)[i] = float32(g)
		}
	}
	return nil
}

// counted is a classifier that counts how often it looks at samples, and can do with once.
type counted struct {
	linearClassifier
	looks *int
}

func (c counted) Probabilities(ctx context.Context, dst, x tensor.Batch) error {
	*c.looks++
	return c.linearClassifier.Probabilities(ctx, dst, x)
}

func (c counted) Linearize(ctx context.Context, dst, x tensor.Batch) (cost.Pull, error) {
	pull := func(ctx context.Context, dst, cotangent tensor.Batch) error {
		return c.linearClassifier.VJP(ctx, dst, x, cotangent)
	}
	return pull, c.Probabilities(ctx, dst, x)
}

// Costs look at every argument once, with the same gradient.
func TestOneLook(t *testing.T) {
	plain := newLinearClassifier(4, 6)
	for name, of := range map[string]func(cost.Classifier) cost.Cost{
		"XOR":        func(c cost.Classifier) cost.Cost { return cost.XOR{Classifier: c} },
		"likelihood": func(c cost.Classifier) cost.Cost { return cost.NegLogLikelihood{Classifier: c, Class: 2} },
	} {
		looks, n := 0, 1
		if name == "XOR" {
			n = 2
		}
		var x []tensor.Batch
		for v := range n {
			b := tensor.New(3, 6)
			noise.New(uint64(v)).Normal(b.Data, 6, noise.Address{})
			x = append(x, b)
		}
		value, grad := evaluate(t, of(counted{plain, &looks}), x)
		wantValue, want := evaluate(t, of(plain), x)
		if looks != n {
			t.Errorf("%s: %d looks at %d arguments", name, looks, n)
		}
		if !slices.Equal(value, wantValue) {
			t.Errorf("%s: other values: %v, want %v", name, value, wantValue)
		}
		if !slices.Equal(grad, want) {
			t.Errorf("%s: another gradient", name)
		}
	}
}

// product is a discriminator D = 1/(1+exp(-x·y)).
type product struct{}

func (product) Vars() int { return 2 }

func (product) Probability(_ context.Context, value []float64, grad, x []tensor.Batch) error {
	for r := range x[0].N {
		a, b := x[0].Sample(r), x[1].Sample(r)
		dot := 0.0
		for i := range a {
			dot += float64(a[i]) * float64(b[i])
		}
		d := 1 / (1 + math.Exp(-dot))
		value[r] = d
		for i := range a {
			if grad != nil {
				grad[0].Sample(r)[i] = float32(d * (1 - d) * float64(b[i]))
				grad[1].Sample(r)[i] = float32(d * (1 - d) * float64(a[i]))
			}
		}
	}
	return nil
}

func TestConformance(t *testing.T) {
	path, state, vector := tensor.Shape{8, 2}, tensor.Shape{8, 4}, tensor.Shape{6}
	classifier := newLinearClassifier(4, 6)
	for name, c := range map[string]struct {
		cost   cost.Cost
		shapes []tensor.Shape
		opts   lawtest.CostOptions
	}{
		"log barrier":           {cost.LogBarrier{Alpha: 0.1}, []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"log barrier, 1-D":      {cost.LogBarrier{Alpha: 1.5, Smoothing: 1e-6}, []tensor.Shape{{1}, {1}}, lawtest.CostOptions{}},
		"log barrier, state":    {cost.LogBarrier{Alpha: 0.1, Dims: 2}, []tensor.Shape{state, state}, lawtest.CostOptions{}},
		"squared hinge":         {cost.Hinge{Range: 1.5}, []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"cubic hinge, 3-D":      {cost.Hinge{Range: 2.5, Power: 3, Dims: 3}, []tensor.Shape{state, state}, lawtest.CostOptions{}},
		"DPP":                   {cost.DPP{}, []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"log cosine":            {cost.LogCosine{Epsilon: 1.1}, []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"obstacle":              {cost.Obstacle{Field: disc{0.1, -0.2, 0.8}, Margin: 0.3, First: 1}, []tensor.Shape{state}, lawtest.CostOptions{Scale: 0.5}},
		"speed":                 {cost.Smoothness{}, []tensor.Shape{path}, lawtest.CostOptions{}},
		"acceleration":          {cost.Smoothness{Order: 2, Dims: 2}, []tensor.Shape{state}, lawtest.CostOptions{}},
		"likelihood":            {cost.NegLogLikelihood{Classifier: classifier, Class: 2}, []tensor.Shape{vector}, lawtest.CostOptions{Tolerance: 3e-4}},
		"XOR":                   {cost.XOR{Classifier: classifier, Groups: [][]int{{0, 3}, {1, 2}}}, []tensor.Shape{vector, vector}, lawtest.CostOptions{Tolerance: 3e-4}},
		"rotated XOR":           {cost.XOR{Classifier: classifier, Groups: [][]int{{0}, {1, 2}, {3}}, Rotation: 1}, []tensor.Shape{vector, vector}, lawtest.CostOptions{Tolerance: 3e-4}},
		"XOR turned over":       {cost.XOR{Classifier: classifier, Groups: [][]int{{0, 3}, {1, 2}}, Rotation: -1}, []tensor.Shape{vector, vector}, lawtest.CostOptions{Tolerance: 3e-4}},
		"XOR of classes":        {cost.XOR{Classifier: classifier}, []tensor.Shape{vector, vector}, lawtest.CostOptions{Tolerance: 3e-4}},
		"density ratio":         {cost.DensityRatio{Discriminator: product{}}, []tensor.Shape{vector, vector}, lawtest.CostOptions{}},
		"sum":                   {cost.Sum(cost.Hinge{Range: 1}, cost.DPP{}), []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"scale":                 {cost.Scale(cost.LogBarrier{Alpha: 0.1}, -2.5), []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"pairwise":              {cost.Pairwise(cost.LogBarrier{Alpha: 0.1}), []tensor.Shape{path, path, path, path}, lawtest.CostOptions{}},
		"ring":                  {cost.Graph(cost.Hinge{Range: 2}, cost.Edge{I: 0, J: 1}, cost.Edge{I: 1, J: 2}, cost.Edge{I: 2, J: 0}), []tensor.Shape{path, path, path}, lawtest.CostOptions{}},
		"constant velocity":     {cost.ConstantVelocity{Step: 0.3, Sigma: 2}, []tensor.Shape{{9, 4}}, lawtest.CostOptions{}},
		"each":                  {cost.Each(cost.Smoothness{}, cost.Obstacle{Field: disc{0.1, -0.2, 0.8}, Margin: 0.3}), []tensor.Shape{path, state}, lawtest.CostOptions{Scale: 0.5}},
		"crowd":                 {cost.Crowd{Reach: []float64{0.9, 0.4, 1.2, 0.7}}, []tensor.Shape{state, state, state, state}, lawtest.CostOptions{}},
		"swept crowd":           {cost.NewSwept(cost.Crowd{Reach: []float64{0.9, 0.4, 1.2}}, 2), []tensor.Shape{path, path, path}, lawtest.CostOptions{}},
		"swept obstacle":        {cost.NewSwept(cost.Obstacle{Field: disc{0.1, -0.2, 0.8}, Margin: 0.3}, 1), []tensor.Shape{path}, lawtest.CostOptions{Scale: 0.5}},
		"swept by nothing":      {cost.Swept{Cost: cost.Hinge{Range: 1.5}}, []tensor.Shape{path, path}, lawtest.CostOptions{}},
		"function of a tuple":   {coordinateProduct, []tensor.Shape{vector, vector}, lawtest.CostOptions{}},
		"sum of a graph, timed": {cost.At(cost.Sum(cost.Pairwise(cost.LogCosine{})), 3), []tensor.Shape{vector, vector, vector}, lawtest.CostOptions{}},
	} {
		t.Run(name, func(t *testing.T) { lawtest.Cost(t, c.cost, c.shapes, c.opts) })
	}
}

var coordinateProduct = cost.Func{Name: "product", Vars: 2, Eval: func(grad, x [][]float32) float64 {
	if grad != nil {
		grad[0][0], grad[1][1] = x[1][1], x[0][0]
	}
	return float64(x[0][0]) * float64(x[1][1])
}}

// At its kinks every pair cost returns the zero element of its sub-differential.
func TestGradientAtKinks(t *testing.T) {
	same := []tensor.Batch{tensor.New(1, 3, 2), tensor.New(1, 3, 2)}
	for i := range same[0].Data {
		same[0].Data[i], same[1].Data[i] = 0.7, 0.7
	}
	zero := []tensor.Batch{tensor.New(1, 3, 2), same[1]}
	for name, c := range map[string]struct {
		cost  cost.Cost
		x     []tensor.Batch
		value float64
	}{
		"log barrier":        {cost.LogBarrier{Alpha: 0.1}, same, -3 * math.Log(0.1)},
		"hinge":              {cost.Hinge{Range: 0.5}, same, 3 * 0.25},
		"cubic hinge":        {cost.Hinge{Range: 0.5, Power: 3}, same, 3 * 0.125},
		"DPP":                {cost.DPP{}, same, -math.Log(1e-7)},
		"DPP of zero":        {cost.DPP{}, zero, 0},
		"log cosine of zero": {cost.LogCosine{Epsilon: 2}, zero, math.Log(2)},
	} {
		value, grad := evaluate(t, c.cost, c.x)
		if math.Abs(value[0]-c.value) > 1e-6 {
			t.Errorf("%s: value %v, want %v", name, value[0], c.value)
		}
		for i, g := range grad {
			if g != 0 {
				t.Errorf("%s: gradient element %d is %v, want 0", name, i, g)
			}
		}
	}
}

func TestXORMatchesTheTwoGroupForm(t *testing.T) {
	classifier := newLinearClassifier(5, 6)
	x := []tensor.Batch{tensor.New(4, 6), tensor.New(4, 6)}
	for i := range x {
		noise.New(2).Normal(x[i].Data, 6, noise.Address{Variable: i})
	}
	value, _ := evaluate(t, cost.XOR{Classifier: classifier, Groups: [][]int{{0, 1, 2}, {3, 4}}}, x)
	for r, v := range value {
		var young [2]float64
		for i := range x {
			p := classifier.softmax(x[i].Sample(r))
			young[i] = p[0] + p[1] + p[2]
		}
		p, q := young[0], young[1]
		if want := 2 - 2*(p+q-2*p*q); math.Abs(v-want) > 1e-6 {
			t.Errorf("tuple %d: %v, want %v", r, v, want)
		}
	}
}

func TestCheckNamesTheProblem(t *testing.T) {
	pair := []tensor.Shape{{4, 2}, {4, 2}}
	one := pair[:1]
	classifier := newLinearClassifier(3, 8)
	for name, c := range map[string]struct {
		cost   cost.Cost
		shapes []tensor.Shape
	}{
		"alpha":         {cost.LogBarrier{}, pair},
		"alpha NaN":     {cost.LogBarrier{Alpha: math.NaN()}, pair},
		"smoothing":     {cost.LogBarrier{Alpha: 1, Smoothing: -1}, pair},
		"dims":          {cost.LogBarrier{Alpha: 1, Dims: 3}, pair},
		"range":         {cost.Hinge{}, pair},
		"power":         {cost.Hinge{Range: 1, Power: 4}, pair},
		"floor":         {cost.DPP{Floor: 2}, pair},
		"epsilon":       {cost.LogCosine{Epsilon: 0.5}, pair},
		"shapes":        {cost.DPP{}, []tensor.Shape{{4, 2}, {5, 2}}},
		"arity":         {cost.Obstacle{Field: disc{}, Margin: 1}, pair},
		"field":         {cost.Obstacle{Margin: 1}, one},
		"margin":        {cost.Obstacle{Field: disc{}, Margin: math.Inf(1)}, one},
		"order":         {cost.Smoothness{Order: 3}, one},
		"odd states":    {cost.ConstantVelocity{Step: 1}, []tensor.Shape{{4, 3}}},
		"no step":       {cost.ConstantVelocity{}, []tensor.Shape{{4, 4}}},
		"no deviation":  {cost.ConstantVelocity{Step: 1, Sigma: -1}, []tensor.Shape{{4, 4}}},
		"class":         {cost.NegLogLikelihood{Classifier: classifier, Class: 3}, one},
		"no classifier": {cost.XOR{}, pair},
		"groups":        {cost.XOR{Classifier: classifier, Groups: [][]int{{0, 1}, {1, 2}}}, pair},
		"edge":          {cost.Graph(cost.DPP{}, cost.Edge{I: 0, J: 2}), pair},
		"loop":          {cost.Graph(cost.DPP{}, cost.Edge{I: 1, J: 1}), pair},
		"each arity":    {cost.Each(cost.Smoothness{}), pair},
		"in each":       {cost.Each(cost.Smoothness{}, cost.Smoothness{Order: 5}), pair},
		"lone":          {cost.Pairwise(cost.DPP{}), one},
		"factor":        {cost.Scale(cost.DPP{}, math.NaN()), pair},
		"detached":      {cost.Detach(cost.DPP{}, 2), pair},
		"in a sum":      {cost.Sum(cost.DPP{}, cost.Hinge{}), pair},
		"no costs":      {cost.Sum(), one},
		"no edges":      {cost.Graph(cost.DPP{}), pair},
		"all free":      {cost.Obstacle{Field: disc{}, Margin: 1, First: 4}, one},
		"no function":   {cost.Func{Name: "mine", Vars: 2}, pair},
		"no critic":     {cost.DensityRatio{}, pair},
	} {
		err := c.cost.Check(c.shapes)
		var pe *cost.ParameterError
		var se *cost.ShapeError
		if !errors.As(err, &pe) && !errors.As(err, &se) {
			t.Errorf("%s: Check = %v, want a *ParameterError or *ShapeError", name, err)
		}
	}
}

// A path of which one waypoint is not free is kept away from obstacles there.
func TestLastWaypointMayBeTheFirst(t *testing.T) {
	if err := (cost.Obstacle{Field: disc{}, Margin: 1, First: 3}).Check([]tensor.Shape{{4, 2}}); err != nil {
		t.Error(err)
	}
}

// The sweep finds every pair that the double loop finds.
func TestCrowdIsThePairwiseHinge(t *testing.T) {
	const n = 24
	x := make([]tensor.Batch, n)
	reach := make([]float64, n)
	for i := range x {
		x[i], reach[i] = tensor.New(5, 16, 4), 0.15
		noise.New(3).Normal(x[i].Data, 64, noise.Address{Variable: i})
		copy(x[i].Sample(2), x[0].Sample(2)) // all in one place
	}
	value, grad := evaluate(t, cost.Crowd{Reach: reach}, x)
	wantValue, wantGrad := evaluate(t, cost.Pairwise(cost.Hinge{Range: 0.3, Dims: 2}), x)
	golden.Close(t, "value", value, wantValue, 0, 1e-12)
	golden.Close(t, "gradient", grad, wantGrad, 1e-6, 1e-6)
}

func BenchmarkCrowd(b *testing.B) {
	for _, n := range []int{4, 16, 64} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, grad, reach := make([]tensor.Batch, n), make([]tensor.Batch, n), make([]float64, n)
			for i := range x {
				x[i], grad[i], reach[i] = tensor.New(16, 64, 4), tensor.New(16, 64, 4), 0.15
				noise.New(1).Normal(x[i].Data, 256, noise.Address{Variable: i})
			}
			for b.Loop() {
				if err := (cost.Crowd{Reach: reach}).Add(context.Background(), nil, grad, x, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPairwiseHinge(b *testing.B) {
	x := make([]tensor.Batch, 4)
	grad := make([]tensor.Batch, 4)
	for i := range x {
		x[i], grad[i] = tensor.New(128, 64, 4), tensor.New(128, 64, 4)
		noise.New(1).Normal(x[i].Data, 256, noise.Address{Variable: i})
	}
	c := cost.Pairwise(cost.Hinge{Range: 0.3, Dims: 2})
	for b.Loop() {
		if err := c.Add(context.Background(), nil, grad, x, 1); err != nil {
			b.Fatal(err)
		}
	}
}

// Moving on at a constant velocity costs nothing, and a step of pure acceleration
// a costs (12/4 - 6 + 4) a²·Step = a²·Step.
func TestConstantVelocityOfKnownMotions(t *testing.T) {
	const dt, a = 0.25, 0.5
	x, err := tensor.Of([]float32{
		0, 1, 2, 3, // position 0, 1 with velocity 2, 3
		0.5, 1.75, 2, 3,
		1, 2.5, 2, 3,

		0, 0, 0, 0, // a along the first axis for one step
		a * dt * dt / 2, 0, a * dt, 0,
		a * dt * dt * 1.5, 0, a * dt, 0,
	}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	value, _ := evaluate(t, cost.ConstantVelocity{Step: dt}, []tensor.Batch{x})
	golden.Close(t, "values", value, []float64{0, a * a * dt}, 1e-12, 0)
}
