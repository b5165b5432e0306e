package maps

import (
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/quote"
	"github.com/go-pcd/pcd/internal/yamlfile"
)

// FormatError says what is wrong with the content of a file.
type FormatError struct {
	File    string
	Line    int // from 1; 0 when the file as a whole is at fault
	Message string
}

func (e *FormatError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("maps: %s, line %d: %s", quote.Text(e.File), e.Line, e.Message)
	}
	return fmt.Sprintf("maps: %s: %s", quote.Text(e.File), e.Message)
}

// OptionError says that a map cannot be read as was asked for.
type OptionError struct{ Option, Value, Want string }

func (e *OptionError) Error() string {
	return fmt.Sprintf("maps: %s is %s, want %s", e.Option, quote.Text(e.Value), e.Want)
}

// broken returns the error for a file as a whole.
func broken(file, format string, args ...any) error {
	return &FormatError{File: file, Message: fmt.Sprintf(format, args...)}
}

// brokenAt returns the error for a line of a file.
func brokenAt(file string, line int, format string, args ...any) error {
	return &FormatError{File: file, Line: line, Message: fmt.Sprintf(format, args...)}
}

// ofYAML makes an error of the YAML reader one of this package.
func ofYAML(file string, err error) error {
	var y *yamlfile.Error
	if errors.As(err, &y) {
		return brokenAt(file, y.Line, "%s", y.Message)
	}
	return fmt.Errorf("maps: %s: %w", quote.Text(file), err)
}

// errEnds says that a file ends where more is wanted.
var errEnds = errors.New("the file ends before it")
