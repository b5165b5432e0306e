package weights

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/dtype"
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
	From    Format   `json:"from"`
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
		return nil, &FormatError{Path: out, Format: Unknown, Reason: "only safetensors is written; give a name that ends in .safetensors"}
	}
	if opts.DType != dtype.Invalid && !opts.DType.Float() {
		return nil, fmt.Errorf("weights: convert to %v: want a float type", opts.DType)
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

// cast returns a collection whose float tensors have another element type. They
// are converted when they are read.
func (sd *StateDict) cast(d DType) *StateDict {
	out := *sd
	out.tensors = sd.Tensors()
	for i, t := range out.tensors {
		if !t.DType.Float() || t.DType == d {
			continue
		}
		out.tensors[i] = Tensor{Name: t.Name, Shape: t.Shape, DType: d, bytes: func() ([]byte, error) { return t.encode(d) }}
	}
	return &out
}

// encode returns the elements as another float type. Finite numbers that it
// cannot hold are an error.
func (t Tensor) encode(d DType) ([]byte, error) {
	values, err := t.Float32s(nil)
	if err != nil {
		return nil, err
	}
	raw := d.AppendFloat32s(make([]byte, 0, len(values)*d.Size()), values)
	back := make([]float32, len(values))
	d.Float32s(back, raw)
	for i, v := range values {
		if math.IsInf(float64(back[i]), 0) && !math.IsInf(float64(v), 0) {
			return nil, &FormatError{Format: Safetensors, Tensor: t.Name, Reason: fmt.Sprintf("element %d is %v, too large for %v", i, v, d)}
		}
	}
	return raw, nil
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
