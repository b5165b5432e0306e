package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"path"
	"time"
)

// file is one of an archive.
type file struct {
	name       string
	data       []byte
	executable bool
}

func (f file) mode() int64 {
	if f.executable {
		return 0o755
	}
	return 0o644
}

// tarred packs files into a folder of a name: nothing of the machine gets in.
func tarred(folder string, files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: f.mode(), Size: int64(len(f.data)), ModTime: when, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := t.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := errors.Join(t.Close(), z.Close())
	return b.Bytes(), err
}

// zipped does the same for systems that open zip archives.
func zipped(folder string, files []file, when time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: when})
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(w, bytes.NewReader(f.data)); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
