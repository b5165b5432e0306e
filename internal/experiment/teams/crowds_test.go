package teams

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-pcd/pcd/plan"
)

// A crowd of three changes places on a small grid, straight and along curves.
func TestMeasureCrowds(t *testing.T) {
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
		if !r.Certified || r.Least != 5 || r.Shortest != 24 || !(r.Makespan() >= 0.9) || !(r.Detour() > 0.6) || !(r.Processor > 0) || !(r.Peak > 0) {
			t.Errorf("%s: %+v", motion, r)
		}
	}
	none := CrowdSpec{Dir: t.TempDir(), Robots: []int{3}, Radius: 0.3, Speed: 2}
	if _, err := MeasureCrowds(context.Background(), none, models, 1, nil); !errors.Is(err, ErrNoCrowds) {
		t.Errorf("an empty folder: %v", err)
	}
}
