// Package regular tells files from what only has the name of one: a folder, a pipe that
// nobody writes to, for which a program would wait, or a device, which may have no end.
package regular

import (
	"errors"
	"io/fs"
)

// ErrKind is the cause of the errors of [Check].
var ErrKind = errors.New("it is a folder, a device or a pipe, want a file")

// Check returns an error for what is no regular file, where info is what the system says
// of path before it is opened.
func Check(path string, info fs.FileInfo) error {
	if info.Mode().IsRegular() {
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: ErrKind}
}
