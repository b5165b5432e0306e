package denoise_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/denoise"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

var errBroken = errors.New("broken")

// line predicts slope·x at every timestep, and fails where it is told to.
type line struct {
	slope   float32
	kind    schedule.Kind
	breaks  string // the method that fails; "" is none
	limit   int
	more    int  // numbers than two
	pending *int // pullbacks that hold memory
}

func (l *line) Shape() tensor.Shape { return tensor.Shape{2 + l.more} }
func (l *line) Kind() schedule.Kind { return l.kind }

func (l *line) times(method string, dst, x tensor.Batch) error {
	if l.breaks == method {
		return errBroken
	}
	for i, v := range x.Data {
		dst.Data[i] = l.slope * v
	}
	return nil
}

func (l *line) Predict(_ context.Context, dst, x tensor.Batch, _ int) error {
	return l.times("Predict", dst, x)
}

func (l *line) VJP(_ context.Context, dst, _, cotangent tensor.Batch, _ int) error {
	return l.times("VJP", dst, cotangent)
}

func (l *line) Linearize(_ context.Context, dst, x tensor.Batch, _ int) (denoise.Pullback, error) {
	if err := l.times("Linearize", dst, x); err != nil {
		return nil, err
	}
	*l.pending++
	return &kept{line: l}, nil
}

func (l *line) LinearizeLimit() int { return l.limit }

// kept is what a prediction kept.
type kept struct {
	*line
	released bool
}

func (k *kept) VJP(_ context.Context, dst, cotangent tensor.Batch) error {
	defer k.Release()
	return k.times("Pullback", dst, cotangent)
}

func (k *kept) Release() {
	if !k.released {
		k.released = true
		*k.pending--
	}
}

// between can be asked at any time.
type between struct{ line }

func (b *between) At(t float64) denoise.Denoiser {
	if b.breaks == "At" {
		return nil
	}
	return &line{slope: b.slope + float32(t), kind: b.kind}
}

// wrapped returns a composition of two models and a conversion of the second, of which the second one may fail.
func wrapped(t *testing.T, breaks string, pending *int) map[string]denoise.Linearizer {
	t.Helper()
	s, err := schedule.SquaredCosine(20)
	if err != nil {
		t.Fatal(err)
	}
	first := &line{slope: 2, kind: schedule.Epsilon, limit: 6, pending: pending}
	second := &line{slope: 3, kind: schedule.Epsilon, breaks: breaks, limit: 3, pending: pending}
	composed, err := denoise.Compose([]denoise.Denoiser{first, second}, []float64{1, -0.5})
	if err != nil {
		t.Fatal(err)
	}
	converted, err := denoise.Convert(second, schedule.X0, s)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]denoise.Linearizer{"composed": composed.(denoise.Linearizer), "converted": converted.(denoise.Linearizer)}
}

// An error of a model that others are made of comes through every method, and nothing that a prediction kept is held then.
func TestErrorsOfModelsComeThrough(t *testing.T) {
	x := tensor.Batch{N: 2, Shape: tensor.Shape{2}, Data: []float32{1, 2, 3, 4}}
	dst := tensor.New(2, 2)
	for _, breaks := range []string{"", "Predict", "VJP", "Linearize", "Pullback"} {
		pending := 0
		for name, m := range wrapped(t, breaks, &pending) {
			for method, call := range map[string]func() error{
				"Predict": func() error { return m.Predict(t.Context(), dst, x, 7) },
				"VJP":     func() error { return m.VJP(t.Context(), dst, x, x, 7) },
				"Linearize": func() error {
					p, err := m.Linearize(t.Context(), dst, x, 7)
					if err == nil {
						p.Release()
					}
					return err
				},
				"Pullback": func() error {
					p, err := m.Linearize(t.Context(), dst, x, 7)
					if err != nil {
						return nil // tried above
					}
					return p.VJP(t.Context(), dst, x)
				},
			} {
				if err := call(); errors.Is(err, errBroken) != (method == breaks) {
					t.Errorf("%s model whose %s fails: %s says %v", name, breaks, method, err)
				}
				if pending != 0 {
					t.Errorf("%s model whose %s fails: after %s %d pullbacks hold memory", name, breaks, method, pending)
				}
			}
		}
	}
}

// A conversion knows the timesteps of its schedule only, and keeps nothing for others.
func TestConversionsBeyondTheirSchedule(t *testing.T) {
	pending := 0
	m := wrapped(t, "", &pending)["converted"]
	x, dst := tensor.New(1, 2), tensor.New(1, 2)
	if err := m.Predict(t.Context(), dst, x, 20); err == nil {
		t.Error("Predict at timestep 20 of 20: no error")
	}
	if _, err := m.Linearize(t.Context(), dst, x, 20); err == nil || pending != 0 {
		t.Errorf("Linearize at timestep 20 of 20: %v, and %d pullbacks hold memory", err, pending)
	}
}

// A composition is the weighted sum of its models, and so is its product with a Jacobian; it keeps what both keep.
func TestCompositionsOfLines(t *testing.T) {
	pending := 0
	m := wrapped(t, "", &pending)["composed"]
	x := tensor.Batch{N: 1, Shape: tensor.Shape{2}, Data: []float32{1, -4}}
	want := []float32{0.5, -2} // (2 - 3/2) x
	dst := tensor.New(1, 2)
	if err := m.VJP(t.Context(), dst, x, x, 7); err != nil || !slices.Equal(dst.Data, want) {
		t.Errorf("VJP gives %v, %v; want %v", dst.Data, err, want)
	}
	p, err := m.Linearize(t.Context(), dst, x, 7)
	if err != nil || !slices.Equal(dst.Data, want) || pending != 2 {
		t.Errorf("Linearize gives %v, %v and keeps %d; want %v of both models", dst.Data, err, pending, want)
	}
	dst.Data[0] = 9
	if err := p.VJP(t.Context(), dst, x); err != nil || !slices.Equal(dst.Data, want) || pending != 0 {
		t.Errorf("the pullback gives %v, %v and %d are kept; want %v", dst.Data, err, pending, want)
	}
	if got := denoise.LinearizeLimit(m); got != 2 {
		t.Errorf("%d samples at a time, want 2: 6 of one model or 3 of the other fill the memory", got)
	}
}

// Models that can be asked between timesteps are asked there, also in compositions; others know whole timesteps only.
func TestModelsBetweenTimesteps(t *testing.T) {
	whole := &line{slope: 2, kind: schedule.Epsilon}
	real, mute := &between{line{slope: 5, kind: schedule.Epsilon}}, &between{line{kind: schedule.Epsilon, breaks: "At"}}
	compose := func(models ...denoise.Denoiser) denoise.Denoiser {
		m, err := denoise.Compose(models, []float64{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for name, c := range map[string]struct {
		model denoise.Denoiser
		at    float64
		slope float32 // of the answer; NaN is none
	}{
		"whole": {whole, 3, 2}, "between whole": {whole, 3.5, float32(math.NaN())}, "real": {real, 3.5, 8.5}, "mute": {mute, 3.5, float32(math.NaN())},
		"real at a whole one": {real, 3, 5}, "two": {compose(real, real), 0.5, 16.5}, "a part knows none": {compose(real, whole), 0.5, float32(math.NaN())},
	} {
		m, err := denoise.At(c.model, c.at)
		if c.slope != c.slope {
			if err == nil || !strings.Contains(err.Error(), "3.5") && !strings.Contains(err.Error(), "0.5") {
				t.Errorf("%s: %v, want an error that names the timestep", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		dst := tensor.New(1, 2)
		x := tensor.Batch{N: 1, Shape: tensor.Shape{2}, Data: []float32{1, 1}}
		if err := m.Predict(t.Context(), dst, x, 0); err != nil || dst.Data[0] != c.slope {
			t.Errorf("%s: slope %v, %v; want %v", name, dst.Data[0], err, c.slope)
		}
	}
}

// What cannot be composed or converted is refused, and says why.
func TestCompositionsThatMakeNoSense(t *testing.T) {
	noise, estimate := &line{kind: schedule.Epsilon}, &line{kind: schedule.X0}
	two := func(w ...float64) func() error {
		return func() error { _, err := denoise.Compose([]denoise.Denoiser{noise, noise}, w); return err }
	}
	for says, f := range map[string]func() error{
		"2 models and 1 weights": two(1), "weight 1 is NaN": two(1, math.NaN()), "weight 0 is +Inf": two(math.Inf(1), 1),
		"model 0 predicts": func() error { _, err := denoise.Compose([]denoise.Denoiser{estimate}, []float64{1}); return err },
		"model 1 predicts": func() error {
			_, err := denoise.Compose([]denoise.Denoiser{noise, estimate}, []float64{1, 1})
			return err
		},
		"model 1 has shape": func() error {
			_, err := denoise.Compose([]denoise.Denoiser{noise, &line{kind: schedule.Epsilon, more: 1}}, []float64{1, 1})
			return err
		},
		"unknown kind":       func() error { _, err := denoise.Convert(noise, schedule.Kind(99), nil); return err },
		"needs the schedule": func() error { _, err := denoise.Convert(noise, schedule.X0, nil); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
