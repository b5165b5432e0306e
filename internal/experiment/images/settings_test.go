package images

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-pcd/pcd/internal/pair"
)

// The published archives can be continued: what their cells depend on is what it is today.
func TestPublishedCellsHaveTheSettingsOfToday(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join("..", "..", "..", "docs", "results", "images*.jsonl.gz"))
	if err != nil || len(archives) < 4 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	cells := 0
	for _, path := range archives {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(z)
		lines.Buffer(nil, 64<<20)
		for lines.Scan() {
			var line struct {
				Content struct {
					Cell     Cell            `json:"cell"`
					Settings json.RawMessage `json:"settings"`
				} `json:"content"`
			}
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil || line.Content.Cell.Method == "" {
				continue // a call
			}
			c := line.Content.Cell
			want, _ := c.Settings()
			if got, err := c.Used(line.Content.Settings); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s of %s: %+v, %v; want %+v", c.Name(), filepath.Base(path), got, err, want)
			}
			cells++
		}
	}
	if cells < 40 {
		t.Errorf("%d cells", cells)
	}
}

// A cell depends on the rules that its method uses, and not on those whose values it gives.
func TestCellsDependOnWhatTheyUse(t *testing.T) {
	all := rules{1, 2, 3, 4}
	for _, c := range []struct {
		cell Cell
		want rules
	}{
		{Cell{Method: pair.SD}, rules{}},
		{Cell{Method: pair.CNetXS}, rules{}},
		{Cell{Method: pair.SDP}, rules{NoisePerChord: 3}},
		{Cell{Method: pair.SDP, NoiseScale: 5}, rules{}},
		{Cell{Method: pair.SDC}, rules{FreeGamma: 2}},
		{Cell{Method: pair.PCD}, rules{Gamma: 1, NoisePerChord: 3}},
		{Cell{Method: pair.PCDPS, Gamma: 7}, rules{NoisePerChord: 3}},
		{Cell{Method: pair.Sync}, rules{SyncWeight: 4}},
		{Cell{Method: pair.Sync, SyncWeight: 5}, rules{}},
	} {
		if got := c.cell.use(all); got != c.want {
			t.Errorf("%+v uses %+v, want %+v", c.cell, got, c.want)
		}
	}
}
