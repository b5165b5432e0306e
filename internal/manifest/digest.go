package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/regular"
)

// DigestFile returns the SHA-256 of a file, as sha256sum prints it. That of a
// folder is the SHA-256 of a line "digest  name" for every file in it, in the order
// of their names. Links are what they lead to; one that leads nowhere has no digest but "missing".
func DigestFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return digestOne(path)
	}
	lines := sha256.New()
	err = digestFolder(lines, path, "", nil)
	return hex.EncodeToString(lines.Sum(nil)), err
}

// digestFolder writes the lines of a folder in that whose digest is asked for, under the name that it has there. A link to one of
// the folders above is passed over: what is in it is digested already.
func digestFolder(w io.Writer, folder, name string, above []string) error {
	place, err := filepath.EvalSymlinks(folder)
	if err != nil || slices.Contains(above, place) {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		file, name := filepath.Join(folder, e.Name()), path.Join(name, e.Name())
		info, err := os.Stat(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && e.Type()&fs.ModeSymlink != 0:
			fmt.Fprintf(w, "missing  %s\n", name)
			continue
		case err != nil:
			return err
		case info.IsDir():
			if err := digestFolder(w, file, name, append(above, place)); err != nil {
				return err
			}
			continue
		}
		digest, err := digestOne(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s  %s\n", digest, name)
	}
	return nil
}

// digestOne returns the digest of a regular file.
func digestOne(path string) (string, error) { return digestOf(regular.Open(path)) }

// digestOf returns the digest of a file that was just opened, and closes it.
func digestOf(f *os.File, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// DigestBytes returns the SHA-256 of data.
func DigestBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
