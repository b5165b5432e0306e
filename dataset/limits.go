package dataset

import (
	"encoding/json"
	"fmt"

	"github.com/go-pcd/pcd/tensor"
)

// Limits maps each channel linearly from its range in the data to [-1, 1]. A
// channel is an element of the last axis.
//
// Source: Janner et al., "Planning with Diffusion for Flexible Behavior
// Synthesis" (ICML 2022), as used by the published multi-robot models.
type Limits struct {
	Min []float32 `json:"min"`
	Max []float32 `json:"max"`
}

// Clip says what [Limits.Unnormalize] does with values outside [-1, 1].
type Clip int

// The clip rules.
const (
	// ClipNone maps them like all others.
	ClipNone Clip = iota
	// ClipElement brings each to the nearest end of the range.
	ClipElement
	// ClipBatch leaves a batch alone while all its values lie within
	// 1+1e-4, and otherwise clips every value: the rule of the published
	// implementation. A sample's result then depends on its batch.
	ClipBatch
)

// clipTolerance is how far a value may leave [-1, 1] before ClipBatch clips.
const clipTolerance = 1e-4

// rangeError says that a channel is constant, so that its range cannot be mapped.
type rangeError struct {
	Channel  int
	Min, Max float32
}

func (e *rangeError) Error() string {
	return fmt.Sprintf("dataset: channel %d lies in [%v, %v], want a minimum below the maximum", e.Channel, e.Min, e.Max)
}

// As finds a [FormatError].
func (e *rangeError) As(target any) bool { return asFormat(target, e) }

// FitLimits finds the range of each channel over all samples. It returns a
// [tensor.NonFiniteError] for data with NaN or infinite values, and a
// [FormatError] for a constant channel.
func FitLimits(x tensor.Batch) (Limits, error) {
	channels, err := channelsOf(x)
	if err != nil {
		return Limits{}, err
	}
	l := Limits{Min: make([]float32, channels), Max: make([]float32, channels)}
	copy(l.Min, x.Data)
	copy(l.Max, x.Data)
	for i, v := range x.Data {
		c := i % channels
		l.Min[c], l.Max[c] = min(l.Min[c], v), max(l.Max[c], v)
	}
	return l, l.Check()
}

// channelsOf returns the length of the last axis of data that can be fitted.
func channelsOf(x tensor.Batch) (int, error) {
	if x.N == 0 || len(x.Shape) == 0 {
		return 0, &shapeError{Got: append([]int{x.N}, x.Shape...), Want: "at least one sample and one axis"}
	}
	return x.Shape[len(x.Shape)-1], x.CheckFinite()
}

// Check returns a [FormatError] for limits that cannot be used.
func (l Limits) Check() error {
	if len(l.Min) != len(l.Max) || len(l.Min) == 0 {
		return &shapeError{Array: "max", Got: []int{len(l.Max)}, Want: fmt.Sprintf("%d channels as in min, at least 1", len(l.Min))}
	}
	for c := range l.Min {
		if !(l.Min[c] < l.Max[c]) || l.Max[c]-l.Min[c] > maxFloat32 {
			return &rangeError{Channel: c, Min: l.Min[c], Max: l.Max[c]}
		}
	}
	return nil
}

// UnmarshalJSON reads saved limits and checks them.
func (l *Limits) UnmarshalJSON(b []byte) error {
	type plain Limits
	if err := json.Unmarshal(b, (*plain)(l)); err != nil {
		return err
	}
	return l.Check()
}

// Normalize writes 2(x-min)/(max-min)-1 to dst, which has the size of x and may
// be x.
func (l Limits) Normalize(dst, x tensor.Batch) {
	l.mustFit(dst, x)
	for i, v := range x.Data {
		c := i % len(l.Min)
		// The conversions keep compilers from fusing operations, so that results
		// agree on all machines.
		dst.Data[i] = float32(2*((v-l.Min[c])/(l.Max[c]-l.Min[c]))) - 1
	}
}

// Unnormalize writes (x+1)/2·(max-min)+min to dst, which has the size of x and
// may be x, after clipping by the given rule.
func (l Limits) Unnormalize(dst, x tensor.Batch, rule Clip) {
	l.mustFit(dst, x)
	clip := rule == ClipElement || rule == ClipBatch && exceeds(x.Data, 1+clipTolerance)
	for i, v := range x.Data {
		if clip {
			v = max(-1, min(1, v))
		}
		c := i % len(l.Min)
		dst.Data[i] = float32((v+1)/2*(l.Max[c]-l.Min[c])) + l.Min[c]
	}
}

func exceeds(x []float32, bound float32) bool {
	for _, v := range x {
		if v > bound || v < -bound {
			return true
		}
	}
	return false
}

func (l Limits) mustFit(dst, x tensor.Batch) { mustFit(len(l.Min), dst, x) }

// mustFit panics when batches do not have the given number of channels.
func mustFit(channels int, dst, x tensor.Batch) {
	if len(x.Data)%channels != 0 || len(x.Shape) > 0 && x.Shape[len(x.Shape)-1] != channels || len(dst.Data) != len(x.Data) {
		panic(fmt.Sprintf("dataset: shapes %v to %v with %d channels", x.Shape, dst.Shape, channels))
	}
}
