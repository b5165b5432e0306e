package lerobot

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"github.com/go-pcd/pcd/internal/regular"
)

// maxFile is the largest file of a picture of a size, in bytes: two of every channel, with
// transparency, twice, and room for what is written about it.
func maxFile(height, width int) int64 { return 16*int64(height)*int64(width) + 1<<16 }

// maxSide is the longest side of a picture, in pixels.
const maxSide = 1 << 13

// Picture returns the size of the pictures of a feature, whose shape has the channels, three of
// them, first or last.
func (f Feature) Picture() (height, width int, err error) {
	switch {
	case len(f.Shape) == 3 && f.Shape[2] == 3:
		height, width = f.Shape[0], f.Shape[1]
	case len(f.Shape) == 3 && f.Shape[0] == 3:
		height, width = f.Shape[1], f.Shape[2]
	}
	if height < 1 || width < 1 || height > maxSide || width > maxSide {
		return 0, 0, fmt.Errorf("pictures of shape %v, want height, width and 3 channels, with sides of up to %d pixels", f.Shape, maxSide)
	}
	return height, width, nil
}

// readPictures appends the files of the pictures of a table: the bytes in its rows, the file that
// a row names, or the one whose name follows from episode and frame.
func (d *Dataset) readPictures(t *table, key string, out *Frames, episodes, frames []int64) error {
	names := make([]string, len(episodes))
	height, width, err := d.Features[key].Picture()
	if err != nil {
		return err
	}
	most := maxFile(height, width)
	err = t.texts(key, "path", func(row int, b []byte) error {
		names[row] = string(b)
		return nil
	})
	if err != nil {
		return err
	}
	files := make([][]byte, len(episodes))
	err = t.texts(key, "bytes", func(row int, b []byte) error {
		if int64(len(b)) > most {
			return fmt.Errorf("a picture of %d bytes in row %d, more than the %d of one of %d×%d pixels", len(b), row, most, width, height)
		}
		files[row] = append([]byte(nil), b...)
		return nil
	})
	if err != nil {
		return err
	}
	for row, b := range files {
		if b != nil {
			continue
		}
		name := names[row]
		if name == "" || !filepath.IsLocal(name) || filepath.Dir(name) == "." {
			name = filepath.Join("images", key, fmt.Sprintf("episode_%06d", episodes[row]), fmt.Sprintf("frame_%06d.png", frames[row]))
		}
		if files[row], err = regular.ReadFile(filepath.Join(d.dir, name), most); err != nil {
			return &Error{t.name, fmt.Sprintf("feature %q has no picture in row %d, and its file cannot be read", key, row), err}
		}
	}
	out.Pictures[key] = append(out.Pictures[key], files...)
	return nil
}

// texts calls take with the bytes of a field of a column of pictures, row by row; rows without are
// left out, and so is a field that the column does not have.
func (t *table) texts(key, field string, take func(row int, b []byte) error) error {
	leaf, ok := t.file.Schema().Lookup(key, field)
	if !ok {
		if _, plain := t.leaf(key); plain {
			return &Error{t.name, fmt.Sprintf("column %q is no column of pictures, with bytes and path", key), nil}
		}
		return nil
	}
	row := int64(0)
	value := func(v parquet.Value) error {
		if v.RepetitionLevel() != 0 || row >= t.rows() {
			return fmt.Errorf("has more than one value in row %d", row)
		}
		row++
		switch {
		case v.IsNull():
			return nil
		case v.Kind() != parquet.ByteArray:
			return fmt.Errorf("is of type %v, want bytes", v.Kind())
		}
		return take(int(row-1), v.ByteArray())
	}
	for _, g := range t.file.RowGroups() {
		chunk := g.ColumnChunks()[leaf.ColumnIndex]
		if err := t.guarded(func() error { return eachValue(chunk.Pages(), value) }); err != nil {
			var own *Error
			if errors.As(err, &own) {
				return err
			}
			return &Error{t.name, fmt.Sprintf("column %q: %s", key, field), err}
		}
	}
	if row != t.rows() {
		return &Error{t.name, fmt.Sprintf("column %q has %d rows, want %d", key, row, t.rows()), nil}
	}
	return nil
}
