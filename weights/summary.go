package weights

import (
	"math"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/dtype"
)

// Summary describes a file of weights.
type Summary struct {
	Path      string            `json:"path"`
	Format    string            `json:"format"`
	FileBytes int64             `json:"file_bytes"` // of all files, if it is divided
	Metadata  map[string]string `json:"metadata,omitempty"`
	Skipped   []string          `json:"skipped,omitempty"` // classes that were passed over
	Tensors   []TensorSummary   `json:"tensors"`
	Elements  int               `json:"elements"` // of all tensors
	NaN       int               `json:"nan"`
	Inf       int               `json:"inf"`
}

// TensorSummary describes one tensor.
type TensorSummary struct {
	Name     string `json:"name"`
	DType    DType  `json:"dtype"`
	Shape    []int  `json:"shape"`
	Elements int    `json:"elements"`
	Bytes    int    `json:"bytes"`
	// Stats is nil when elements are not numbers that are read here.
	Stats *Stats `json:"stats,omitempty"`
}

// Stats describes the elements of a tensor. Minimum, maximum and mean are over
// the Finite elements, and zero when there are none.
type Stats struct {
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
	Mean   float64 `json:"mean"`
	Finite int     `json:"finite"`
	NaN    int     `json:"nan"`
	Inf    int     `json:"inf"`
}

// Summary describes tensors that were opened at path. It decodes every one once.
func (sd *StateDict) Summary(path string) (*Summary, error) {
	s := &Summary{
		Path: filepath.Clean(path), Format: sd.Format, FileBytes: sd.FileBytes(),
		Metadata: sd.Metadata, Skipped: sd.Skipped, Tensors: []TensorSummary{},
	}
	for _, t := range sd.tensors {
		if err := s.add(t); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Summary) add(t Tensor) error {
	row := TensorSummary{Name: t.Name, DType: t.DType, Shape: t.Shape, Elements: t.Elements(), Bytes: t.Bytes()}
	if dtype.Float(t.DType) || dtype.Integer(t.DType) {
		stats, err := t.stats()
		if err != nil {
			return err
		}
		row.Stats = &stats
		s.NaN += stats.NaN
		s.Inf += stats.Inf
	}
	s.Elements += row.Elements
	s.Tensors = append(s.Tensors, row)
	return nil
}

// stats computes the statistics of a float, integer or bool tensor in float64.
func (t Tensor) stats() (Stats, error) {
	if !dtype.Float(t.DType) && !dtype.Integer(t.DType) {
		return Stats{}, &dtypeError{Tensor: t.Name, DType: t.DType, Want: "a float or integer type"}
	}
	s := Stats{Min: math.Inf(1), Max: math.Inf(-1)}
	n := float64(max(1, t.Elements()))
	err := t.eachChunk(func(values []float64) {
		for _, v := range values {
			switch {
			case math.IsNaN(v):
				s.NaN++
			case math.IsInf(v, 0):
				s.Inf++
			default:
				s.Finite++
				s.Min, s.Max = math.Min(s.Min, v), math.Max(s.Max, v)
				s.Mean += v / n // cannot overflow, as the sum could
			}
		}
	})
	if s.Finite == 0 {
		s.Min, s.Max = 0, 0
	} else {
		s.Mean *= n / float64(s.Finite)
	}
	return s, err
}
