package torchfile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
)

// archive gives the entries of a zip file by name, as slices of the file.
type archive struct {
	data    []byte
	entries map[string]*zip.File
	pickle  *zip.File
	prefix  string // folder of data.pkl, with its slash
}

func openArchive(data []byte) (*archive, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, &Error{Part: "zip directory", Reason: "unreadable, as where the file is cut off", Err: err}
	}
	a := &archive{data: data, entries: make(map[string]*zip.File, len(z.File))}
	for _, f := range z.File {
		if a.entries[f.Name] != nil {
			return nil, &Error{Part: clip(f.Name), Reason: "the archive has two entries of this name"}
		}
		a.entries[f.Name] = f
		switch path.Base(f.Name) {
		case "constants.pkl":
			return nil, &Error{Part: clip(f.Name), Reason: "a TorchScript program, want a state dict"}
		case "data.pkl":
			if a.pickle != nil {
				return nil, &Error{Part: clip(f.Name), Reason: "a second data.pkl"}
			}
			a.pickle = f
			a.prefix = strings.TrimSuffix(f.Name, "data.pkl")
		}
	}
	if a.pickle == nil {
		return nil, &Error{Part: "data.pkl", Reason: "missing; not written by torch.save"}
	}
	return a, a.checkByteOrder()
}

// checkByteOrder refuses archives of big-endian machines.
func (a *archive) checkByteOrder() error {
	f := a.entries[a.prefix+"byteorder"]
	if f == nil {
		return nil
	}
	b, err := a.stored(f)
	if err == nil && string(b) != "little" {
		err = &Error{Part: clip(f.Name), Reason: fmt.Sprintf("byte order %s, want little", clip(string(b)))}
	}
	return err
}

// program returns the bytes of data.pkl after checking them.
func (a *archive) program() ([]byte, error) {
	if n := a.pickle.UncompressedSize64; n > maxPickle {
		return nil, &LimitError{What: "PyTorch archive: bytes of data.pkl", Value: int64(min(n, 1<<62)), Limit: maxPickle}
	}
	b, err := a.stored(a.pickle)
	if err != nil {
		return nil, err
	}
	return b, checksum(a.pickle, b)
}

// stored returns the bytes of an uncompressed entry without copying them.
func (a *archive) stored(f *zip.File) ([]byte, error) {
	if f.Method != zip.Store || f.CompressedSize64 != f.UncompressedSize64 {
		return nil, &Error{Part: clip(f.Name), Reason: "compressed; torch.save stores entries uncompressed"}
	}
	start, err := f.DataOffset()
	if err != nil {
		return nil, &Error{Part: clip(f.Name), Reason: "no local header", Err: err}
	}
	if start > int64(len(a.data)) || f.UncompressedSize64 > uint64(int64(len(a.data))-start) {
		return nil, &Error{Part: clip(f.Name), Reason: fmt.Sprintf("%d bytes at %d reach past the end of the file (%d bytes)",
			f.UncompressedSize64, start, len(a.data))}
	}
	end := start + int64(f.UncompressedSize64)
	return a.data[start:end:end], nil
}

// clip makes text of a file fit for a message.
func clip(s string) string { return quote.Text(s) }
