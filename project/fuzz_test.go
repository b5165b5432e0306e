package project_test

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/internal/published"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// paths is the number of paths that TestHostilePaths draws. A million take a
// minute or two:
//
//	go test ./project -run TestHostilePaths -paths 1000000 -timeout 1h
var paths = flag.Int("paths", 20000, "number of paths that TestHostilePaths draws")

// hostile draws paths that are hard on a solver: coordinates from the smallest to
// the largest float32, repeated points, jumps, straight lines, points at the
// limit, and the size that they have.
func hostile(r *rand.Rand, n, dims int) (x []float32, scale float64) {
	scale = math.Pow(10, 78*r.Float64()-41)
	if r.IntN(3) > 0 {
		scale = math.Pow(10, 4*r.Float64()-2)
	}
	x = make([]float32, n*dims)
	at := make([]float64, dims)
	kind := r.IntN(6)
	for h := range n {
		for i := range dims {
			switch kind {
			case 0:
				at[i] = scale * r.NormFloat64()
			case 1:
				at[i] += scale * r.NormFloat64()
			case 2:
				at[i] += scale
			case 3:
				if r.IntN(n) == 0 {
					at[i] = scale * r.NormFloat64()
				}
			case 4:
				at[i] = scale * float64(r.IntN(3)-1)
			case 5:
				at[i] = scale * math.Pow(10, 12*r.Float64()-12) * float64(r.IntN(2))
			}
			x[h*dims+i] = float32(min(max(at[i], -math.MaxFloat32), math.MaxFloat32))
		}
	}
	return x, scale
}

// limitFor draws a limit that goes with a scale.
func limitFor(r *rand.Rand, scale float64) float64 {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return math.Pow(10, 76*r.Float64()-40)
	}
	return min(scale*math.Pow(10, 4*r.Float64()-3), math.MaxFloat64)
}

// verify holds a projection to the laws that hold for any input.
func verify(t *testing.T, s project.Projector, x tensor.Batch) {
	t.Helper()
	out := tensor.New(x.N, x.Shape...)
	r, err := s.Project(context.Background(), out, x)
	var infeasible *project.InfeasibleError
	if errors.As(err, &infeasible) {
		if !(infeasible.Violation > 0) {
			t.Fatalf("%v: violation %g, want a positive one", err, infeasible.Violation)
		}
		return
	}
	if err != nil {
		t.Fatalf("Project(%v) = %v", x.Data, err)
	}
	if err := out.CheckFinite(); err != nil {
		t.Fatalf("Project(%v) = %v: %v", x.Data, out.Data, err)
	}
	v := make([]float64, x.N)
	s.Violation(v, out)
	for k := range v {
		if v[k] > 0 || r.ViolationAfter > 0 {
			t.Fatalf("Project(%v) = %v violates %#v by %g; %+v", x.Sample(k), out.Sample(k), s, v[k], r)
		}
	}
	again := tensor.New(x.N, x.Shape...)
	if _, err := s.Project(context.Background(), again, out); err != nil {
		t.Fatalf("Project of a projection = %v", err)
	}
	for i, e := range again.Data {
		if math.Float32bits(e) != math.Float32bits(out.Data[i]) {
			t.Fatalf("projected twice: element %d is %v, was %v", i, e, out.Data[i])
		}
	}
}

// hostileBatch draws paths of one length, each of a kind and scale of its own.
func hostileBatch(r *rand.Rand, rows, dims int) (x, start, goal tensor.Batch, scale float64) {
	n := 1 + r.IntN(24)
	x, start, goal = tensor.New(rows, n, dims), tensor.New(rows, dims), tensor.New(rows, dims)
	for k := range rows {
		var data []float32
		data, scale = hostile(r, n+2, dims)
		copy(x.Sample(k), data)
		copy(start.Sample(k), data[n*dims:])
		copy(goal.Sample(k), data[(n+1)*dims:])
	}
	return x, start, goal, scale
}

// remembering is a SpeedLimit that starts from forces of any size, good or bad.
type remembering struct {
	*project.SpeedLimit
	r *rand.Rand
}

func (w remembering) Project(ctx context.Context, dst, x tensor.Batch) (project.Report, error) {
	memory := make([]float64, x.N*w.MemorySize(x.Shape))
	scale := math.Pow(10, 80*w.r.Float64()-40)
	for i := range memory {
		if memory[i] = scale * w.r.NormFloat64(); w.r.IntN(1000) == 0 {
			memory[i] = math.Inf(1)
		}
	}
	return w.ProjectFrom(ctx, dst, x, memory)
}

func TestHostilePaths(t *testing.T) {
	if testing.Short() {
		t.Skip("numbers of many paths, whose goroutines the laws watch")
	}
	r := rand.New(rand.NewPCG(11, 13))
	free, pinned := map[project.Status]int{}, map[project.Status]int{}
	for drawn := 0; drawn < *paths; {
		dims, kind := 1+r.IntN(3), r.IntN(3)
		rows := 1 + r.IntN(6)
		if kind == 1 {
			rows = 1 // a goal out of reach stops the batch
		}
		drawn += rows
		x, start, goal, scale := hostileBatch(r, rows, dims)
		limit := limitFor(r, scale)
		p := project.Path{Start: start}
		switch kind {
		case 0:
			s, err := project.NewAccelerationLimit(limit, p, tensor.Batch{})
			if err != nil {
				t.Fatal(err)
			}
			verify(t, s, x)
		case 1:
			p.Goal = goal
			fallthrough
		default:
			s, err := project.NewSpeedLimit(limit, p)
			if err != nil {
				t.Fatal(err)
			}
			verify(t, s, x)
			verify(t, remembering{s, r}, x)
			counts := free
			if kind == 1 {
				counts = pinned
			}
			for k := range rows {
				row := x.Rows(k, k+1)
				if rep, err := s.Project(context.Background(), row, row); err == nil {
					counts[rep.Status]++
				}
			}
		}
	}
	t.Logf("speed limits by status: %v, with goals %v", free, pinned)
}

// fuzzPath reads a path of a number of dimensions from fuzz data: the start and at
// least one waypoint.
func fuzzPath(data []byte, dims int) (x, start tensor.Batch, ok bool) {
	n := len(data) / 4 / dims
	if n < 2 || n > 200 {
		return x, start, false
	}
	v := make([]float32, n*dims)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if v[i]-v[i] != 0 {
			return x, start, false
		}
	}
	start = tensor.Batch{N: 1, Shape: tensor.Shape{dims}, Data: v[:dims]}
	x = tensor.Batch{N: 1, Shape: tensor.Shape{n - 1, dims}, Data: v[dims:]}
	return x, start, true
}

func seedPaths(f *testing.F) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		dims := 1 + r.IntN(3)
		v, scale := hostile(r, 2+r.IntN(12), dims)
		data := make([]byte, 4*len(v))
		for i, e := range v {
			binary.LittleEndian.PutUint32(data[4*i:], math.Float32bits(e))
		}
		f.Add(data, uint8(dims), limitFor(r, scale))
	}
}

func FuzzSpeedLimit(f *testing.F) {
	seedPaths(f)
	f.Fuzz(func(t *testing.T, data []byte, dims uint8, limit float64) {
		d := int(dims)%3 + 1
		x, start, ok := fuzzPath(data, d)
		if !ok {
			return
		}
		s, err := project.NewSpeedLimit(limit, project.Path{Start: start})
		var pe *project.ParameterError
		if errors.As(err, &pe) {
			return
		}
		verify(t, s, x)
		// The last waypoint as the goal of those before it.
		if x.Shape[0] > 1 {
			goal := tensor.Batch{N: 1, Shape: start.Shape, Data: x.Data[len(x.Data)-d:]}
			s, err := project.NewSpeedLimit(limit, project.Path{Start: start, Goal: goal})
			if err != nil {
				t.Fatal(err)
			}
			verify(t, s, x)
		}
	})
}

func FuzzAccelerationLimit(f *testing.F) {
	seedPaths(f)
	f.Fuzz(func(t *testing.T, data []byte, dims uint8, limit float64) {
		x, start, ok := fuzzPath(data, int(dims)%3+1)
		if !ok {
			return
		}
		s, err := project.NewAccelerationLimit(limit, project.Path{Start: start}, tensor.Batch{})
		var pe *project.ParameterError
		if errors.As(err, &pe) {
			return
		}
		verify(t, s, x)
	})
}

func FuzzADMM(f *testing.F) {
	seedPaths(f)
	f.Fuzz(func(t *testing.T, data []byte, dims uint8, limit float64) {
		x, start, ok := fuzzPath(data, int(dims)%3+1)
		if !ok {
			return
		}
		s, err := published.NewADMM(limit, project.Path{Start: start}, published.ADMMNav2D)
		if err != nil {
			return
		}
		r, err := s.Project(context.Background(), tensor.New(1, x.Shape...), x)
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == project.Converged && r.ViolationAfter > 0 {
			t.Fatalf("converged with a violation: %+v", r)
		}
	})
}
