package memory

import (
	"errors"
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
		err := check(c.need, room+slack, c.limited, "things")
		var e *Error
		if errors.As(err, &e) != c.refused {
			t.Errorf("%g bytes of %d (limited: %v): %v, want refused: %v", c.need, room, c.limited, err, c.refused)
		}
		if c.refused && (e.Need != c.need || e.Left != room) {
			t.Errorf("%g bytes: %+v", c.need, e)
		}
	}
	if err := check(1, -5, true, "things"); err == nil {
		t.Error("one byte beyond the limit is not refused")
	}
}
