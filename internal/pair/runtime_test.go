package pair

import (
	"math"
	"testing"
)

func TestMeasureRuntime(t *testing.T) {
	r := Request{Model: untrained(t), Pairs: 2, Steps: 3}
	rows, err := MeasureRuntime(t.Context(), r, []Method{SD, PCD}, []int{2}, 2, nil)
	check(t, err)
	if len(rows) != 3 || rows[0].Method != SD || rows[1].MirrorDescent || !rows[2].MirrorDescent || rows[2].Steps != 4 {
		t.Fatalf("rows %+v", rows)
	}
	for _, row := range rows {
		m := row.Mean
		if sum := m.Network + m.Coupling + m.Projection + m.Other; !(m.Network > 0) || math.Abs(sum-m.Total) > 1e-9 || (m.Projection > 0) != (row.Method == PCD) {
			t.Errorf("%s: %+v", row.Method, m)
		}
	}
}

func TestMoments(t *testing.T) {
	mean, deviation := MomentsOf([]StepSeconds{{Network: 1, Total: 4}, {Network: 3, Total: 4}})
	if mean != (StepSeconds{Network: 2, Total: 4}) || deviation != (StepSeconds{Network: 1}) {
		t.Errorf("mean %+v, deviation %+v", mean, deviation)
	}
}
