package memory

import (
	"errors"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	const room = 100 << 20
	for _, c := range []struct {
		need    float64
		limited bool
		refused bool
	}{
		{room, true, false}, {room + 1, true, true}, {1e18, true, true}, {1e18, false, false},
	} {
		err := check(c.need, room+slack, c.limited, Error{What: "things"})
		var e *Error
		if errors.As(err, &e) != c.refused {
			t.Errorf("%g bytes of %d (limited: %v): %v, want refused: %v", c.need, room, c.limited, err, c.refused)
		}
		if c.refused && (e.Need != c.need || e.Left != room) {
			t.Errorf("%g bytes: %+v", c.need, e)
		}
	}
	if err := check(1, -5, true, Error{What: "things"}); err == nil {
		t.Error("one byte beyond the limit is not refused")
	}
}

// What the machine has not is refused with another remedy than what a limit takes.
func TestMachine(t *testing.T) {
	err := CheckMachine(1<<40, 1<<20, "networks")
	var e *Error
	if _, known := free(); known && (!errors.As(err, &e) || !strings.HasPrefix(e.Error(), "networks need about 1073741824.0 GiB")) {
		t.Errorf("a million TiB in small processes: %v", err)
	}
	for machine, remedy := range map[bool]string{true: "end other programs", false: "ulimit"} {
		if text := (&Error{What: "networks", Machine: machine}).Error(); !strings.Contains(text, remedy) {
			t.Errorf("%q does not say %q", text, remedy)
		}
	}
	if err := CheckMachine(1, 1, "byte"); err != nil {
		t.Errorf("one byte: %v", err)
	}
}
