package planner

import (
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
)

// The table of a plan holds its limits by its own differences at 1 kHz, begins and ends at
// rest at the start and the goal, and is the curve of plan.json.
func TestMotionTable(t *testing.T) {
	scene := "motion: curve\nduration: 4\nrobots:\n  - {name: \"a, b\", start: [-0.8, 0], goal: [0.8, 0.1], radius: 0.05, speed: 0.9, acceleration: 1}\n" +
		"  - {start: [0.8, 0.1], goal: [-0.8, 0], radius: 0.05, acceleration: 1.2}\n  - {name: stays, start: [0, 0.9], goal: [0, 0.9], radius: 0.05}\n"
	dir := t.TempDir()
	task, err := PlanRequest{Task: "table", Scene: &scene, Rate: new(1000.0)}.Check()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := OpenFolder(dir, []string{"plan"}, task.Files()...)
	if err != nil {
		t.Fatal(err)
	}
	out, err := task.Run(t.Context(), Watch{}, folder)
	if err != nil || out.Verdict != nil {
		t.Fatal(err, out.Verdict)
	}
	if !slices.Contains(out.Summary.Files, filepath.Join(dir, motionFile)) {
		t.Errorf("files %v, want the table among them", out.Summary.Files)
	}
	f, err := os.Open(filepath.Join(dir, motionFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	want := []string{"t", "robot", "x", "y", "heading", "vx", "vy", "ax", "ay", "scene_sha256", "plan_sha256"}
	if err != nil || !slices.Equal(rows[0], want) {
		t.Fatalf("%v, error %v", rows[0], err)
	}
	written, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil {
		t.Fatal(err)
	}
	// The first row says of what it was made, and no other does.
	if made := rows[1][9:]; made[0] != manifest.DigestBytes([]byte(scene)) || made[1] != manifest.DigestBytes(written) || rows[2][9]+rows[2][10] != "" {
		t.Errorf("made of %v, then of %v", made, rows[2][9:])
	}
	tables := map[string][][8]float64{}
	for _, row := range rows[1:] {
		var values [8]float64
		for k, text := range append([]string{row[0]}, row[2:9]...) {
			if values[k], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		tables[row[1]] = append(tables[row[1]], values)
	}
	if len(tables) != 3 {
		t.Fatalf("%d robots, want 3", len(tables))
	}
	limits := map[string][2]float64{"a, b": {0.9, 1}, "robot 2": {math.Inf(1), 1.2}, "stays": {0, 0}}
	for name, table := range tables {
		limit, ok := limits[name]
		if !ok {
			t.Fatalf("a robot %q", name)
		}
		first, last := table[0], table[len(table)-1]
		if first[0] != 0 || math.Abs(last[0]-out.Summary.Times[63]) > 1e-12 || math.Hypot(first[4], first[5]) != 0 || math.Hypot(last[4], last[5]) > 1e-9 {
			t.Errorf("%s: from %v to %v, want from rest to rest", name, first, last)
		}
		states := out.Summary.Plan.Trajectories[name]
		if d := math.Hypot(last[1]-states[63][0], last[2]-states[63][1]); d > 1e-9 {
			t.Errorf("%s ends %v from its goal", name, d)
		}
		const dt = 1e-3
		for k := 2; k < len(table)-1; k++ { // the last step is a shorter one
			a, b, c := table[k-2], table[k-1], table[k]
			vx, vy := (b[1]-a[1])/dt, (b[2]-a[2])/dt
			ax, ay := (c[1]-2*b[1]+a[1])/dt/dt, (c[2]-2*b[2]+a[2])/dt/dt
			if math.Hypot(vx, vy) > limit[0]*(1+1e-9) || math.Hypot(ax, ay) > limit[1]*(1+1e-6)+1e-8 {
				t.Fatalf("%s at %v: speed %v, acceleration %v, limits %v", name, b[0], math.Hypot(vx, vy), math.Hypot(ax, ay), limit)
			}
			if math.Hypot(ax-b[6], ay-b[7]) > 3e-2 || // acceleration bends at knots
				math.Hypot((c[1]-a[1])/2/dt-b[4], (c[2]-a[2])/2/dt-b[5]) > 1e-4 {
				t.Fatalf("%s at %v: %v, by differences %v, %v", name, b[0], b, ax, ay)
			}
			if turn := math.Remainder(c[3]-b[3], 2*math.Pi); math.Abs(turn) > 0.2 {
				t.Fatalf("%s turns by %v at %v", name, turn, b[0])
			}
		}
	}
}

func TestRatesAreChecked(t *testing.T) {
	scene := "robots:\n  - {start: [-0.8, 0], goal: [0.8, 0]}\n"
	for _, r := range []PlanRequest{
		{Scene: &scene, Rate: new(50.0), Motion: "polyline"},
		{Scene: &scene, Rate: new(0.0), Motion: "curve"},
		{Scene: &scene, Rate: new(math.NaN()), Motion: "curve"},
		{Scene: new("duration: 100000\n" + scene), Rate: new(1000.0), Motion: "curve"},
		{Scene: &scene, Motion: "spline"},
	} {
		r.Task = "rates"
		var refused *RequestError
		if _, err := r.Check(); !errors.As(err, &refused) {
			t.Errorf("%+v: %v, want a RequestError", r, err)
		}
	}
}
