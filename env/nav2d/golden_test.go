package nav2d_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/tensor"
)

var (
	_ cost.Cost = nav2d.ObstacleCost{}
	_ cost.Cost = nav2d.BoundaryCost{}
)

func TestGridAgainstReference(t *testing.T) {
	for _, m := range nav2d.Maps() {
		t.Run(m.Name, func(t *testing.T) {
			a := golden.Open(t, "testdata/sdf_"+m.Name+".npz")
			points, cells, ambiguous := a.Float32("points"), a.Ints("cell_index"), a.Ints("ambiguous_gradient")
			wantGrad := a.Float32("sdf_grid_grad")
			var value, analytic, grad, want []float64
			for k := 0; k < len(points); k += 2 {
				if i, j := m.Grid().Cell(points[k], points[k+1]); i != cells[k] || j != cells[k+1] {
					t.Errorf("Cell(%v, %v) = %d, %d, want %d, %d", points[k], points[k+1], i, j, cells[k], cells[k+1])
				}
				d, gx, gy := m.Grid().At(points[k], points[k+1])
				value = append(value, float64(d))
				exact, _ := m.Clearance(geom.Vec2{X: float64(points[k]), Y: float64(points[k+1])})
				analytic = append(analytic, min(exact, 1))
				if ambiguous[k/2] == 0 {
					grad = append(grad, float64(gx), float64(gy))
					want = append(want, float64(wantGrad[k]), float64(wantGrad[k+1]))
				}
			}
			golden.Close(t, "value", value, a.Float64("sdf_grid_value"), 2e-6, 1e-5)
			golden.Close(t, "gradient", grad, want, 2e-6, 1e-5)
			golden.Close(t, "exact distance", analytic, a.Float64("sdf_analytic"), 2e-6, 1e-5)
			testGridNodes(t, m, a)
		})
	}
}

func testGridNodes(t *testing.T, m *nav2d.Map, a *golden.Archive) {
	nodes := a.Ints("grid_index")
	var value []float64
	for _, i := range nodes {
		for _, j := range nodes {
			value = append(value, float64(atNode(m, i, j)[0]))
		}
	}
	golden.Close(t, "nodes", value, a.Float64("grid_sub_sdf"), 2e-6, 1e-5)
}

// atNode returns distance and gradient of a grid node through the lookup, at the
// middle of the cell that the node's value serves.
func atNode(m *nav2d.Map, i, j int) [3]float32 {
	d, gx, gy := m.Grid().At((float32(i)+0.5)/200-1, (float32(j)+0.5)/200-1)
	return [3]float32{d, gx, gy}
}

func TestGridChecksums(t *testing.T) {
	if testing.Short() {
		t.Skip("only the drawing of demonstrations has goroutines, which another test watches")
	}
	var want map[string]map[string]any
	readJSON(t, "testdata/sdf_checksums.json", &want)
	for _, m := range nav2d.Maps() {
		got := map[string]float64{"min": math.Inf(1), "max": math.Inf(-1)}
		for i := range 400 {
			for j := range 400 {
				v := atNode(m, i, j)
				d, gx, gy := float64(v[0]), float64(v[1]), float64(v[2])
				got["sum"] += d
				got["sum_sq"] += d * d
				got["min"], got["max"] = min(got["min"], d), max(got["max"], d)
				got["sum_abs_grad"] += math.Abs(gx) + math.Abs(gy)
				for name, below := range map[string]float64{"count_negative": 0, "count_below_0_105": 0.105, "count_below_0_05": 0.05} {
					if d < below {
						got[name]++
					}
				}
			}
		}
		tolerance := map[string]float64{"sum_abs_grad": 2e-3}
		for name, g := range got {
			w := want[m.Name][name].(float64)
			rtol, atol := 1e-5, 1e-6
			if r, ok := tolerance[name]; ok {
				rtol = r
			}
			if len(name) > 5 && name[:5] == "count" {
				atol = 8
			}
			if math.Abs(g-w) > atol+rtol*math.Abs(w) {
				t.Errorf("%s: %s = %v, want %v", m.Name, name, g, w)
			}
		}
	}
}

func TestCollisionCostsAgainstReference(t *testing.T) {
	for _, m := range nav2d.Maps() {
		t.Run(m.Name, func(t *testing.T) {
			a := golden.Open(t, "testdata/collision_"+m.Name+".npz")
			y, err := tensor.Of(a.Float32("y"), 64, 2)
			if err != nil {
				t.Fatal(err)
			}
			margin := nav2d.GuideMargin(nav2d.RobotRadius)
			for name, c := range map[string]cost.Cost{
				"obstacle": nav2d.ObstacleCost{Map: m, Margin: margin},
				"boundary": nav2d.BoundaryCost{Map: m, Margin: margin},
			} {
				if err := c.Check([]tensor.Shape{y.Shape}); err != nil {
					t.Fatal(err)
				}
				value, grad := make([]float64, y.N), tensor.New(y.N, 64, 2)
				if err := c.Add(context.Background(), value, []tensor.Batch{grad}, []tensor.Batch{y}, 1); err != nil {
					t.Fatal(err)
				}
				golden.Close(t, name+" cost", value, a.Float64(name+"_cost"), 1e-5, 1e-4)
				golden.Close(t, name+" gradient", grad.Data, a.Float32(name+"_grad"), 1e-5, 1e-4)
			}
			for name, margin := range map[string]float64{"occupancy_margin_0_05": 0.05, "occupancy_default_margin": margin} {
				for k, want := range a.Ints(name) {
					if got := m.Occupied(y.Data[2*k], y.Data[2*k+1], float32(margin)); got != (want != 0) {
						t.Errorf("%s: Occupied(%v, %v) = %v", name, y.Data[2*k], y.Data[2*k+1], got)
					}
				}
			}
		})
	}
}

// The trajectories of the metrics case hold the adherence scores of all four
// patterns and the planner's collision test.
func TestAdherenceAndPathTestAgainstReference(t *testing.T) {
	for _, m := range nav2d.Maps() {
		t.Run(m.Name, func(t *testing.T) {
			a := golden.Open(t, "../../internal/metric/nav2d/testdata/metrics_"+m.Name+".npz")
			trajectories, err := tensor.Of(a.Float32("trajs"), 64, 4)
			if err != nil {
				t.Fatal(err)
			}
			original := m.Pattern // differs on the empty map only
			if _, ok := original.(nav2d.Straight); ok {
				original = nav2d.Straight{Absolute: true}
			}
			var adherence, originalAdherence []float64
			free := a.Ints("free_with_5_interpolants")
			var path []geom.Vec2
			for k := range trajectories.N {
				path = geom.Points(path, trajectories.Sample(k), 4)
				adherence = append(adherence, m.Pattern.Adherence(path))
				originalAdherence = append(originalAdherence, original.Adherence(path))
				if got := m.PathFree(path, nav2d.RobotRadius); got != (free[k] != 0) {
					t.Errorf("trajectory %d: PathFree = %v, want %v", k, got, !got)
				}
			}
			golden.Close(t, "adherence", adherence, a.Float64("data_adherence"), 1e-6, 0)
			golden.Close(t, "adherence of the original authors", originalAdherence, a.Float64("data_adherence_upstream_single"), 1e-6, 0)
		})
	}
}

func readJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
}
