package images

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	imagemetric "github.com/go-pcd/pcd/internal/metric/images"
	"github.com/go-pcd/pcd/internal/pair"
)

// drawn returns the result of a cell whose pairs are given: by their probabilities of
// old age, man and woman.
func drawn(c Cell, old ...[2]float64) *CellResult {
	r := &CellResult{Networks: Networks{ByJudge, ByJudge, ByJudge}}
	c.Pairs, c.Seeds, c.Steps = len(old), 2, 1
	r.Cell = c
	for seed := range uint64(2) {
		b := Batch{Seed: seed, Choices: pair.Choices{Gamma: c.Gamma, NoiseScale: c.NoiseScale}, Certified: c.Method.Projected()}
		for i, p := range old {
			q := Pair{Old: p, Gender: [2]float64{0.9, 0.7}, Similarity: [2]float64{0.5 + float64(i)/10, 0.4}, Distance: [2]float64{0.2, 0.3}}
			for k := range 2 {
				if c.Method.Projected() {
					q.Weights[k] = []float32{float32(p[k]), float32(1 - p[k])}
				}
			}
			b.Pairs = append(b.Pairs, q)
		}
		b.Diversity = [2]Moments{{float64(1 + 2*seed), 1}, {5, 0}}
		b.Frechet = [2]float64{0.1, float64(seed)}
		r.Batches = append(r.Batches, b)
	}
	return r
}

// The measures of a cell are those of its pairs by hand.
func TestMeasures(t *testing.T) {
	r := drawn(Cell{Method: pair.SDP, Exemplars: 2}, [2]float64{0.9, 0.1}, [2]float64{0.6, 0.7}, [2]float64{0, 1}, [2]float64{0, 0.4})
	m, ok := r.Measures()
	if !ok || m.XOR.Mean != 0.5 || !(m.XOR.Lo > 0.15 && m.XOR.Hi < 0.85) {
		t.Errorf("XOR %+v of two pairs in four, twice", m.XOR)
	}
	if math.Abs(m.Gender[1].Mean-0.7) > 1e-12 || math.Abs(m.Similarity[0].Mean-0.65) > 1e-12 || m.Frechet[1].Mean != 0.5 {
		t.Errorf("gender %+v, similarity %+v, Fréchet %+v", m.Gender, m.Similarity, m.Frechet)
	}
	// 1 ± 1 and 3 ± 1 together.
	if d := m.Diversity[0]; d.Mean != 2 || math.Abs(d.Std-math.Sqrt2) > 1e-12 {
		t.Errorf("diversity %+v, want 2 ± √2", d)
	}
	// Standard deviation of 0.9, 0.6, 0, 0, which is that of 0.1, 0.4, 1, 1.
	if s := m.Spread[0]; math.Abs(s.Mean-math.Sqrt((0.81+0.36)/4-0.375*0.375)) > 1e-6 {
		t.Errorf("spread %+v", s)
	}
	if free, _ := drawn(Cell{Method: pair.SD, Exemplars: 2}, [2]float64{0, 1}, [2]float64{0, 1}).Measures(); free.Spread != nil || free.XOR.Mean != 1 {
		t.Errorf("without projection: %+v", free)
	}
	if _, ok := (&CellResult{}).Measures(); ok {
		t.Error("nothing has measures")
	}
}

// The transcribed tables are complete, and hold numbers of the paper.
func TestPublished(t *testing.T) {
	if n := len(published()); n != 14 {
		t.Errorf("%d published rows, want 14", n)
	}
	if n := len(publishedRuntimes()); n != 8 {
		t.Errorf("%d published runtimes, want 8", n)
	}
	p, ok := Published(6, pair.PCD)
	if !ok || p.XOR.Mean != 0.76 || p.Similarity[1].Mean != 0.90 || p.Distance[0].Std != 0.064 || p.Frechet[1].Mean != 0.14 || p.Diversity[0].Mean != 0.18 {
		t.Errorf("published row %+v", p)
	}
	if p, _ := Published(2, pair.Sync); p.Gender[1].Mean != 0.17 || p.Frechet[1].Mean != 0.81 {
		t.Errorf("published row %+v", p)
	}
	if r := publishedRuntimes()[publishedKey{2, pair.PCD}]; r.Total.Mean != 4.402 || r.Projection.Std != 0.030 {
		t.Errorf("published runtime %+v", r)
	}
}

// Every published row has its own beside it; numbers of the judge are compared with
// those of no other network.
func TestTables(t *testing.T) {
	t.Setenv("COLUMNS", "1000") // a line for every row
	results := map[string]*CellResult{}
	for _, r := range []*CellResult{
		drawn(Cell{Method: pair.SDP, Exemplars: 2}, [2]float64{0, 0}, [2]float64{0, 1}),
		drawn(Cell{Method: pair.PCD, Exemplars: 2}, [2]float64{1, 0}, [2]float64{0, 1}),
		drawn(Cell{Method: pair.SDP, Exemplars: 2, NoiseScale: 1}, [2]float64{0, 0}, [2]float64{0, 0}),
		drawn(Cell{Method: pair.PCD, Exemplars: 6}, [2]float64{1, 0}, [2]float64{0, 1}),
	} {
		results[r.Cell.Name()] = r
	}
	tables := Tables(results)
	if len(tables) != 2 || tables[1].Exemplars != 6 || len(tables[0].Rows) != 8 {
		t.Fatalf("%d tables, %d rows in the first, want 2 and the seven published with one more", len(tables), len(tables[0].Rows))
	}
	for _, r := range tables[0].Rows {
		computed := r.Method == pair.SDP || r.Method == pair.PCD
		collapse := r.NoiseScale == 1
		if (r.Ours != nil) != computed || (r.Published != nil) == collapse || (r.Difference != nil) != (computed && !collapse) {
			t.Errorf("row %+v", r)
		}
		if r.Method == pair.PCD && (len(r.Difference) != 2 || math.Abs(r.Difference.Of("xor")-0.04) > 1e-12 || !*r.Certified) {
			t.Errorf("differences %+v, want those of XOR and gender", r.Difference)
		}
	}
	results["images-pcd-m2"].Networks = Networks{"CLIP", "LPIPS", "Inception"}
	tables = Tables(results)
	if len(tables) != 3 || tables[0].Networks.Similarity != "CLIP" {
		t.Fatalf("%d tables of two kinds of networks with 2 exemplars, and one with 6", len(tables))
	}
	for _, r := range tables[0].Rows {
		if r.Ours != nil && len(r.Difference) != 6 {
			t.Errorf("differences %+v, want all published columns", r.Difference)
		}
	}
	report, err := report(results)
	if err != nil {
		t.Fatal(err)
	}
	var text, data strings.Builder
	if err := report.Write(&text, "text"); err != nil || !strings.Contains(text.String(), "SE-FID (ours: by the judge)") || !strings.Contains(text.String(), "  SE-FID  ") {
		t.Errorf("%v:\n%s", err, text.String())
	}
	if err := report.Write(&data, "json"); err != nil || !json.Valid([]byte(data.String())) {
		t.Errorf("JSON: %v", err)
	}
}

// Orderings carry the interval of a difference, and the verdict is by it.
func TestClaims(t *testing.T) {
	// Newcombe's example (a): 56/70 - 48/80 = 0.2 with [0.0524, 0.3339].
	a, b := experiment.Stat{Mean: 56.0 / 70}, experiment.Stat{Mean: 48.0 / 80}
	w := metric.Wilson(a.Mean, 70)
	a.Lo, a.Hi = w.Lo, w.Hi
	w = metric.Wilson(b.Mean, 80)
	b.Lo, b.Hi = w.Lo, w.Hi
	if d := difference(a, b); math.Abs(d.Mean-0.2) > 1e-12 || math.Abs(d.Lo-0.0524) > 5e-5 || math.Abs(d.Hi-0.3339) > 5e-5 {
		t.Errorf("difference %+v", d)
	}
	if known(difference(a, experiment.Stat{Mean: 1})) || known(averaged([]experiment.Stat{a, {Mean: 1}})) {
		t.Error("a difference from an estimate without an interval has one")
	}
	same := averaged([]experiment.Stat{a, a})
	if math.Abs(same.Lo-(0.8-(0.8-a.Lo)/math.Sqrt2)) > 1e-12 {
		t.Errorf("mean of two estimates %+v", same)
	}
	results := map[string]*CellResult{}
	for _, g := range []float64{10, 20, 30} {
		var old [][2]float64
		for i := range 40 {
			old = append(old, [2]float64{0, float64(min(1, max(0, int(g)-i)))})
		}
		r := drawn(Cell{Method: pair.PCD, Exemplars: 2, Gamma: g, NoiseScale: 3}, old...)
		results[r.Cell.Name()] = r
	}
	r := drawn(Cell{Method: pair.PCD, Exemplars: 2, Gamma: 5, NoiseScale: 9}, [2]float64{0, 0}, [2]float64{0, 0})
	results[r.Cell.Name()] = r
	claims := Claims(results)
	if len(claims) != 3 {
		t.Fatalf("%d claims %+v, want two steps and the whole way of those with one noise", len(claims), claims)
	}
	for _, c := range claims {
		if c.Measure != "xor" || c.Verdict != Holds {
			t.Errorf("claim %+v", c)
		}
	}
	if whole := claims[2]; math.Abs(whole.Ours.Mean-0.5) > 1e-12 || whole.Less != "pcd, γ 10, k 3" {
		t.Errorf("the whole way: %+v", whole)
	}
}

// Methods by the rules are compared in the published orderings, with the published difference, among cells of the same exemplars.
func TestClaimsOfMethods(t *testing.T) {
	of := func(m pair.Method, exemplars, differ int) *CellResult {
		var old [][2]float64
		for i := range 40 {
			old = append(old, [2]float64{0, float64(min(1, max(0, differ-i)))})
		}
		return drawn(Cell{Method: m, Exemplars: exemplars}, old...)
	}
	results := map[string]*CellResult{}
	for _, r := range []*CellResult{of(pair.PCD, 2, 40), of(pair.SD, 2, 20), of(pair.SDP, 2, 38), of(pair.SD, 6, 0)} {
		results[r.Cell.Name()] = r
	}
	published := func(m pair.Method) float64 {
		row, ok := Published(2, m)
		if !ok {
			t.Fatalf("%s has no published row", m)
		}
		return row.XOR.Mean
	}
	found := map[string]Verdict{}
	for _, c := range Claims(results) {
		if c.Exemplars != 2 {
			t.Errorf("a claim of a method alone: %+v", c)
		}
		if c.Measure != "xor" {
			continue
		}
		found[c.More+" > "+c.Less] = c.Verdict
		if want := published(pair.PCD) - published(pair.Method(c.Less)); c.Published == nil || math.Abs(*c.Published-want) > 1e-12 {
			t.Errorf("%s and %s: published %v, want %v", c.More, c.Less, c.Published, want)
		}
	}
	if len(found) != 2 || found["pcd > sd"] != Holds || found["pcd > sd-p"] != Open {
		t.Errorf("orderings %v, want that of pcd and sd to hold, and that of pcd and sd-p open", found)
	}
}

func TestFigures(t *testing.T) {
	results := map[string]*CellResult{}
	for _, c := range []Cell{{Method: pair.PCD, Exemplars: 2, Gamma: 10}, {Method: pair.PCD, Exemplars: 6, Gamma: 20}, {Method: pair.SDP, Exemplars: 2, NoiseScale: 2}} {
		r := drawn(c, [2]float64{1, 0}, [2]float64{0, 1})
		results[r.Cell.Name()] = r
	}
	for _, f := range figures {
		drawing, err := f.Draw(results, experiment.FigureOptions{})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		var svg strings.Builder
		if err := drawing.WriteSVG(&svg); err != nil || !strings.Contains(svg.String(), "sd-p, k 2") && f.Name == "weights" || f.Name == "gamma" && !strings.Contains(svg.String(), "SE-FID, by the judge") {
			t.Errorf("%s: %v", f.Name, err)
		}
		if _, err := f.Draw(map[string]*CellResult{}, experiment.FigureOptions{}); err == nil || !strings.Contains(err.Error(), "pcd eval images") {
			t.Errorf("%s of nothing: %v", f.Name, err)
		}
	}
}

// The judge stands in for networks without files.
func TestLenses(t *testing.T) {
	o, err := NetworkFiles{}.open(tinyModel(t))
	if err != nil {
		t.Fatal(err)
	}
	if j, ok := o.Distance.(*imagemetric.Judge); !ok || o.Similarity != imagemetric.Embedder(j) || o.Frechet != imagemetric.Embedder(j) || o.names.Distance != ByJudge || len(o.digests) != 0 {
		t.Errorf("networks %+v", o)
	}
	for _, f := range []NetworkFiles{{CLIP: "nothing"}, {VGG: "nothing", LPIPS: "nothing"}, {Inception: "nothing"}} {
		if _, err := f.open(tinyModel(t)); err == nil || !strings.Contains(err.Error(), "nothing") {
			t.Errorf("%+v: %v", f, err)
		}
	}
	const file = "../../../nn/testdata/images/fid_block0/weights.safetensors"
	if o, err = (NetworkFiles{Inception: file}).open(tinyModel(t)); err != nil || o.names.Frechet != "Inception" || o.names.Similarity != ByJudge || len(o.digests) != 1 {
		t.Errorf("Inception from a file: %+v, %v", o, err)
	}
}
