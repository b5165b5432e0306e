package lerobot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/go-pcd/pcd/internal/regular"
)

// table is a parquet file. Columns are numbers, one for each row, or lists of them.
type table struct {
	name string
	raw  *os.File
	file *parquet.File
}

func openTable(dir, name string) (t *table, err error) {
	raw, err := regular.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, &Error{name, "cannot be read", err}
	}
	t = &table{name: name, raw: raw}
	info, err := raw.Stat()
	if err == nil {
		err = t.guarded(func() (err error) {
			t.file, err = parquet.OpenFile(raw, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
			return err
		})
	}
	if err != nil {
		raw.Close()
		return nil, &Error{name, "is no parquet file that can be read", err}
	}
	return t, nil
}

func (t *table) close() { t.raw.Close() } // only read

func (t *table) rows() int64 { return t.file.NumRows() }

// guarded turns what the library panics at, broken files, into errors.
func (t *table) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	return f()
}

// numbers appends a column of lists of size numbers, or of one number, to dst.
func (t *table) numbers(dst []float32, key string, size int) ([]float32, error) {
	err := t.column(key, size, func(v parquet.Value) error {
		switch v.Kind() {
		case parquet.Float:
			dst = append(dst, v.Float())
		case parquet.Double:
			dst = append(dst, narrow(v.Double()))
		default:
			return fmt.Errorf("numbers of type %v, want float32 or float64", v.Kind())
		}
		return nil
	})
	return dst, err
}

// integers reads a column of integers.
func (t *table) integers(key string) (out []int64, err error) {
	err = t.column(key, 1, func(v parquet.Value) error {
		switch v.Kind() {
		case parquet.Int64:
			out = append(out, v.Int64())
		case parquet.Int32:
			out = append(out, int64(v.Int32()))
		default:
			return fmt.Errorf("numbers of type %v, want int64", v.Kind())
		}
		return nil
	})
	return out, err
}

// column calls take with every value of a column of lists of size values. A row without a value,
// or with another number of them, is an error.
func (t *table) column(key string, size int, take func(parquet.Value) error) error {
	bad := func(format string, args ...any) error {
		return &Error{t.name, fmt.Sprintf("column %q ", key) + fmt.Sprintf(format, args...), nil}
	}
	leaf, ok := t.leaf(key)
	if !ok {
		return bad("is missing, or is neither numbers nor lists of them")
	}
	rows, inRow := int64(0), size
	value := func(v parquet.Value) error {
		if v.RepetitionLevel() == 0 {
			if inRow != size {
				return bad("has %d values in row %d, want %d", inRow, rows-1, size)
			}
			rows, inRow = rows+1, 0
		}
		if v.DefinitionLevel() != leaf.MaxDefinitionLevel {
			return bad("has no value in row %d", rows-1)
		}
		if inRow++; inRow > size {
			return bad("has more than %d values in row %d", size, rows-1)
		}
		return take(v)
	}
	for _, g := range t.file.RowGroups() {
		chunk := g.ColumnChunks()[leaf.ColumnIndex]
		if err := t.guarded(func() error { return eachValue(chunk.Pages(), value) }); err != nil {
			var own *Error
			if errors.As(err, &own) {
				return err
			}
			return &Error{t.name, fmt.Sprintf("column %q cannot be read", key), err}
		}
	}
	if rows != t.rows() || inRow != size {
		return bad("has %d rows of %d values, want %d", rows, size, t.rows())
	}
	return nil
}

// leaf returns the only column of values under a name.
func (t *table) leaf(key string) (parquet.LeafColumn, bool) {
	var found []string
	for _, path := range t.file.Schema().Columns() {
		if path[0] == key {
			if found != nil {
				return parquet.LeafColumn{}, false
			}
			found = path
		}
	}
	if found == nil {
		return parquet.LeafColumn{}, false
	}
	return t.file.Schema().Lookup(found...)
}

// eachValue calls f with the values of pages.
func eachValue(pages parquet.Pages, f func(parquet.Value) error) error {
	defer pages.Close()
	var block [512]parquet.Value
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		values := page.Values()
		for more := true; more; {
			n, err := values.ReadValues(block[:])
			for _, v := range block[:n] {
				if err := f(v); err != nil {
					return err
				}
			}
			if more = err == nil; !more && !errors.Is(err, io.EOF) {
				return err
			}
		}
		parquet.Release(page)
	}
}
