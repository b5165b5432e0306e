package lawtest

import (
	"context"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/tensor"
)

// CostOptions says where and how closely a cost is tested. The zero value evaluates 7
// tuples of standard normals.
type CostOptions struct {
	Tuples    int     // tuples of the test batch; 0 is 7
	Scale     float64 // standard deviation of the elements; 0 is 1
	Step      float64 // central-difference step; 0 is 1/1024
	Tolerance float64 // of a directional derivative, relative to its size; 0 is 1e-4
	// Arguments replaces the standard normals, for costs that are flat or kinked
	// there: it fills tuple k.
	Arguments func(k int, x [][]float32)
}

func (o CostOptions) withDefaults() CostOptions {
	if o.Tuples == 0 {
		o.Tuples = 7
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	if o.Step == 0 {
		o.Step = 1.0 / 1024
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	return o
}

// Cost checks every law of the cost's contract as subtests, for variables of the
// given shapes.
func Cost(t *testing.T, c cost.Cost, shapes []tensor.Shape, opts CostOptions) {
	t.Helper()
	s := costSuite{cost: c, opts: opts.withDefaults()}
	if err := c.Check(shapes); err != nil {
		t.Fatalf("Check(%v) = %v, want nil", shapes, err)
	}
	s.arguments(shapes)
	t.Run("arity", func(t *testing.T) { arity(t, c, shapes) })
	t.Run("gradient", s.gradient)
	t.Run("adds", s.adds)
	t.Run("rows independent", s.rows)
	if sym, ok := c.(cost.Symmetric); ok && sym.Symmetric() {
		t.Run("symmetric", s.symmetric)
	}
}

type costSuite struct {
	cost cost.Cost
	opts CostOptions
	x    []tensor.Batch
}

func (s *costSuite) arguments(shapes []tensor.Shape) {
	for i, shape := range shapes {
		s.x = append(s.x, s.normals(i, shape, s.opts.Scale))
	}
	if s.opts.Arguments == nil {
		return
	}
	for k := range s.opts.Tuples {
		tuple := make([][]float32, len(s.x))
		for i := range s.x {
			tuple[i] = s.x[i].Sample(k)
		}
		s.opts.Arguments(k, tuple)
	}
}

func (s *costSuite) normals(variable int, shape tensor.Shape, scale float64) tensor.Batch {
	b := tensor.New(s.opts.Tuples, shape...)
	noise.New(1).Normal(b.Data, b.Size(), noise.Address{Variable: variable})
	for i := range b.Data {
		b.Data[i] *= float32(scale)
	}
	return b
}

// eval returns values and gradients of the given arguments.
func (s *costSuite) eval(t *testing.T, x []tensor.Batch, weight float64) ([]float64, []tensor.Batch) {
	t.Helper()
	value, grad := make([]float64, x[0].N), zerosLike(x)
	if err := s.cost.Add(context.Background(), value, grad, x, weight); err != nil {
		t.Fatal(err)
	}
	return value, grad
}

func zerosLike(x []tensor.Batch) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, b := range x {
		out[i] = tensor.New(b.N, b.Shape...)
		out[i].First = b.First
	}
	return out
}

func clone(x []tensor.Batch) []tensor.Batch {
	out := make([]tensor.Batch, len(x))
	for i, b := range x {
		out[i] = b.Clone()
	}
	return out
}

func arity(t *testing.T, c cost.Cost, shapes []tensor.Shape) {
	if c.Check(nil) == nil {
		t.Error("Check of no variables = nil, want an error")
	}
	if len(shapes) == 1 && c.Check(append(slices.Clone(shapes), shapes[0])) == nil {
		t.Error("Check of one variable too many = nil, want an error")
	}
}

// gradient compares grad·d with central differences for random directions d.
func (s *costSuite) gradient(t *testing.T) {
	before := clone(s.x)
	value, grad := s.eval(t, s.x, 1)
	for i := range s.x {
		if !slices.Equal(before[i].Data, s.x[i].Data) {
			t.Fatal("the arguments were written")
		}
		if err := grad[i].CheckFinite(); err != nil {
			t.Errorf("gradient of variable %d: %v", i, err)
		}
	}
	for k := range 4 {
		plus, minus, dirs := clone(s.x), clone(s.x), make([]tensor.Batch, len(s.x))
		for i := range s.x {
			dirs[i] = s.normals(10+10*k+i, s.x[i].Shape, 1)
			for j, d := range dirs[i].Data {
				h := float32(s.opts.Step) * d
				plus[i].Data[j] += h
				minus[i].Data[j] -= h
			}
		}
		up, _ := s.eval(t, plus, 1)
		down, _ := s.eval(t, minus, 1)
		for r := range value {
			// The step that float32 arguments really took is known exactly.
			product, size := 0.0, math.Abs(value[r])*1e-3
			for i := range s.x {
				for j, g := range grad[i].Sample(r) {
					h := float64(plus[i].Sample(r)[j]) - float64(minus[i].Sample(r)[j])
					product += float64(g) * h
					size += math.Abs(float64(g) * h)
				}
			}
			if want := up[r] - down[r]; math.Abs(product-want) > s.opts.Tolerance*size+1e-12 {
				t.Errorf("tuple %d, direction %d: gradient says %v, difference of values is %v", r, k, product, want)
			}
		}
	}
}

// adds checks that Add adds, that the weight scales, and that value and gradient
// can be left out.
func (s *costSuite) adds(t *testing.T) {
	value, grad := s.eval(t, s.x, 1)
	sum, slopes := s.eval(t, s.x, 1)
	if err := s.cost.Add(context.Background(), sum, nil, s.x, 0.5); err != nil {
		t.Fatal(err)
	}
	if err := s.cost.Add(context.Background(), nil, slopes, s.x, 0.5); err != nil {
		t.Fatal(err)
	}
	for r, v := range value {
		if math.Abs(sum[r]-1.5*v) > 1e-9*(1+math.Abs(v)) {
			t.Errorf("tuple %d: value %v after adding 1 and 0.5 times %v", r, sum[r], v)
		}
	}
	for i := range grad {
		for j, g := range grad[i].Data {
			if math.Abs(float64(slopes[i].Data[j]-1.5*g)) > 1e-4*(1e-3+math.Abs(float64(g))) {
				t.Fatalf("variable %d, element %d: gradient %v after adding 1 and 0.5 times %v", i, j, slopes[i].Data[j], g)
			}
		}
	}
}

func (s *costSuite) rows(t *testing.T) {
	value, grad := s.eval(t, s.x, 1)
	var wg sync.WaitGroup
	for lo := range value {
		hi := min(lo+2, len(value))
		wg.Go(func() {
			part := make([]tensor.Batch, len(s.x))
			for i, b := range s.x {
				part[i] = b.Rows(lo, hi)
			}
			v, g := make([]float64, hi-lo), zerosLike(part)
			if err := s.cost.Add(context.Background(), v, g, part, 1); err != nil {
				t.Error(err)
				return
			}
			if !slices.Equal(v, value[lo:hi]) {
				t.Errorf("tuples %d to %d: values %v, in the whole batch %v", lo, hi, v, value[lo:hi])
			}
			for i := range g {
				if !slices.Equal(g[i].Data, grad[i].Rows(lo, hi).Data) {
					t.Errorf("tuples %d to %d: gradient of variable %d differs from that in the whole batch", lo, hi, i)
				}
			}
		})
	}
	wg.Wait()
}

func (s *costSuite) symmetric(t *testing.T) {
	value, grad := s.eval(t, s.x, 1)
	n := len(s.x)
	rotated := make([]tensor.Batch, n)
	for i := range rotated {
		rotated[i] = s.x[(i+1)%n]
	}
	v, g := s.eval(t, rotated, 1)
	for r := range value {
		if math.Abs(v[r]-value[r]) > 1e-9*(1+math.Abs(value[r])) {
			t.Errorf("tuple %d: value %v, after a rotation of the variables %v", r, value[r], v[r])
		}
	}
	for i := range g {
		for j, u := range g[i].Data {
			want := grad[(i+1)%n].Data[j]
			if math.Abs(float64(u-want)) > 1e-4*(1e-2+math.Abs(float64(want))) {
				t.Fatalf("variable %d, element %d: gradient %v, after a rotation of the variables %v", i, j, want, u)
			}
		}
	}
}
