//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package weights

import (
	"io"

	"github.com/go-pcd/pcd/internal/regular"
)

// openMapping reads a file whole where files are not mapped.
func openMapping(path string) (*mapping, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	return &mapping{path: path, data: data, release: func([]byte) error { return nil }}, nil
}
