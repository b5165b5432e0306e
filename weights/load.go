package weights

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/quote"
)

// Target is a parameter of a network that waits for its values.
type Target struct {
	Name  string
	Shape []int
	Data  []float32 // one place for each element, row-major
}

// LoadOptions relaxes [Load]. The zero value is strict.
type LoadOptions struct {
	Keys            KeyMap // renames the tensors of the file first
	AllowMissing    bool   // leave targets that the file lacks as they are
	AllowUnexpected bool   // pass over tensors that no target has
	AllowNonFinite  bool   // accept NaN and infinite values
}

// Load copies tensors to the targets of the same name. Unless everything fits,
// it returns a [LoadError] that lists all tensors concerned and writes nothing.
func Load(dst []Target, sd *StateDict, opts LoadOptions) error {
	if err := checkTargets(dst); err != nil {
		return err
	}
	source, err := sd.Rename(opts.Keys)
	if err != nil {
		return err
	}
	pairs, misfit := match(dst, source, opts)
	if err := misfit.orNil(); err != nil {
		return err
	}
	if !opts.AllowNonFinite {
		for _, p := range pairs {
			n, err := p.from.NonFinite()
			if err != nil {
				return err
			}
			if n > 0 {
				misfit.NonFinite = append(misfit.NonFinite, NonFinite{p.from.Name, n})
			}
		}
		if err := misfit.orNil(); err != nil {
			return err
		}
	}
	for _, p := range pairs {
		if _, err := p.from.Float32s(p.to.Data); err != nil {
			return err
		}
	}
	return nil
}

// Check reports whether tensors fit the names and shapes of a network, without
// reading them: nil, or the [LoadError] that [Load] would return. It is for sizes that
// come from elsewhere than the tensors: nothing has to be allocated before they have
// been compared.
func Check(want []Spec, sd *StateDict, opts LoadOptions) error {
	source, err := sd.Rename(opts.Keys)
	if err != nil {
		return err
	}
	targets := make([]Target, len(want))
	for i, s := range want {
		targets[i] = Target{Name: s.Name, Shape: s.Shape}
	}
	_, misfit := match(targets, source, opts)
	return misfit.orNil()
}

type pair struct {
	to   Target
	from Tensor
}

// match pairs targets with tensors and lists what does not fit.
func match(dst []Target, sd *StateDict, opts LoadOptions) ([]pair, *LoadError) {
	misfit := &LoadError{}
	pairs := make([]pair, 0, len(dst))
	wanted := make(map[string]bool, len(dst))
	for _, to := range dst {
		wanted[to.Name] = true
		from, ok := sd.Tensor(to.Name)
		switch {
		case !ok && opts.AllowMissing:
		case !ok:
			misfit.Missing = append(misfit.Missing, Spec{to.Name, to.Shape})
		case !slices.Equal(from.Shape, to.Shape):
			misfit.Mismatched = append(misfit.Mismatched, mismatch{to.Name, to.Shape, from.Shape})
		case !dtype.Float(from.DType):
			misfit.Unsupported = append(misfit.Unsupported, dtypeError{Tensor: to.Name, DType: from.DType, Want: wantFloat})
		default:
			pairs = append(pairs, pair{to, from})
		}
	}
	for _, t := range sd.tensors {
		if !wanted[t.Name] && !opts.AllowUnexpected {
			misfit.Unexpected = append(misfit.Unexpected, Spec{t.Name, t.Shape})
		}
	}
	return pairs, misfit
}

// checkTargets finds mistakes of the caller: places that do not fill the shape,
// and a name that appears twice.
func checkTargets(dst []Target) error {
	seen := make(map[string]bool, len(dst))
	for _, t := range dst {
		if seen[t.Name] {
			return &nameError{Name: t.Name}
		}
		seen[t.Name] = true
		if n := (Tensor{Shape: t.Shape}).Elements(); n != len(t.Data) {
			panic(fmt.Sprintf("weights: target %q has %d places for shape %v", t.Name, len(t.Data), t.Shape))
		}
	}
	return nil
}

// NonFinite counts the elements that are NaN or infinite as float32. It returns a
// [FormatError] when the elements are not floating-point numbers.
func (t Tensor) NonFinite() (count int, err error) {
	if !dtype.Float(t.DType) {
		return 0, &dtypeError{Tensor: t.Name, DType: t.DType, Want: wantFloat}
	}
	err = t.read(func(raw []byte) error {
		count = dtype.NonFinite(t.DType, raw)
		return nil
	})
	return count, err
}

// eachChunk decodes the elements of a float or integer tensor piece by piece.
// The slice is reused.
func (t Tensor) eachChunk(f func([]float64)) error {
	var buf [1024]float64
	return t.read(func(raw []byte) error {
		size := t.DType.Size()
		for len(raw) > 0 {
			n := min(len(buf), len(raw)/size)
			dtype.Float64s(t.DType, buf[:n], raw)
			f(buf[:n])
			raw = raw[n*size:]
		}
		return nil
	})
}

// Spec is the name and shape of a tensor.
type Spec struct {
	Name  string
	Shape []int
}

// mismatch is a tensor whose shape differs from that of its target.
type mismatch struct {
	Name      string
	Want, Got []int
}

// NonFinite is a tensor with elements that are NaN, infinite or too large for
// float32.
type NonFinite struct {
	Name  string
	Count int
}

// LoadError lists everything that keeps a file from fitting a network.
type LoadError struct {
	Missing     []Spec // targets without a tensor
	Unexpected  []Spec // tensors without a target
	Mismatched  []mismatch
	Unsupported []dtypeError
	NonFinite   []NonFinite
}

func (e *LoadError) orNil() error {
	if len(e.Missing)+len(e.Unexpected)+len(e.Mismatched)+len(e.Unsupported)+len(e.NonFinite) == 0 {
		return nil
	}
	return e
}

func (e *LoadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "weights: the file does not fit the network: %d missing, %d unexpected, %d of another shape, %d of another type, %d not finite",
		len(e.Missing), len(e.Unexpected), len(e.Mismatched), len(e.Unsupported), len(e.NonFinite))
	list(&b, e.Missing, func(s Spec) string { return fmt.Sprintf("missing %s %v", quote.Text(s.Name), s.Shape) })
	list(&b, e.Unexpected, func(s Spec) string { return fmt.Sprintf("unexpected %s %v", quote.Text(s.Name), s.Shape) })
	list(&b, e.Mismatched, func(m mismatch) string { return fmt.Sprintf("%s is %v, want %v", quote.Text(m.Name), m.Got, m.Want) })
	list(&b, e.Unsupported, func(d dtypeError) string {
		return fmt.Sprintf("%s has type %v, want %s", quote.Text(d.Tensor), d.DType, d.Want)
	})
	list(&b, e.NonFinite, func(n NonFinite) string {
		return fmt.Sprintf("%s has %d values that are not finite", quote.Text(n.Name), n.Count)
	})
	return b.String()
}

// listed is how many tensors of a kind a message names.
const listed = 20

// list writes a line for each of the first misfits of a kind.
func list[T any](b *strings.Builder, misfits []T, line func(T) string) {
	for _, m := range misfits[:min(listed, len(misfits))] {
		b.WriteString("\n  " + line(m))
	}
	if more := len(misfits) - listed; more > 0 {
		fmt.Fprintf(b, "\n  … and %d more like it", more)
	}
}
