package plural

import "testing"

func TestOf(t *testing.T) {
	for want, c := range map[string]struct {
		n    int
		noun string
	}{
		"1 robot":        {1, "robot"},
		"0 robots":       {0, "robot"},
		"2 robots":       {2, "robot"},
		"-1 step":        {-1, "step"},
		"2 trajectories": {2, "trajectory"},
		"1 trajectory":   {1, "trajectory"},
		"2 ways":         {2, "way"},
		"3 searches":     {3, "search"},
		"3 losses":       {3, "loss"},
		"2 boxes":        {2, "box"},
	} {
		if got := Of(c.n, c.noun); got != want {
			t.Errorf("Of(%d, %q) = %q, want %q", c.n, c.noun, got, want)
		}
	}
	if one, two := Are(1, "cell"), Are(2, "cell"); one != "1 cell is" || two != "2 cells are" {
		t.Errorf("%q, %q", one, two)
	}
}
