package plan

import (
	"testing"

	"github.com/go-pcd/pcd/env/nav2d"
)

// A sample that is safe as drawn ends the choice if nothing can be preferred to it; one that
// does not keep to the pattern of the map yields to a repaired one that does.
func TestSafeSamplesYieldToTheirBetters(t *testing.T) {
	m := nav2d.Highways()
	model, err := Bundled(m.Name)
	if err != nil {
		t.Fatal(err)
	}
	trials, err := nav2d.ScaledTrials(m, nav2d.CrowdScale(8), 8, 17, 9137)
	if err != nil {
		t.Fatal(err)
	}
	team := TeamOfTrial(m, trials[16], model, PublishedLimits(m)[0])
	w, err := team.World()
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Method: PCDSHD, Settings: settings(t, "default"), Seed: 16, Samples: 4}
	o.Gamma = new(o.Settings.DefaultGamma(m, SquaredHinge))
	r, err := Run(t.Context(), team, o)
	if err != nil {
		t.Fatal(err)
	}
	sum := func(adherence []float64) (total float64) {
		for _, v := range adherence {
			total += v
		}
		return total
	}
	safe, best := 0, 0.0
	for k := range o.Samples {
		if w.Judge(r.Samples, k).Certified(0) {
			safe, best = safe+1, max(best, sum(r.Judged[k].Adherence))
		}
	}
	d := r.Nearest()
	if !d.Certificate.Certified || safe == 0 || d.Displacement == 0 || sum(d.Judged.Adherence) <= best {
		t.Errorf("%d samples are safe as drawn, the best with a pattern kept by %v of 8 robots; delivered: certified %v, moved by %v, %v of 8",
			safe, best, d.Certificate.Certified, d.Displacement, sum(d.Judged.Adherence))
	}
	for _, c := range []struct {
		prefer Preference
		want   bool
	}{{PreferPattern, false}, {"", false}, {PreferLength, true}, {PreferClearance, true}, {PreferTime, true}} {
		kept := &attempt{team: team, model: r.Samples, at: d.Trajectories}
		if got := kept.yields(c.prefer); got != c.want {
			t.Errorf("one that keeps to the pattern yields by %q: %v, want %v", c.prefer, got, c.want)
		}
	}
}
