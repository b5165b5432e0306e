package singlefile

import (
	"os"
	"path/filepath"
)

// Beside returns the folder that further parts of a model are in: the model's own, or that of
// its file.
func Beside(path string) string {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return filepath.Dir(path)
	}
	return path
}
