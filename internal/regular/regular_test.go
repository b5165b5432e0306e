package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{file: nil, filepath.Dir(file): ErrKind, os.DevNull: ErrKind} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		err = Check(path, info)
		var named *fs.PathError
		if !errors.Is(err, want) || want != nil && (!errors.As(err, &named) || named.Path != path) {
			t.Errorf("Check(%s) = %v, want %v", path, err, want)
		}
	}
}
