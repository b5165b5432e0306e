package cost

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

// Classifier gives the class probabilities of samples, and their derivative. It
// must be safe for concurrent use.
type Classifier interface {
	// Classes returns the number of classes.
	Classes() int
	// Probabilities writes the probabilities of every row of x to dst, whose shape
	// is {Classes}.
	Probabilities(ctx context.Context, dst, x tensor.Batch) error
	// VJP writes the product of the cotangent, of shape {Classes}, with the
	// Jacobian of the probabilities at every row of x to dst.
	VJP(ctx context.Context, dst, x, cotangent tensor.Batch) error
}

// Linearizer is implemented by a [Classifier] whose probabilities and their derivative share
// an evaluation: costs then look at samples once.
type Linearizer interface {
	Classifier
	// Linearize is Probabilities that also returns what VJP does at x, bit for bit, to be
	// called once.
	Linearize(ctx context.Context, dst, x tensor.Batch) (pull Pull, err error)
}

// Pull writes the product of every cotangent with the Jacobian of probabilities to dst.
type Pull = func(ctx context.Context, dst, cotangent tensor.Batch) error

// look writes the probabilities of the rows of x to p, and returns the product with their
// Jacobian, which is not to be called unless a gradient is wanted.
func look(ctx context.Context, c Classifier, p, x tensor.Batch, gradient bool) (Pull, error) {
	if l, ok := c.(Linearizer); ok && gradient {
		return l.Linearize(ctx, p, x)
	}
	pull := func(ctx context.Context, dst, cotangent tensor.Batch) error { return c.VJP(ctx, dst, x, cotangent) }
	return pull, c.Probabilities(ctx, p, x)
}

// smallestProbability keeps logarithms of probabilities and their slopes finite.
const smallestProbability = 1e-12

// NegLogLikelihood is the cost -ln p(Class | x) of classifier guidance, for one
// variable. Probabilities below 1e-12 count as that and have no gradient.
type NegLogLikelihood struct {
	Classifier Classifier
	Class      int
}

// Add implements [Cost].
func (c NegLogLikelihood) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	p := probabilitiesLike(x[0], c.Classifier)
	pull, err := look(ctx, c.Classifier, p, x[0], grad != nil)
	if err != nil {
		return err
	}
	cotangent := tensor.Batch{N: p.N, Shape: p.Shape, First: p.First, Data: make([]float32, len(p.Data))}
	for k := range p.N {
		likelihood := float64(p.Sample(k)[c.Class])
		if value != nil {
			value[k] -= weight * math.Log(max(likelihood, smallestProbability))
		}
		if likelihood >= smallestProbability {
			cotangent.Sample(k)[c.Class] = float32(-weight / likelihood)
		}
	}
	if grad == nil {
		return nil
	}
	return addPull(ctx, grad[0], cotangent, pull)
}

// Check implements [Cost].
func (c NegLogLikelihood) Check(shapes []tensor.Shape) error {
	const name = "negative log likelihood"
	if err := checkArity(name, shapes, 1); err != nil {
		return err
	}
	if c.Classifier == nil {
		return &parameterError{Cost: name, Name: "Classifier", Want: "a classifier"}
	}
	if n := c.Classifier.Classes(); c.Class < 0 || c.Class >= n {
		return &parameterError{Cost: name, Name: "Class", Value: float64(c.Class), Want: fmt.Sprintf("a class below %d", n)}
	}
	return nil
}

// XOR rewards two samples for belonging to different groups of classes. With the
// group probabilities p of x and q of y it is
//
//	c(x, y) = Σ_a 1 - p_a (1 - q_a) - q_a (1 - p_a)
//
// which lies in [0, 2] for two groups and differs from the paper's -Σ XOR by the
// number of groups. Source: PCD, image pairs.
type XOR struct {
	Classifier Classifier // of both variables
	Groups     [][]int    // classes that count as one; nil leaves every class alone
	// Rotation compares group a of x with group a - Rotation of y. With two groups, 1
	// rewards samples for belonging to the same one.
	Rotation int
}

// Add implements [Cost].
func (c XOR) Add(ctx context.Context, value []float64, grad, x []tensor.Batch, weight float64) error {
	var p, cotangents [2]tensor.Batch
	var pull [2]Pull
	for i := range p {
		p[i] = probabilitiesLike(x[i], c.Classifier)
		cotangents[i] = probabilitiesLike(x[i], c.Classifier)
		var err error
		if pull[i], err = look(ctx, c.Classifier, p[i], x[i], grad != nil); err != nil {
			return err
		}
	}
	groups := c.groups()
	for k := range p[0].N {
		v := 0.0
		for i, classes := range groups {
			others := groups[c.partner(i, len(groups))]
			a, b := groupProbability(p[0].Sample(k), classes), groupProbability(p[1].Sample(k), others)
			v += 1 - a*(1-b) - b*(1-a)
			for _, class := range classes {
				cotangents[0].Sample(k)[class] = float32(-weight * (1 - 2*b))
			}
			for _, class := range others {
				cotangents[1].Sample(k)[class] = float32(-weight * (1 - 2*a))
			}
		}
		if value != nil {
			value[k] += weight * v
		}
	}
	for i := range grad {
		if err := addPull(ctx, grad[i], cotangents[i], pull[i]); err != nil {
			return err
		}
	}
	return nil
}

// partner returns the group of y that group i of x is compared with.
func (c XOR) partner(i, n int) int { return ((i-c.Rotation)%n + n) % n }

// groups returns the groups, one per class by default.
func (c XOR) groups() [][]int {
	if c.Groups != nil {
		return c.Groups
	}
	groups := make([][]int, c.Classifier.Classes())
	for i := range groups {
		groups[i] = []int{i}
	}
	return groups
}

func groupProbability(p []float32, classes []int) float64 {
	sum := 0.0
	for _, c := range classes {
		sum += float64(p[c])
	}
	return sum
}

// Check implements [Cost].
func (c XOR) Check(shapes []tensor.Shape) error {
	const name = "XOR"
	if err := checkPair(name, shapes); err != nil {
		return err
	}
	if c.Classifier == nil {
		return &parameterError{Cost: name, Name: "Classifier", Want: "a classifier"}
	}
	var seen []int
	for _, class := range slices.Concat(c.Groups...) {
		if class < 0 || class >= c.Classifier.Classes() || slices.Contains(seen, class) {
			return &parameterError{Cost: name, Name: "Groups", Value: float64(class),
				Want: fmt.Sprintf("each class below %d at most once", c.Classifier.Classes())}
		}
		seen = append(seen, class)
	}
	return nil
}

// Symmetric implements [Symmetric]. A rotation is symmetric when it is its own
// inverse.
func (c XOR) Symmetric() bool {
	n := max(len(c.groups()), 1)
	return c.partner(0, n) == (n-c.partner(0, n))%n
}

// probabilitiesLike returns a batch for the class probabilities of x.
func probabilitiesLike(x tensor.Batch, c Classifier) tensor.Batch {
	p := tensor.New(x.N, c.Classes())
	p.First = x.First
	return p
}

// addPull adds a vector-Jacobian product to grad.
func addPull(ctx context.Context, grad, cotangent tensor.Batch, pull Pull) error {
	out := tensor.New(grad.N, grad.Shape...)
	out.First = grad.First
	if err := pull(ctx, out, cotangent); err != nil {
		return err
	}
	for i, v := range out.Data {
		grad.Data[i] += v
	}
	return nil
}
