package spelling

import (
	"slices"
	"testing"
)

type colour string

func TestOneOf(t *testing.T) {
	known := []colour{"red", "green"}
	if got, err := OneOf("paint", "colour", "green", known); got != "green" || err != nil {
		t.Errorf("OneOf = %q, %v", got, err)
	}
	for _, word := range []string{"", "Red", "blue"} {
		got, err := OneOf("paint", "colour", word, known)
		if want := `paint: unknown colour "` + word + `"; the colours are red, green`; got != "" || err == nil || err.Error() != want {
			t.Errorf("OneOf = %q, %v, want %s", got, err, want)
		}
	}
}

func TestNearest(t *testing.T) {
	known := []string{"highways", "conveyor", "empty"}
	for word, want := range map[string]string{"highwys": "highways", "CONVEYOR": "conveyor", "moon": "", "": ""} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}

// A distance is the fewest letters that are inserted, left out or exchanged, wherever they are, and the same both ways.
func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"xabc", "abc", 1}, {"abxc", "abc", 1}, {"abcx", "abc", 1}, {"bc", "abc", 1}, {"xbc", "abc", 1},
		{"kitten", "sitting", 3}, {"saturday", "sunday", 3}, {"ab", "ba", 2}, {"abcdef", "azced", 3},
	} {
		if got, back := editDistance(c.a, c.b), editDistance(c.b, c.a); got != c.want || back != c.want {
			t.Errorf("from %q to %q: %d, and back %d, want %d", c.a, c.b, got, back, c.want)
		}
	}
	if got := Nearest("abd", []string{"abx", "abc", "xyz"}); got != "abc" { // of equally near ones the first
		t.Errorf("the nearest of two is %q", got)
	}
}

func TestTable(t *testing.T) {
	table := Table[colour, int]{{"red", 1}, {"blue", 2}}
	if what, known := table.Of("blue"); what != 2 || !known {
		t.Errorf("blue stands for %d, known %v", what, known)
	}
	if what, known := table.Of("green"); what != 0 || known {
		t.Errorf("green stands for %d, known %v", what, known)
	}
	if got := table.Words(); !slices.Equal(got, []colour{"red", "blue"}) {
		t.Errorf("the words are %v", got)
	}
}
