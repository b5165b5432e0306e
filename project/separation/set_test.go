package separation_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/lawtest"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/project/separation"
	"github.com/go-pcd/pcd/tensor"
)

// crossing is a world of three robots that cross each other round a pillar, while a
// fourth disk drives through.
func crossing(waypoints int) *separation.Set {
	border := geom.Box{Min: geom.Vec2{X: -1.2, Y: -1.2}, Max: geom.Vec2{X: 1.2, Y: 1.2}}
	s := &separation.Set{World: separation.World{
		Robots: []separation.Robot{
			{Radius: 0.05, Step: 3.0 / float64(waypoints), Inset: 0.05},
			{Radius: 0.1, Step: 2.6 / float64(waypoints), Unit: [2]float64{1, 0.9}, Inset: 0.1},
			{Radius: 0.07, Inset: 0.07},
		},
		Obstacles: []geom.Convex{geom.Circle{Center: geom.Vec2{X: 0.1, Y: 0.1}, Radius: 0.1}.Convex()},
		Border:    &border,
		Margin:    0.01,
	}}
	mover := separation.Mover{Radius: 0.06}
	for h := range waypoints {
		mover.Path = append(mover.Path, geom.Vec2{X: 1 - 2*float64(h)/float64(waypoints-1), Y: -0.5})
	}
	s.Traffic = append(s.Traffic, mover)
	return s
}

var crossingEnds = [][2]geom.Vec2{{{X: -1, Y: 0}, {X: 1, Y: 0.02}}, {{X: 0.05, Y: -1}, {X: 0, Y: 1}}, {{X: -0.9, Y: -0.9}, {X: 0.8, Y: 0.9}}}

// drawCrossing draws paths between the ends: straight, bent, or noisy.
func drawCrossing(r *rand.Rand, x [][]float32) {
	amplitude := []float64{0, 0.02, 0.1}[r.IntN(3)]
	noise := []float64{0, 0.003}[r.IntN(2)]
	for i, ends := range crossingEnds {
		n := len(x[i]) / 4
		bend := geom.Vec2{X: amplitude * r.NormFloat64(), Y: amplitude * r.NormFloat64()}
		for h := range n {
			t := float64(h) / float64(n-1)
			q := ends[0].Lerp(ends[1], t).Add(bend.Scale(math.Sin(math.Pi * t)))
			if h > 0 && h < n-1 {
				q = q.Add(geom.Vec2{X: noise * r.NormFloat64(), Y: noise * r.NormFloat64()})
			}
			x[i][4*h], x[i][4*h+1] = float32(q.X), float32(q.Y)
			x[i][4*h+2], x[i][4*h+3] = float32(r.NormFloat64()), 7
		}
	}
}

// lawRows are the samples that laws are shown with. Goroutines share these as they do more.
func lawRows() int {
	if testing.Short() {
		return 3
	}
	return 12
}

func TestSetKeepsTheLawsOfJointSets(t *testing.T) {
	shape := tensor.Shape{32, 4}
	lawtest.Joint(t, lawtest.JointSuite{
		Joint: crossing(32), Shapes: []tensor.Shape{shape, shape, shape}, Input: drawCrossing,
		NotConvex: true, Rows: lawRows(), First: 5, Seed: 14,
	})
}

func drawnCrossing(seed uint64, n int) []tensor.Batch {
	r := rand.New(rand.NewPCG(seed, 1))
	out := []tensor.Batch{tensor.New(n, 32, 4), tensor.New(n, 32, 4), tensor.New(n, 32, 4)}
	for k := range n {
		drawCrossing(r, [][]float32{out[0].Sample(k), out[1].Sample(k), out[2].Sample(k)})
	}
	return out
}

func TestSetRefusesWhatHasNoProjection(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(s *separation.Set, x []tensor.Batch)
		want  error
	}{
		"starts in contact": {func(_ *separation.Set, x []tensor.Batch) { x[0].Data[0], x[0].Data[1] = -0.9, -0.85 }, project.ErrInfeasible},
		"goal in a pillar":  {func(_ *separation.Set, x []tensor.Batch) { x[2].Data[31*4], x[2].Data[31*4+1] = 0.1, 0.2 }, project.ErrInfeasible},
		"goal out of reach": {func(s *separation.Set, x []tensor.Batch) { s.Robots[0].Step = 0.06 }, project.ErrInfeasible},
		"goal outside":      {func(_ *separation.Set, x []tensor.Batch) { x[1].Data[31*4+1] = 1.15 }, project.ErrInfeasible},
		"negative radius":   {func(s *separation.Set, _ []tensor.Batch) { s.Robots[1].Radius = -1 }, new(separation.WorldError)},
		"clockwise polygon": {func(s *separation.Set, _ []tensor.Batch) {
			s.Obstacles[0].Core = geom.Polygon{{}, {Y: 0.1}, {X: 0.1}}
		}, new(separation.WorldError)},
		"short traffic": {func(s *separation.Set, _ []tensor.Batch) { s.Traffic[0].Path = s.Traffic[0].Path[1:] }, new(separation.WorldError)},
		"margin":        {func(s *separation.Set, _ []tensor.Batch) { s.Margin = math.NaN() }, new(separation.WorldError)},
	} {
		s, x := crossing(32), drawnCrossing(3, 1)
		c.spoil(s, x)
		before := x[0].Clone()
		_, err := s.Project(context.Background(), x, x)
		var we *separation.WorldError
		if c.want == project.ErrInfeasible && !errors.Is(err, project.ErrInfeasible) || c.want != project.ErrInfeasible && !errors.As(err, &we) {
			t.Errorf("%s: Project = %v, want %T", name, err, c.want)
		}
		for i, v := range before.Data {
			if x[0].Data[i] != v {
				t.Errorf("%s: element %d was written before the error", name, i)
				break
			}
		}
	}
}
