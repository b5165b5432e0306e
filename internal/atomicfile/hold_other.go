//go:build !unix || solaris || aix

package atomicfile

import (
	"io/fs"
	"os"
)

// Folders cannot be held here, and so none counts as abandoned.
func hold(*os.File) error     { return nil }
func abandoned(*os.File) bool { return false }

func mine(fs.FileInfo) bool     { return false }
func number(fs.FileInfo) string { return "?" }
