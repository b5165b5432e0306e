package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/regular"
)

// DigestFile returns the SHA-256 of a file, as sha256sum prints it. That of a
// folder is the SHA-256 of a line "digest  name" for every file in it, in the order
// of their names.
func DigestFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return digestOne(path)
	}
	lines := sha256.New()
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		digest, err := digestOne(file)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(path, file)
		fmt.Fprintf(lines, "%s  %s\n", digest, filepath.ToSlash(name))
		return err
	})
	return hex.EncodeToString(lines.Sum(nil)), err
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
