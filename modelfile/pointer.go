package modelfile

import (
	"bytes"
	"os"
	"slices"

	"github.com/go-pcd/pcd/internal/regular"
)

// pointerStart begins the files that stand for others in a copy of a repository until Git LFS brings these.
var pointerStart = []byte("version https://git-lfs")

const maxPointer = 1 << 10

// downloaded leaves out weights of which there is no more than a pointer, unless there are no others:
// of a repository, people take one variant.
func downloaded(files []string) []string {
	there := slices.DeleteFunc(slices.Clone(files), isPointer)
	if len(there) == 0 {
		return files
	}
	return there
}

func isPointer(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxPointer {
		return false
	}
	data, err := regular.ReadFile(path, maxPointer)
	return err == nil && bytes.HasPrefix(data, pointerStart)
}
