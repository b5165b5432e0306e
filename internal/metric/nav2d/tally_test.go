package nav2d_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/metric/nav2d"
)

// randomTrials judges nothing: it makes up judgements of 3 robots.
func randomTrials(count, samples int) [][]nav2d.Sample {
	r := rand.New(rand.NewPCG(1, 2))
	out := make([][]nav2d.Sample, count)
	for i := range out {
		for range samples {
			s := nav2d.Sample{Meeting: r.IntN(2), Contacts: r.IntN(5)}
			for range 3 {
				s.Hit = append(s.Hit, r.IntN(4) == 0)
				s.Adherence = append(s.Adherence, r.Float64())
				s.TopSpeed = append(s.TopSpeed, 2*r.Float64())
			}
			out[i] = append(out[i], s)
		}
	}
	out[count/2] = []nav2d.Sample{nav2d.NoResult(3)}
	return out
}

// TestTallyGoesOn stops a tally after every trial, writes it to JSON and goes on
// with what is read: the summary is that of all trials at once.
func TestTallyGoesOn(t *testing.T) {
	trials, limits := randomTrials(9, 7), []float64{1, 1.2, 1.4}
	var tally nav2d.Tally
	for _, trial := range trials {
		tally.Add(trial, limits)
		text, err := json.Marshal(tally)
		if err != nil {
			t.Fatal(err)
		}
		tally = nav2d.Tally{}
		if err := json.Unmarshal(text, &tally); err != nil {
			t.Fatal(err)
		}
	}
	if once, continued := nav2d.Summarise(trials, limits), tally.Summary(); !reflect.DeepEqual(once, continued) {
		t.Errorf("the summary at once is %+v, continued %+v", once, continued)
	}
}

// TestRunning compares with the definitions of the moments.
func TestRunning(t *testing.T) {
	trials := [][]float64{{0, 1, 1, 0}, {1, 1, 1, 1}, {0, 0, 0, 1}}
	var r metric.Running
	for _, v := range trials {
		r.Add(v)
	}
	e := r.Estimate()
	// 7 of 12 are 1; the means are 1/2, 1, 1/4, the variances 1/4, 0, 3/16.
	want := []float64{7. / 12, 0.4930066486, 0.3110042339, 0.3118047822}
	for i, got := range []float64{e.Mean, e.Std, e.Within, e.Between} {
		if math.Abs(got-want[i]) > 1e-9 {
			t.Errorf("moment %d = %v, want %v", i, got, want[i])
		}
	}
	if i := metric.ClusteredRate([]float64{0.5, 1, 0.25}); math.Abs(i.Lo-e.Interval.Lo) > 1e-12 || math.Abs(i.Hi-e.Interval.Hi) > 1e-12 {
		t.Errorf("interval %v, want %v", e.Interval, i)
	}
}
