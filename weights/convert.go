package weights

import (
	"cmp"
	"io"
	"math"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/internal/quote"
)

// ConvertOptions selects what [Convert] writes. The zero value keeps everything.
type ConvertOptions struct {
	Options                   // how the input is read
	Keys    KeyMap            // renames or drops tensors
	DType   DType             // element type for all float tensors; zero keeps each one's own
	Meta    map[string]string // text for the header
}

// Conversion describes what was written.
type Conversion struct {
	In      string   `json:"in"`
	Out     string   `json:"out"`
	From    string   `json:"from"`
	Tensors int      `json:"tensors"`
	Dropped []string `json:"dropped,omitempty"` // names left out by the key map
	Skipped []string `json:"skipped,omitempty"` // classes that were passed over
	Bytes   int64    `json:"bytes"`             // of the new file
}

// Convert reads the file in and writes it as safetensors to out, whose name ends
// in ".safetensors". The new file appears whole or not at all. Metadata of a
// safetensors input is kept unless opts gives new text.
func Convert(in, out string, opts ConvertOptions) (*Conversion, error) {
	if !strings.HasSuffix(out, ".safetensors") {
		return nil, &OptionError{Option: "the name of the new file", Got: quote.Text(out), Want: "one that ends in .safetensors, the only format that is written"}
	}
	if opts.DType != dtype.Invalid && !dtype.Float(opts.DType) {
		return nil, notFloat(opts.DType)
	}
	sd, err := Open(in, opts.Options)
	if err != nil {
		return nil, err
	}
	defer sd.Close()
	renamed, err := sd.Rename(opts.Keys)
	if err != nil {
		return nil, err
	}
	c := &Conversion{In: in, Out: out, From: sd.Format, Tensors: renamed.Len(), Skipped: sd.Skipped}
	for _, t := range sd.tensors {
		if _, kept := opts.Keys.Apply(t.Name); !kept {
			c.Dropped = append(c.Dropped, t.Name)
		}
	}
	if opts.DType != dtype.Invalid {
		renamed = renamed.cast(opts.DType)
	}
	meta := opts.Meta
	if meta == nil {
		meta = sd.Metadata
	}
	err = atomicfile.Write(out, func(w io.Writer) error {
		counted := countingWriter{w: w}
		err := WriteSafetensors(&counted, renamed, meta)
		c.Bytes = counted.bytes
		return err
	})
	return c, err
}

func notFloat(d DType) error {
	return &OptionError{Option: "the element type to convert to", Got: d.String(), Want: wantFloat}
}

// As returns a collection whose float tensors have another float type. They are
// converted when they are read: finite numbers that it cannot hold are a [FormatError]
// then. The result shares the file of sd.
func (sd *StateDict) As(d DType) (*StateDict, error) {
	if !dtype.Float(d) {
		return nil, notFloat(d)
	}
	return sd.cast(d), nil
}

// cast returns a collection whose float tensors have another element type. They
// are converted when they are read.
func (sd *StateDict) cast(d DType) *StateDict {
	out := *sd
	out.tensors = sd.Tensors()
	for i, t := range out.tensors {
		if !dtype.Float(t.DType) || t.DType == d {
			continue
		}
		out.tensors[i] = Tensor{Name: t.Name, Shape: t.Shape, DType: d, bytes: func() ([]byte, error) { return t.encode(d) }}
	}
	return &out
}

// encode returns the elements as another float type. Finite numbers that it
// cannot hold are an error.
func (t Tensor) encode(d DType) ([]byte, error) {
	raw := make([]byte, 0, t.Elements()*d.Size())
	var narrow, back [1024]float32
	var tooLarge error
	done := 0
	err := t.eachChunk(func(values []float64) {
		n := len(values)
		for i, v := range values {
			narrow[i] = float32(v)
		}
		raw = dtype.AppendFloat32s(d, raw, narrow[:n])
		dtype.Float32s(d, back[:n], raw[len(raw)-n*d.Size():])
		for i, v := range values {
			if tooLarge == nil && math.IsInf(float64(back[i]), 0) && !math.IsInf(v, 0) {
				tooLarge = &rangeError{Tensor: t.Name, Element: done + i, Value: v, DType: d}
			}
		}
		done += n
	})
	return raw, cmp.Or(err, tooLarge)
}

// countingWriter counts what goes through it.
type countingWriter struct {
	w     io.Writer
	bytes int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += int64(n)
	return n, err
}
