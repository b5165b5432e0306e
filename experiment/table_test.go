package experiment_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-pcd/pcd/experiment"
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
method               first %           all
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
		if format == "text" { // alignment is the tab writer's
			if got, want := bytes.Fields(b.Bytes()), bytes.Fields([]byte(want)); !bytes.Equal(bytes.Join(got, nil), bytes.Join(want, nil)) {
				t.Errorf("text:\n%s", b.String())
			}
		} else if b.String() != want {
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
