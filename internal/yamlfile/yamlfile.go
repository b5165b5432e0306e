// Package yamlfile reads YAML files that strangers may have written.
//
// It reads the part of YAML that settings need: mappings, sequences and scalars, in
// block and flow style. Anchors, aliases and merge keys are refused, because a few
// of them stand for gigabytes; so are block scalars, because the time to read one
// grows with the square of its length; and nesting beyond [MaxDepth], for the same
// reason. A byte-order mark is passed over. Memory and time are bounded by
// [Options.MaxBytes].
//
// Every error about the content of a file is an [Error].
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// MaxDepth is the number of collections that may lie within each other.
const MaxDepth = 16

// Options says what is accepted. The zero value is not useful: MaxBytes must be set.
type Options struct {
	MaxBytes int64 // of the file
	// Strict makes keys errors that the destination does not have; they are passed
	// over otherwise.
	Strict bool
	Help   string // the keys there are, for messages; "" lists those of the destination
}

// Error says where a file cannot be read. Line and Column count from 1; they are 0
// when the file as a whole is at fault.
type Error struct {
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// ErrEmpty is returned for a file without content.
var ErrEmpty = &Error{Message: "the file is empty"}

// Decode reads one document into v, a pointer to a struct. It returns an [Error], or
// the error of r.
func Decode(r io.Reader, v any, o Options) error {
	data, err := io.ReadAll(io.LimitReader(r, o.MaxBytes+1))
	if err != nil {
		return err
	}
	if int64(len(data)) > o.MaxBytes {
		return &Error{Message: fmt.Sprintf("the file is larger than %d KiB", o.MaxBytes>>10)}
	}
	if data, err = plainText(data); err != nil {
		return err
	}
	if err := checkBlocks(data); err != nil {
		return err
	}
	return guard(func() error {
		if err := checkTokens(string(data)); err != nil {
			return err
		}
		return decode(data, v, o)
	})
}

// plainText returns UTF-8 text without its byte-order mark.
func plainText(data []byte) ([]byte, error) {
	for _, mark := range []string{"\xff\xfe", "\xfe\xff"} {
		if bytes.HasPrefix(data, []byte(mark)) {
			return nil, &Error{Message: "the file is text in UTF-16, want UTF-8"}
		}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 || r == 0 {
			line, column := position(data, i)
			return nil, &Error{Line: line, Column: column, Message: fmt.Sprintf("byte %#02x is not text in UTF-8", data[i])}
		}
		i += n
	}
	return data, nil
}

// position returns the line and column of a byte, both from 1.
func position(data []byte, at int) (line, column int) {
	before := data[:at]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// guard makes an error of a panic: the decoder has them for some malformed input.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = &Error{Message: "not the YAML that is read; write plain keys, lists, texts and numbers, without tags (!)"}
		}
	}()
	return f()
}

func decode(data []byte, v any, o Options) error {
	var options []yaml.DecodeOption
	if o.Strict {
		options = append(options, yaml.Strict())
	}
	d := yaml.NewDecoder(bytes.NewReader(data), options...)
	if err := d.Decode(v); errors.Is(err, io.EOF) {
		return ErrEmpty
	} else if err != nil {
		return describe(err, v, o)
	}
	var next struct{}
	if err := d.Decode(&next); !errors.Is(err, io.EOF) {
		return &Error{Message: "the file holds more than one document"}
	}
	return nil
}
