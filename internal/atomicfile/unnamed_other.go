//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// unnamed fails where files cannot be without a name.
func unnamed(string) (*os.File, error) { return nil, errors.ErrUnsupported }

func linkAs(*os.File, string) error { return errors.ErrUnsupported }
