package teams

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/terminal"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

func small() Spec {
	s := DefaultSpec()
	s.Maps, s.Robots, s.Trials, s.TrialSeed = []string{"conveyor", Ring}, []int{4, 12}, 2, 5
	return s
}

func TestMeasure(t *testing.T) {
	var seen int
	spec := small()
	spec.Robots[1] = thorough.Cases(12, 24)
	rows, err := Measure(t.Context(), spec, plan.Bundled, 0, func(Row) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 4 || seen != 4 {
		t.Fatalf("%d rows, %d seen, want four", len(rows), seen)
	}
	for _, r := range rows {
		if r.Trials != 2 || r.Certified.Count != 2 || r.Free.Count != 2 || len(r.Fails) != 0 || r.Disagree != 0 || r.Planned != 2 {
			t.Errorf("%+v, want both certified, by both judges", r)
		}
		if !(r.Median > 0 && r.Median <= r.Late && r.Late <= r.Longest && r.Processor.Mean > 0) || r.Displacement.Mean > r.Farthest || r.After.Mean < 0.5 || r.After.Mean > 1 {
			t.Errorf("%+v", r)
		}
		if r.Clearance.Mean < 0 || r.Length.Mean < 0.5 || r.Acceleration.Mean <= 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	for name, change := range map[string]func(*Spec){
		"map": func(s *Spec) { s.Maps[0] = "moon" }, "robots": func(s *Spec) { s.Robots[0] = 1 }, "trials": func(s *Spec) { s.Trials = 0 },
		"preset": func(s *Spec) { s.Preset = "magic" }, "method": func(s *Spec) { s.Methods = []plan.Method{"magic"} },
		"seconds": func(s *Spec) { s.Methods, s.SearchSeconds = []plan.Method{plan.PP}, 0 },
	} {
		spec := small()
		change(&spec)
		var refused *experiment.SpecError
		if rows, err := Measure(t.Context(), spec, plan.Bundled, 0, nil); !errors.As(err, &refused) || rows != nil {
			t.Errorf("%s: %v, %d rows", name, err, len(rows))
		}
	}
}

// An evaluation goes on from the trials that are done, with the same plans; methods that
// search are judged too, and see the same trials.
func TestEvaluateInParts(t *testing.T) {
	thorough.Test(t)
	spec := small()
	spec.Maps, spec.Robots, spec.Methods = []string{"empty"}, []int{4}, []plan.Method{plan.PCDSHD, plan.PP}
	spec.SearchSamples, spec.SearchSeconds = 2, 5
	evaluated := func(dir string, trials ...int) map[string]*CellResult {
		x := New(plan.Bundled)
		for _, n := range trials {
			spec.Trials = n
			if _, err := x.Evaluate(t.Context(), spec, experiment.Options{Dir: dir}); err != nil {
				t.Fatal(err)
			}
		}
		results, err := x.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		return results
	}
	parts, whole := evaluated(t.TempDir(), 1, 2), evaluated(t.TempDir(), 2)
	for name, r := range whole {
		for i, want := range r.Trials {
			got := parts[name].Trials[i]
			want.Seconds, want.Processor, want.Repair = got.Seconds, got.Processor, got.Repair
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("%s, trial %d: %s in parts, %s at once", name, i, a, b)
			}
		}
	}
	pp := whole["empty-n4-pp"].row()
	if pp.Disagree != 0 || len(pp.Searches) == 0 || pp.Certified.Count == pp.Trials {
		t.Errorf("%+v: paths of a search that knows no limits are not all certified, and both judges say so", pp)
	}
}

func TestCellsOfFilesAreChecked(t *testing.T) {
	good := CellResult{Header: experiment.Header[Cell]{Cell: Cell{
		Map: Ring, Robots: 10, Method: plan.PCDSHD, Limit: 0.7, Gamma: 0.1, Trials: 1, Samples: 4, Preset: "default",
	}}, Trials: []Trial{{Certified: true, Free: true, Seconds: 1, Processor: 1, Plan: &Paths{After: 1, Before: 1}}}}
	if err := good.Check(); err != nil {
		t.Fatal(err)
	}
	for name, broken := range map[string]Trial{
		"certified, not free": {Certified: true, Plan: &Paths{}}, "free without paths": {Free: true}, "negative time": {Seconds: -1},
		"adherence above 1": {Plan: &Paths{After: 2}}, "certified, but fails": {Certified: true, Free: true, Fails: []string{"speed"}, Plan: &Paths{}},
	} {
		r := good
		r.Trials = []Trial{broken}
		if r.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func TestTables(t *testing.T) {
	row := func(name string, robots int, m plan.Method, trials ...Trial) *CellResult {
		return &CellResult{Header: experiment.Header[Cell]{Cell: Cell{Map: name, Robots: robots, Method: m}}, Trials: trials}
	}
	report, err := report(map[string]*CellResult{
		"a": row(Ring, 10, plan.PCDSHD, Trial{Certified: true, Free: true, Plan: &Paths{}}),
		"b": row("highways", 8, plan.PP, Trial{Search: plan.NoPath, Fails: []string{"no path"}}, Trial{Search: plan.Solved, Free: true, Plan: &Paths{Length: 2}}),
		"c": row("highways", 8, plan.PCDSHD, Trial{Certified: true, Free: true, Changes: []plan.ChangeKind{plan.Shifted}, Plan: &Paths{}}),
		"e": row("empty", 8, plan.PP, Trial{Search: plan.Solved, Free: true, Plan: &Paths{Length: 4}}),
		"d": row("highways", 4, plan.PP, Trial{Search: plan.NoPath, Fails: []string{"no path"}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, v := range report.Views {
		titles = append(titles, v.Title)
		for _, line := range v.Lines {
			if len(line) != len(v.Header) {
				t.Errorf("%s: %d cells under %d headers", v.Title, len(line), len(v.Header))
			}
		}
	}
	if want := []string{"empty", "highways", "all maps", "ring", "Published, for orientation"}; !slices.Equal(titles, want) {
		t.Fatalf("tables %q, want %q", titles, want)
	}
	plain := func(line []string) (out []string) {
		for _, cell := range line {
			out = append(out, terminal.Plain(cell))
		}
		return out
	}
	var highways [][]string
	for _, line := range report.Views[1].Lines {
		highways = append(highways, plain(line))
	}
	for i, want := range []string{"4 pp 0 of 1", "8 pcd-shd 1 of 1", "8 pp 0 of 2"} {
		if got := strings.Join([]string{highways[i][0], highways[i][2], highways[i][3][:6]}, " "); got != want {
			t.Errorf("line %d is %q, want %q", i, got, want)
		}
	}
	if got := highways[2][4]; got != "1 of 2 [0.09, 0.91]" || highways[2][7] != "2.000" || highways[1][13] != "1 shifted" || highways[2][13] != "1 no path, 1 solved" {
		t.Errorf("%q", highways)
	}
	if all := plain(report.Views[2].Lines[2]); all[4] != "2 of 3 [0.21, 0.94]" || !strings.HasPrefix(all[7], "3.000") {
		t.Errorf("%q of all maps", all)
	}
	if i := metric.Wilson(0.5, 2); i.Lo < 0.09 || i.Hi > 0.91 {
		t.Errorf("interval %v", i)
	}
	for _, a := range Anchors() {
		if a.Work == "" || a.Reported == "" || a.Differs == "" {
			t.Errorf("%+v says too little", a)
		}
	}
}
