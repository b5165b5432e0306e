package teams

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/plan"
)

// A crowd of three changes places on a small grid, straight and along curves.
func TestMeasureCrowds(t *testing.T) {
	thorough.Test(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"small.map":  "type octile\nheight 5\nwidth 7\nmap\n.......\n.@@.@@.\n.......\n.@@.@@.\n.......\n",
		"small.scen": "version 1\n0\tsmall.map\t7\t5\t0\t0\t6\t4\t9\n0\tsmall.map\t7\t5\t6\t4\t0\t0\t9\n0\tsmall.map\t7\t5\t3\t0\t3\t4\t4\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	models := func(string) (*plan.Model, error) { return plan.Bundled("empty") }
	for _, motion := range plan.Motions() {
		spec := CrowdSpec{Dir: dir, Robots: []int{3}, Radius: 0.3, Speed: 2, Motion: motion, Limit: time.Hour}
		var told int
		rows, err := MeasureCrowds(t.Context(), spec, models, 1, func(CrowdRow) { told++ })
		if err != nil || len(rows) != 1 || told != 1 {
			t.Fatalf("%s: %v, %d rows, told %d", motion, err, len(rows), told)
		}
		r := rows[0]
		if !r.Certified || r.Least != 5 || r.Shortest != 24 || !(r.Makespan() >= 0.8) || !(r.Detour() > 0.6) || !(r.Processor > 0) || !(r.Peak > 0) {
			t.Errorf("%s: %+v", motion, r)
		}
	}
	none := CrowdSpec{Dir: t.TempDir(), Robots: []int{3}, Radius: 0.3, Speed: 2}
	if _, err := MeasureCrowds(context.Background(), none, models, 1, nil); !errors.Is(err, ErrNoCrowds) {
		t.Errorf("an empty folder: %v", err)
	}
}

// Scenarios are found in a folder whatever its name is: what a pattern of names gives a meaning to
// has none in the path.
func TestCrowdsBelowBrackets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[x]")
	if err := errors.Join(os.Mkdir(dir, 0o755), os.WriteFile(filepath.Join(dir, "alone.scen"), []byte("version 1\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	spec := CrowdSpec{Dir: dir, Robots: []int{3}, Radius: 0.3, Speed: 2}
	_, err := MeasureCrowds(t.Context(), spec, func(string) (*plan.Model, error) { return plan.Bundled("empty") }, 1, nil)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "alone.map") {
		t.Errorf("a scenario without its map: %v", err)
	}
}

// Small teams on long ways, too, go over the cells of the map where that is shorter: between
// walls two cells apart with a gap at their ends in turn.
func TestSmallTeamsOnLongWays(t *testing.T) {
	thorough.Test(t)
	dir := t.TempDir()
	open, right, left := strings.Repeat(".", 16)+"\n", strings.Repeat("@", 15)+".\n", "."+strings.Repeat("@", 15)+"\n"
	for name, text := range map[string]string{
		"turns.map":  "type octile\nheight 14\nwidth 16\nmap\n" + open + open + right + open + open + left + open + open + right + open + open + left + open + open,
		"turns.scen": "version 1\n0\tturns.map\t16\t14\t0\t0\t0\t13\t9\n0\tturns.map\t16\t14\t0\t13\t0\t0\t9\n0\tturns.map\t16\t14\t15\t6\t2\t1\t4\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	spec := CrowdSpec{Dir: dir, Robots: []int{3}, Radius: 0.3, Speed: 2, Motion: plan.Curve, Limit: time.Hour}
	rows, err := MeasureCrowds(t.Context(), spec, func(string) (*plan.Model, error) { return plan.Bundled("empty") }, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := rows[0]; !r.Certified || r.Least*spec.Speed < 64 || !(r.Makespan() < 1.2) || !(r.Detour() < 1.1) {
		t.Errorf("%+v: makespan %.2f, length %.2f", r, r.Makespan(), r.Detour())
	}
}
