package experiment_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-pcd/pcd/internal/experiment"
)

// members is a measure of two members.
type members [2]experiment.Stat

var memberColumns = []experiment.Column[members]{
	{Key: "first", Header: "first %", Of: func(m members) []experiment.Stat { return m[:1] }, Overall: experiment.AverageMean,
		Scale: 100, Format: "%.0f", Difference: "%+.0f", Spread: true},
	{Key: "all", Header: "all", Of: func(m members) []experiment.Stat { return m[:] }, Overall: experiment.SmallestMean,
		Scale: 1, Format: "%.2f", Difference: "%+.2f", Guaranteed: true, Interval: func(m members) experiment.Stat { return m[1] }},
}

// TestReport prints rows in the three forms.
func TestReport(t *testing.T) {
	yes := true
	row := experiment.Comparison[members]{Ours: &members{{Mean: 0.5, Std: 0.1, Lo: 0.4, Hi: 0.6}, {Mean: 0.25, Lo: 0.2, Hi: 0.3}}, Certified: &yes}
	experiment.Compare(&row, members{{Mean: 0.4, Std: 0.2}, {Mean: 0.5}}, memberColumns)
	v := experiment.NewView("title", []string{"method"}, memberColumns)
	experiment.AddRow(&v, []string{"a"}, "9 trials", row, memberColumns)
	experiment.AddRow(&v, []string{"b"}, "", experiment.Comparison[members]{}, memberColumns)
	r := experiment.Report{Views: []experiment.View{v}, Footer: "end\n", Data: row}
	for format, want := range map[string]string{
		"text": `
title
method                  first %           all
a       ours, 9 trials  50 ± 10 [40, 60]  0.50 / 0.25 [0.20, 0.30] certified
        published       40 ± 20           0.40 / 0.50
        difference      +10               -0.15
b       ours            not computed
end
`,
		"markdown": `
### title

| method |  | first % | all |
|---|---|---|---|
| a | ours, 9 trials | 50 ± 10 [40, 60] | 0.50 / 0.25 [0.20, 0.30] certified |
|  | published | 40 ± 20 | 0.40 / 0.50 |
|  | difference | +10 | -0.15 |
| b | ours | not computed |  |
end
`,
	} {
		var b bytes.Buffer
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%s:\n%s\nwant\n%s", format, b.String(), want)
		}
	}
	var b bytes.Buffer
	if err := r.Write(&b, "json"); err != nil {
		t.Fatal(err)
	}
	var got struct{ Difference json.RawMessage }
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	var keys bytes.Buffer
	if err := json.Compact(&keys, got.Difference); err != nil || !bytes.HasPrefix(keys.Bytes(), []byte(`{"first":0.09`)) || !bytes.Contains(keys.Bytes(), []byte(`,"all":-0.15`)) {
		t.Errorf("differences %s, %v, want them in the order of the columns", &keys, err)
	}
}

// TestReportFits prints text for a narrow terminal: cells are broken and columns go into
// parts, and no other format knows of it.
func TestReportFits(t *testing.T) {
	row := experiment.Comparison[members]{Ours: &members{{Mean: 0.5, Std: 0.1, Lo: 0.4, Hi: 0.6}, {Mean: 0.25, Lo: 0.2, Hi: 0.3}}}
	v := experiment.NewView("title", []string{"method"}, memberColumns)
	experiment.AddRow(&v, []string{"a"}, "9 trials", row, memberColumns)
	r := experiment.Report{Views: []experiment.View{v}, Data: []any{row}}
	write := func(format, columns string) string {
		t.Helper()
		t.Setenv("COLUMNS", columns)
		var b bytes.Buffer
		if err := r.Write(&b, format); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got, want := write("text", "34"), `
title
method                  first %
a       ours, 9 trials  50 ± 10
                        [40, 60]

method                all
a       ours,         0.50 / 0.25
        9 trials      [0.20, 0.30]
`; got != want {
		t.Errorf("in 34 columns:\n%s\nwant\n%s", got, want)
	}
	for _, format := range []string{"markdown", "csv", "json"} {
		if narrow, wide := write(format, "20"), write(format, "200"); narrow != wide {
			t.Errorf("%s in 20 columns:\n%s\nin 200:\n%s", format, narrow, wide)
		}
	}
}

// TestReportAsCSV writes the rows of tables, lists of rows, and tables among other data.
func TestReportAsCSV(t *testing.T) {
	type row struct {
		Method string    `json:"method"`
		CS     []float64 `json:"cs"`
		Gamma  *float64  `json:"gamma"`
	}
	type table struct {
		Map  string `json:"map"`
		Rows []row  `json:"rows"`
	}
	tables := []table{{"empty, small", []row{{"a", []float64{1}, nil}}}, {"highways", []row{{"b", []float64{0.1, 2e-7}, new(0.5)}, {"c", nil, nil}}}}
	want := "map,method,cs.0,cs.1,gamma\n\"empty, small\",a,1,,\nhighways,b,0.1,2e-7,0.5\nhighways,c,,,\n"
	for name, data := range map[string]any{
		"tables":         tables,
		"among others":   map[string]any{"tables": tables, "claims": []int{1}},
		"rows of tables": []any{map[string]any{"tables": tables}},
	} {
		var b bytes.Buffer
		if err := (experiment.Report{Data: data}).Write(&b, "csv"); err != nil || b.String() != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, &b, want)
		}
	}
	var b bytes.Buffer
	if err := (experiment.Report{Data: tables[1].Rows}).Write(&b, "csv"); err != nil || b.String() != "method,cs.0,cs.1,gamma\nb,0.1,2e-7,0.5\nc,,,\n" {
		t.Errorf("rows: %v\n%s", err, &b)
	}
}
