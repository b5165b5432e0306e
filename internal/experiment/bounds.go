package experiment

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/settings"
)

// Bound is a number and the range that it must lie in.
type Bound struct {
	Name      string
	Value     float64
	Low, High float64
}

// CheckBounds returns an error that names the first number out of its range. NaN is
// in no range.
func CheckBounds(bounds ...Bound) error {
	for _, b := range bounds {
		if !(b.Value >= b.Low && b.Value <= b.High) {
			return &SpecError{fmt.Errorf("%s: %.10g is out of range, want %.10g to %.10g", b.Name, b.Value, b.Low, b.High)}
		}
	}
	return nil
}

// CheckNumbers returns an error that names the first value out of the range of its row of
// the table of settings.
func CheckNumbers(n settings.Number, values ...float64) error {
	for _, v := range values {
		if !n.Allows(v) {
			return &SpecError{fmt.Errorf("%s: %.10g is out of range, %s", n.Name, v, n.Want())}
		}
	}
	return nil
}

// CheckRoom returns an error for n things of so many bytes each that a limit on the
// memory of the process has no room for.
func CheckRoom(n, each float64, what string) error {
	if err := memory.Check(n, each, fmt.Sprintf("%.0f %s", n, what)); err != nil {
		return &SpecError{err}
	}
	return nil
}

// CheckPositive returns an error that names the first number that is not positive
// and finite.
func CheckPositive(name string, values ...float64) error {
	for _, v := range values {
		if !(v > 0) || math.IsInf(v, 1) {
			return &SpecError{fmt.Errorf("%s: %g is no positive number", name, v)}
		}
	}
	return nil
}

// Worst is the largest of the numbers that were added, null in JSON when there was
// none.
type Worst struct {
	value float64
	some  bool
}

// Add adds a number. The lowest float64 and −∞ stand for none.
func (w *Worst) Add(v float64) {
	if v > -math.MaxFloat64 && (!w.some || v > w.value) {
		w.value, w.some = v, true
	}
}

// Value returns the largest number, false when there is none.
func (w Worst) Value() (float64, bool) { return w.value, w.some }

// MarshalJSON implements json.Marshaler.
func (w Worst) MarshalJSON() ([]byte, error) {
	if !w.some {
		return []byte("null"), nil
	}
	return json.Marshal(w.value)
}

// UnmarshalJSON implements json.Unmarshaler. Results from before null was used have
// the lowest float64 for it.
func (w *Worst) UnmarshalJSON(data []byte) error {
	*w = Worst{}
	var v *float64
	if err := json.Unmarshal(data, &v); err != nil || v == nil {
		return err
	}
	w.Add(*v)
	return nil
}
