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
