package thorough

import (
	"flag"
	"maps"
	"slices"
	"testing"
)

// TestNamesOfNoCase wants to be told.
func TestNamesOfNoCase(t *testing.T) {
	if *all {
		t.Skip("all cases have no names to be told")
	}
	defer func() {
		if recover() == nil {
			t.Error("a name of no case is passed over")
		}
	}()
	Named(map[string]int{"a": 1}, "b")
}

// TestCases wants a part of the cases by default, and all of them for those who ask.
func TestCases(t *testing.T) {
	list, names := []int{1, 2, 3}, map[string]int{"a": 1, "b": 2}
	for asked, want := range map[string]struct {
		cases       int
		list, named []int
		skipped     bool
	}{
		"false": {4, []int{1, 2}, []int{2}, true}, "true": {9, list, []int{1, 2}, false},
	} {
		was := flag.Lookup("thorough").Value.String()
		if err := flag.Set("thorough", asked); err != nil {
			t.Fatal(err)
		}
		if n := Cases(4, 9); n != want.cases {
			t.Errorf("asked %s: %d cases, want %d", asked, n, want.cases)
		}
		if got := Part(list, 2); !slices.Equal(got, want.list) {
			t.Errorf("asked %s: %v, want %v", asked, got, want.list)
		}
		if got := slices.Sorted(maps.Values(Named(names, "b"))); !slices.Equal(got, want.named) {
			t.Errorf("asked %s: %v, want %v", asked, got, want.named)
		}
		var skipped bool
		t.Run("asked "+asked, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			Test(t)
		})
		if skipped != want.skipped {
			t.Errorf("asked %s: skipped %v, want %v", asked, skipped, want.skipped)
		}
		if err := flag.Set("thorough", was); err != nil {
			t.Fatal(err)
		}
	}
}
