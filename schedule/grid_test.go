package schedule_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/golden"
	"github.com/go-pcd/pcd/schedule"
)

const samplers = "../testdata/samplers"

// gridRow is a list of timesteps of the reference.
type gridRow struct {
	Class, Spacing string
	Steps, Count   int
	Timesteps      []float64
	SHA256         string `json:"sha256_int64le"`
}

func (r gridRow) options() schedule.GridOptions {
	o := schedule.GridOptions{Steps: r.Steps, Offset: 1}
	o.Spacing = map[string]schedule.Spacing{"linspace": schedule.Linspace, "trailing": schedule.Trailing}[r.Spacing]
	o.Family = map[string]schedule.Family{"EulerDiscrete": schedule.Continuous, "DPMSolverMultistep": schedule.Interior, "LCM": schedule.Distilled}[r.Class]
	return o
}

// TestGridsAreTheReferences compares timesteps with those of the reference. Its PNDM asks at
// one of them twice, and Euler's are rounded where only their digest is known.
func TestGridsAreTheReferences(t *testing.T) {
	raw, err := os.ReadFile(samplers + "/grids/timesteps.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Rows []gridRow }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	s := scaledLinear(t)
	for _, r := range file.Rows {
		if r.Class == "PNDM" && r.Steps > 1 {
			r.Count--
			if len(r.Timesteps) > 0 {
				r.Timesteps = slices.Compact(r.Timesteps)
			}
		}
		g, err := s.Grid(r.options())
		if err != nil {
			t.Errorf("%s %s %d: %v", r.Class, r.Spacing, r.Steps, err)
			continue
		}
		if g.Len() != r.Count {
			t.Errorf("%s %s %d: %d timesteps, want %d", r.Class, r.Spacing, r.Steps, g.Len(), r.Count)
			continue
		}
		r.check(t, g)
	}
}

func (r gridRow) check(t *testing.T, g *schedule.Grid) {
	t.Helper()
	var got []float64
	for k := range g.Len() {
		got = append(got, g.From(k).Timestep)
	}
	if len(r.Timesteps) > 0 {
		golden.Close(t, strings.Join([]string{r.Class, r.Spacing}, " "), got, r.Timesteps, 1e-4, 0)
		return
	}
	if r.Class == "PNDM" { // the digest is of the list with the one that is asked at twice
		got = slices.Insert(got, 1, got[1])
	}
	var body []byte
	for _, v := range got {
		body = binary.LittleEndian.AppendUint64(body, uint64(int64(math.RoundToEven(v))))
	}
	if sum := sha256.Sum256(body); r.SHA256 != "" && hex.EncodeToString(sum[:]) != r.SHA256 {
		t.Errorf("%s %s %d: the timesteps %v … are not the reference's", r.Class, r.Spacing, r.Steps, got[:3])
	}
}

func scaledLinear(t *testing.T) *schedule.Schedule {
	t.Helper()
	s, err := schedule.ScaledLinear(1000, 0.00085, 0.012)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestZeroSNR compares the share of the clean sample at every timestep, plain and rescaled.
func TestZeroSNR(t *testing.T) {
	c := golden.Cases(t, samplers, func(n string) bool { return n == "grids" })[0]
	io := golden.Safetensors(t, c.Dir+"/io.safetensors")
	linear, err := schedule.Linear(1000, 1e-4, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	cosine, err := schedule.SquaredCosine(1000)
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]*schedule.Schedule{"linear": linear, "scaled_linear": scaledLinear(t), "squaredcos_cap_v2": cosine} {
		for suffix, zero := range map[string]bool{"": false, ".zero_snr": true} {
			g, err := s.Grid(schedule.GridOptions{Steps: 1000, ZeroSNR: zero})
			if err != nil {
				t.Fatal(err)
			}
			bars := make([]float64, 1000)
			for k := range bars {
				signal := g.From(999 - k).Signal
				bars[k] = signal * signal
			}
			name := "out.alpha_bar." + name + suffix
			golden.Close(t, name, bars, io[name].Data, c.Tolerances[name].Abs, c.Tolerances[name].Rel)
		}
	}
}

// TestLevels wants every conversion to give what the definitions say, for levels that keep
// the variance and for those that keep the sum.
func TestLevels(t *testing.T) {
	kinds := []schedule.Kind{schedule.Epsilon, schedule.X0, schedule.V, schedule.Score, schedule.Flow}
	for _, l := range []schedule.Level{{Signal: 0.6, Noise: 0.8}, {Signal: 0.3, Noise: 0.7}, {Signal: 0.999, Noise: 0.01}} {
		x0, eps := 0.37, -1.21
		x := l.Signal*x0 + l.Noise*eps
		want := map[schedule.Kind]float64{
			schedule.Epsilon: eps, schedule.X0: x0, schedule.V: l.Signal*eps - l.Noise*x0,
			schedule.Score: -eps / l.Noise, schedule.Flow: eps - x0,
		}
		for _, from := range kinds {
			for _, to := range kinds {
				a, b := l.Coefficients(from, to)
				if got := a*x + b*want[from]; math.Abs(got-want[to]) > 1e-11*(1+math.Abs(want[to])) {
					t.Errorf("%+v: %v to %v = %v, want %v", l, from, to, got, want[to])
				}
			}
		}
	}
}

// TestLevelWithoutSignal wants the kinds that know the clean sample where the state is noise to
// become each other.
func TestLevelWithoutSignal(t *testing.T) {
	l := schedule.Level{Noise: 1}
	x0, x := 0.37, -1.21
	want := map[schedule.Kind]float64{schedule.X0: x0, schedule.V: -x0, schedule.Flow: x - x0, schedule.Epsilon: x, schedule.Score: -x}
	for _, from := range []schedule.Kind{schedule.X0, schedule.V, schedule.Flow} {
		for to := range want {
			a, b := l.Coefficients(from, to)
			if got := a*x + b*want[from]; !(math.Abs(got-want[to]) <= 1e-15) {
				t.Errorf("%v to %v = %v, want %v", from, to, got, want[to])
			}
		}
	}
}

// TestSpacedSigmasEndAtFirst spaces sigmas down to that of timestep 0 and ends there: whatever rounding
// makes of the last one, the step to the end changes nothing.
func TestSpacedSigmasEndAtFirst(t *testing.T) {
	linear, err := schedule.Linear(1000, 1e-4, 0.02)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*schedule.Schedule{scaledLinear(t), linear} {
		for _, by := range []schedule.Sigmas{schedule.Karras, schedule.Geometric, schedule.BetaQuantiles} {
			for _, family := range []schedule.Family{schedule.Continuous, schedule.Interior} {
				for n := 2; n <= 30; n++ {
					g, err := s.Grid(schedule.GridOptions{Steps: n, Family: family, Spacing: schedule.Linspace, Sigmas: by, EndAtFirst: true})
					if err != nil {
						t.Errorf("%v, %d steps: %v", by, n, err)
						continue
					}
					if from, to := g.From(n-1).Sigma(), g.To(n-1).Sigma(); math.Abs(from-to) > 1e-12 {
						t.Errorf("%s ends at sigma %v after %v", g.Name(), to, from)
					}
				}
			}
		}
	}
}

// TestGridRefuses wants errors for what makes no grid.
func TestGridRefuses(t *testing.T) {
	s := scaledLinear(t)
	short, err := s.Leading(10, 1)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	for what, o := range map[string]schedule.GridOptions{
		"no steps":            {},
		"too many steps":      {Steps: 1001},
		"beyond the training": {Steps: 1000, Offset: 1},
		"unknown family":      {Steps: 5, Family: 9},
		"unknown spacing":     {Steps: 5, Spacing: 9},
		"unknown sigmas":      {Steps: 5, Sigmas: 9},
		"infinite sigmas":     {Steps: 5, Spacing: schedule.Trailing, Sigmas: schedule.Karras, ZeroSNR: true},
		"more than original":  {Steps: 51, Family: schedule.Distilled},
		"rising sigmas":       {Steps: 5, Sigmas: schedule.Karras, SigmaMin: 3, SigmaMax: 2},
		"all halved":          {Steps: 5, Halved: 5},
		"halves too small":    {Steps: 1000, Halved: 3},
	} {
		_, err := s.Grid(o)
		refused(what, err)
	}
	_, err = short.Grid(schedule.GridOptions{Steps: 5})
	refused("a respaced schedule", err)
	for what, levels := range map[string][]schedule.Level{
		"one level":    {schedule.Clean},
		"rising":       {{Signal: 0.8, Noise: 0.6}, {Signal: 0.6, Noise: 0.8}},
		"equal":        {{Signal: 0.6, Noise: 0.8}, {Signal: 0.6, Noise: 0.8}, schedule.Clean},
		"not a number": {{Signal: math.NaN(), Noise: 1}, schedule.Clean},
		"nothing":      {{}, schedule.Clean},
	} {
		_, err := schedule.NewGrid("x", levels...)
		refused(what, err)
	}
	for what, o := range map[string]schedule.FlowOptions{
		"no steps":       {},
		"negative shift": {Steps: 4, Shift: -1},
		"negative mu":    {Steps: 4, Dynamic: true, Mu: -1, LinearMu: true},
		"no end":         {Steps: 4, Terminal: 1},
	} {
		_, err := schedule.FlowGrid(o)
		refused(what, err)
	}
}
