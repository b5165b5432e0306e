package metric_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/internal/metric"
)

func pathOf(flat []float64) (p []geom.Vec2) {
	for i := 0; i < len(flat); i += 2 {
		p = append(p, geom.Vec2{X: flat[i], Y: flat[i+1]})
	}
	return p
}

func randomPath(r *rand.Rand, n int) (p []geom.Vec2) {
	for range n {
		p = append(p, geom.Vec2{X: r.NormFloat64(), Y: r.NormFloat64()})
	}
	return p
}

func TestDistancesAgainstReference(t *testing.T) {
	a := golden.Open(t, "testdata/pusht_distances.npz")
	for _, h := range []int{3, 8, 16} {
		get := func(name string) []float64 { return a.Float64(fmt.Sprintf("%s_H%d", name, h)) }
		x, y := get("a"), get("b")
		var sum, leash []float64
		for i := 0; i < len(x); i += 2 * h {
			p, q := pathOf(x[i:i+2*h]), pathOf(y[i:i+2*h])
			sum = append(sum, metric.DTW(p, q))
			leash = append(leash, metric.Frechet(p, q))
		}
		golden.Close(t, "DTW", sum, get("dtw"), 1e-10, 1e-10)
		golden.Close(t, "Fréchet", leash, get("frechet"), 1e-10, 1e-10)
	}
}

func TestPublishedDistances(t *testing.T) {
	var a, b []geom.Vec2
	for h := range 8 {
		h := float64(h)
		a = append(a, geom.Vec2{X: math.Sin(0.3 * h), Y: math.Cos(0.3 * h)})
		b = append(b, geom.Vec2{X: math.Sin(0.25*h+0.3) + 0.1, Y: math.Cos(0.4 * h)})
	}
	if got := metric.DTW(a, b); math.Abs(got-1.85010625) > 5e-9 {
		t.Errorf("DTW = %.8f, want 1.85010625", got)
	}
	if got := metric.Frechet(a, b); math.Abs(got-0.45465585) > 5e-9 {
		t.Errorf("Frechet = %.8f, want 0.45465585", got)
	}
}

// every calls f with the distances along each way to walk two paths from (i, j) to
// their ends.
func every(a, b []geom.Vec2, i, j int, way []float64, f func([]float64)) {
	way = append(way, a[i].Dist(b[j]))
	if i == len(a)-1 && j == len(b)-1 {
		f(way)
		return
	}
	for _, s := range [3][2]int{{1, 1}, {1, 0}, {0, 1}} {
		if i+s[0] < len(a) && j+s[1] < len(b) {
			every(a, b, i+s[0], j+s[1], way, f)
		}
	}
}

func TestDistancesAgainstEnumeration(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		a, b := randomPath(r, 1+r.IntN(5)), randomPath(r, 1+r.IntN(5))
		sum, leash := math.Inf(1), math.Inf(1)
		every(a, b, 0, 0, nil, func(way []float64) {
			total, longest := 0.0, 0.0
			for _, d := range way {
				total, longest = total+d, max(longest, d)
			}
			sum, leash = min(sum, total), min(leash, longest)
		})
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"DTW", metric.DTW(a, b), sum}, {"Frechet", metric.Frechet(a, b), leash}} {
			if math.Abs(c.got-c.want) > 1e-12 {
				t.Fatalf("%s(%v, %v) = %v, want %v", c.name, a, b, c.got, c.want)
			}
		}
	}
}

func TestDistanceIdentities(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		a, b := randomPath(r, 90), randomPath(r, 70) // longer than the buffers on the stack
		if metric.DTW(a, a) != 0 || metric.Frechet(a, a) != 0 {
			t.Fatal("distance of a path from itself is not 0")
		}
		if d, e := metric.DTW(a, b), metric.DTW(b, a); math.Abs(d-e) > 1e-9 {
			t.Fatalf("DTW = %v one way, %v the other", d, e)
		}
		d := metric.Frechet(a, b)
		if e := metric.Frechet(b, a); d != e {
			t.Fatalf("Frechet = %v one way, %v the other", d, e)
		}
		if least := max(a[0].Dist(b[0]), a[89].Dist(b[69])); d < least || metric.DTW(a, b) < d {
			t.Fatalf("Frechet = %v, not between the ends (%v) and DTW (%v)", d, least, metric.DTW(a, b))
		}
	}
	if d := metric.DTW(nil, nil); d != 0 {
		t.Errorf("DTW of empty paths = %v", d)
	}
	if d := metric.Frechet(nil, nil); d != 0 {
		t.Errorf("Frechet of empty paths = %v", d)
	}
	one := []geom.Vec2{{X: 1}}
	for _, d := range []float64{metric.DTW(one, nil), metric.DTW(nil, one), metric.Frechet(one, nil), metric.Frechet(nil, one)} {
		if !math.IsInf(d, 1) {
			t.Errorf("distance from an empty path = %v, want +Inf", d)
		}
	}
}

func TestDistancesAllocateNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	a, b := randomPath(r, 8), randomPath(r, 8)
	if n := testing.AllocsPerRun(100, func() { metric.DTW(a, b); metric.Frechet(a, b) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDTW(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 6))
	x, y := randomPath(r, 8), randomPath(r, 8)
	for b.Loop() {
		metric.DTW(x, y)
	}
}
