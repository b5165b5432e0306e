package dataset

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/weights"
)

const (
	zarrArrayFile = ".zarray"
	maxMetadata   = 1 << 20   // bytes of a metadata file
	maxChunk      = 256 << 20 // bytes of a chunk in memory
)

// zarrMetadata is the content of a .zarray file.
type zarrMetadata struct {
	Format     int             `json:"zarr_format"`
	Shape      []int           `json:"shape"`
	Chunks     []int           `json:"chunks"`
	Type       json.RawMessage `json:"dtype"`
	Compressor *struct {
		ID string `json:"id"`
	} `json:"compressor"`
	Filters   []json.RawMessage `json:"filters"`
	Order     string            `json:"order"`
	Separator string            `json:"dimension_separator"`

	stored     weights.DType
	bigEndian  bool
	chunkSize  int // elements of a chunk
	arraySize  int // elements of the array
	compressor string
}

// readZarrMetadata reads and checks the description of the array at p.
//
// Source: the zarr storage specification, version 2.
func readZarrMetadata(fsys fs.FS, p string, opts ReadOptions) (*zarrMetadata, error) {
	name := path.Join(p, zarrArrayFile)
	b, err := readFile(fsys, name, maxMetadata)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &FormatError{File: name, Reason: "missing", Err: err}
	}
	if err != nil {
		return nil, err
	}
	var m zarrMetadata
	if err := json.Unmarshal(b, &m); err != nil {
		return nil, &FormatError{File: name, Reason: "not the metadata of an array", Err: err}
	}
	if err := m.check(); err != nil {
		return nil, &FormatError{File: name, Err: err}
	}
	return &m, m.checkSize(name, opts.maxBytes())
}

// check refuses what is not read.
func (m *zarrMetadata) check() error {
	if m.Format != 2 {
		return fmt.Errorf("zarr format %d, want 2", m.Format)
	}
	var code string
	if err := json.Unmarshal(m.Type, &code); err != nil {
		return fmt.Errorf("element type %.100q: structured types are not read", m.Type)
	}
	var err error
	if m.stored, m.bigEndian, err = parseType(code); err != nil {
		return err
	}
	if m.Compressor != nil {
		m.compressor = m.Compressor.ID
		if decoders[m.compressor] == nil {
			return fmt.Errorf("compressor %.40q is not read", m.compressor)
		}
	}
	if m.Separator == "" {
		m.Separator = "."
	}
	switch {
	case len(m.Filters) > 0:
		return errors.New("filters are not read")
	case m.Order != "C" && m.Order != "F":
		return fmt.Errorf("order %.40q, want C or F", m.Order)
	case m.Separator != "." && m.Separator != "/":
		return fmt.Errorf("dimension separator %.40q, want . or /", m.Separator)
	case len(m.Shape) != len(m.Chunks) || len(m.Shape) == 0 || len(m.Shape) > maxRank:
		return fmt.Errorf("%d axes in chunks of %d axes, want 1 to %d of both", len(m.Shape), len(m.Chunks), maxRank)
	case slices.Min(m.Chunks) < 1:
		return fmt.Errorf("chunks of %v", m.Chunks)
	case slices.Min(m.Shape) < 0:
		return fmt.Errorf("shape %v", m.Shape)
	}
	return nil
}

// checkSize bounds the array and its chunks.
func (m *zarrMetadata) checkSize(name string, limit int64) error {
	size := int64(memoryType(m.stored).Size())
	n, ok := dtype.Elements(m.Shape, limit/size)
	if !ok {
		return &limitError{What: fmt.Sprintf("%s: bytes for shape %v", name, m.Shape), Value: saturate(m.Shape, size), Limit: limit}
	}
	limit = min(limit, maxChunk)
	chunk, ok := dtype.Elements(m.Chunks, limit/size)
	if !ok {
		return &limitError{What: fmt.Sprintf("%s: bytes of a chunk of %v", name, m.Chunks), Value: saturate(m.Chunks, size), Limit: limit}
	}
	m.arraySize, m.chunkSize = int(n), int(chunk)
	return nil
}

// grid returns the number of chunks along each axis.
func (m *zarrMetadata) grid() []int {
	g := make([]int, len(m.Shape))
	for i, d := range m.Shape {
		g[i] = (d + m.Chunks[i] - 1) / m.Chunks[i]
	}
	return g
}

// chunkName returns the name of a chunk's file within the array's folder.
func (m *zarrMetadata) chunkName(index []int) string {
	parts := make([]string, len(index))
	for i, n := range index {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, m.Separator)
}

// zarrArrays lists the arrays of a group.
func zarrArrays(fsys fs.FS, group string) ([]string, error) {
	entries, err := fs.ReadDir(fsys, group)
	if err != nil {
		return nil, &FormatError{File: group, Reason: "not a zarr group", Err: err}
	}
	var names []string
	for _, e := range entries {
		if _, err := fs.Stat(fsys, path.Join(group, e.Name(), zarrArrayFile)); err == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
