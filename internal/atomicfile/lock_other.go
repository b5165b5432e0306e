//go:build !unix || solaris || aix

package atomicfile

import "os"

// Folders cannot be locked here.
func lock(*os.File) {}
