package settings_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/settings"
)

type part struct {
	Rate  float64 `json:"rate"`
	Every int     `json:"every"`
}

type whole struct {
	Seed  uint64 `json:"seed"`
	Name  string `json:"name"`
	Part  part   `json:"part"`
	Sizes []int  `json:"sizes"`
}

// What differs is named field by field, however the values came about; what is zero is not
// there.
func TestDifferences(t *testing.T) {
	a := whole{Seed: 1<<63 + 1, Name: "a", Part: part{Rate: 0.1}, Sizes: []int{1, 2}}
	b := map[string]any{"seed": uint64(1<<63 + 2), "name": "a", "part": map[string]any{"rate": 0.25, "every": 0}, "more": true}
	got, err := settings.Differences(a, b)
	want := []string{"more: false instead of true", "part.rate: 0.1 instead of 0.25", "seed: 9223372036854775809 instead of 9223372036854775810", "sizes: [1,2] instead of none"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Differences = %q, %v, want %q", got, err, want)
	}
	if same, err := settings.Differences(a, a); err != nil || len(same) > 0 {
		t.Errorf("Differences of the same = %q, %v", same, err)
	}
	if _, err := settings.Differences(a, func() {}); err == nil {
		t.Error("Differences from a function: no error")
	}
	if got := settings.List(want); got != strings.Join(want, "; ") {
		t.Errorf("List = %q", got)
	}
	if got := settings.List(strings.Split("abcdefgh", "")); got != "a; b; c; d; e; f and 2 more" {
		t.Errorf("List of many = %q", got)
	}
}
