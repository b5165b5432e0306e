package dataset

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/go-pcd/pcd/tensor"
)

const (
	maxFloat32 = math.MaxFloat32

	// minRange is the range below which a channel counts as constant.
	minRange = 1e-4
)

// Linear maps each channel as x·scale + offset: from its range in the data to
// [-1, 1], and a constant channel by a shift to 0. It keeps the statistics that
// it was fitted to.
//
// Source: the LinearNormalizer, mode "limits", of Chi et al., "Diffusion Policy"
// (RSS 2023).
type Linear struct {
	Scale  []float32 `json:"scale"`
	Offset []float32 `json:"offset"`
	Min    []float32 `json:"min"`
	Max    []float32 `json:"max"`
	Mean   []float32 `json:"mean"`
	Std    []float32 `json:"std"` // unbiased; 0 for one row
}

// FitLinear fits the map to all samples. It returns a [tensor.NonFiniteError] for
// data with NaN or infinite values.
func FitLinear(x tensor.Batch) (Linear, error) {
	n, err := channelsOf(x)
	if err != nil {
		return Linear{}, err
	}
	l := Linear{
		Scale: make([]float32, n), Offset: make([]float32, n),
		Min: make([]float32, n), Max: make([]float32, n),
		Mean: make([]float32, n), Std: make([]float32, n),
	}
	for c := range n {
		l.fit(x.Data, c, n)
	}
	return l, l.Check()
}

// fit computes channel c of n.
func (l *Linear) fit(data []float32, c, n int) {
	rows := float64(len(data) / n)
	lo, hi, sum := data[c], data[c], 0.0
	for i := c; i < len(data); i += n {
		v := data[i]
		lo, hi = min(lo, v), max(hi, v)
		sum += float64(v)
	}
	mean, squares := sum/rows, 0.0
	for i := c; i < len(data); i += n {
		d := float64(data[i]) - mean
		squares += d * d
	}
	l.Min[c], l.Max[c], l.Mean[c] = lo, hi, float32(mean)
	if rows > 1 {
		l.Std[c] = float32(math.Sqrt(squares / (rows - 1)))
	}
	if hi-lo < minRange {
		l.Scale[c], l.Offset[c] = 1, -lo
		return
	}
	l.Scale[c] = 2 / (hi - lo)
	l.Offset[c] = -1 - float32(l.Scale[c]*lo)
}

// Check returns an error when the parts have different lengths, a value is not
// finite or a scale is zero.
func (l Linear) Check() error {
	for _, p := range l.parts() {
		if len(*p.values) != len(l.Scale) || len(l.Scale) == 0 {
			return &shapeError{Array: p.name, Got: []int{len(*p.values)}, Want: fmt.Sprintf("%d channels as in scale, at least 1", len(l.Scale))}
		}
		b, _ := tensor.Of(*p.values, 1)
		if err := b.CheckFinite(); err != nil {
			return fmt.Errorf("dataset: normaliser: %s: %w", p.name, err)
		}
	}
	if c := slices.Index(l.Scale, 0); c >= 0 {
		return &rangeError{Channel: c, Min: l.Min[c], Max: l.Max[c]}
	}
	return nil
}

type part struct {
	name   string
	values *[]float32
}

// parts lists the fields by the names that checkpoints give them.
func (l *Linear) parts() []part {
	return []part{
		{"scale", &l.Scale},
		{"offset", &l.Offset},
		{"input_stats.min", &l.Min},
		{"input_stats.max", &l.Max},
		{"input_stats.mean", &l.Mean},
		{"input_stats.std", &l.Std},
	}
}

// Arrays returns the parts as arrays, named as in the checkpoints of the
// published policies: prefix "normalizer.params_dict.action." gives
// "normalizer.params_dict.action.scale" and so on.
func (l Linear) Arrays(prefix string) []Array {
	var out []Array
	for _, p := range l.parts() {
		out = append(out, Array{Name: prefix + p.name, Shape: []int{len(*p.values)}, Data: *p.values})
	}
	return out
}

// LinearFrom reads the parts that [Linear.Arrays] names. lookup returns the
// numbers of a name, as a checkpoint or an archive holds them. It returns a
// [FormatError] for a part that is not there.
func LinearFrom(prefix string, lookup func(name string) ([]float32, bool)) (Linear, error) {
	var l Linear
	for _, p := range l.parts() {
		v, ok := lookup(prefix + p.name)
		if !ok {
			return Linear{}, &keyError{Want: prefix + p.name}
		}
		*p.values = slices.Clone(v)
	}
	return l, l.Check()
}

// UnmarshalJSON reads a saved normaliser and checks it.
func (l *Linear) UnmarshalJSON(b []byte) error {
	type plain Linear
	if err := json.Unmarshal(b, (*plain)(l)); err != nil {
		return err
	}
	return l.Check()
}

// Normalize writes x·scale + offset to dst, which has the size of x and may be x.
func (l Linear) Normalize(dst, x tensor.Batch) {
	mustFit(len(l.Scale), dst, x)
	for i, v := range x.Data {
		c := i % len(l.Scale)
		dst.Data[i] = float32(v*l.Scale[c]) + l.Offset[c]
	}
}

// Unnormalize writes (x - offset)/scale to dst, which has the size of x and may
// be x.
func (l Linear) Unnormalize(dst, x tensor.Batch) {
	mustFit(len(l.Scale), dst, x)
	for i, v := range x.Data {
		c := i % len(l.Scale)
		dst.Data[i] = (v - l.Offset[c]) / l.Scale[c]
	}
}
