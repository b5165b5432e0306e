package experiment

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// An archive holds the JSON files of a folder of results as gzip-compressed lines
// of JSON. The first line is an [archiveHeader], every other an [archivedFile], in
// the order of their names. The same files make the same bytes.

// archiveFormat names the format, with its version.
const archiveFormat = "pcd results 1"

type archiveHeader struct {
	Format string `json:"format"`
	Files  int    `json:"files"`
}

type archivedFile struct {
	File    string          `json:"file"`
	Content json.RawMessage `json:"content"`
}

// The bounds of what an archive may unpack to.
const (
	largestArchive  = 64 << 20 // bytes of the archive
	largestUnpacked = 256 << 20
	// largestRatio is how many times its size an archive may unpack to, beyond a
	// megabyte. Results compress to a seventh or eighth.
	largestRatio = 100
)

// writeArchive writes files by name, and reads them back.
func writeArchive(name string, files map[string][]byte) error {
	return atomicfile.Write(name, func(w io.Writer) error {
		var packed bytes.Buffer
		if err := pack(&packed, files); err != nil {
			return err
		}
		again, err := unpack(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
		if err != nil {
			return err
		}
		if !maps.EqualFunc(files, again, bytes.Equal) {
			return errors.New("the archive does not hold what was written to it")
		}
		_, err = w.Write(packed.Bytes())
		return err
	})
}

func pack(w io.Writer, files map[string][]byte) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	lines := json.NewEncoder(z)
	lines.SetEscapeHTML(false)
	if err := lines.Encode(archiveHeader{Format: archiveFormat, Files: len(files)}); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := lines.Encode(archivedFile{File: name, Content: files[name]}); err != nil {
			return err
		}
	}
	return z.Close()
}

// readArchive reads the files of an archive by name.
func readArchive(name string) (map[string][]byte, error) {
	f, err := regular.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	files, err := unpack(f, info.Size())
	if err != nil {
		return nil, &FileError{Path: name, Err: err}
	}
	return files, nil
}

// unpack reads an archive of size bytes.
func unpack(r io.Reader, size int64) (map[string][]byte, error) {
	if size > largestArchive {
		return nil, fmt.Errorf("it has %d MB, more than %d", size>>20, largestArchive>>20)
	}
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("it is not a gzip file: %w", err)
	}
	limit := min(largestUnpacked, 1<<20+largestRatio*size)
	lines := bufio.NewScanner(io.LimitReader(z, limit))
	lines.Buffer(nil, largestFile)
	var header archiveHeader
	if err := nextLine(lines, &header); err != nil {
		return nil, fmt.Errorf("its first line: %w", err)
	}
	if header.Format != archiveFormat || header.Files < 0 {
		return nil, fmt.Errorf("its first line is not that of %q", archiveFormat)
	}
	files := map[string][]byte{}
	last := ""
	for i := range header.Files {
		var f archivedFile
		if err := nextLine(lines, &f); err != nil {
			return nil, fmt.Errorf("file %d of %d: %w", i+1, header.Files, err)
		}
		if err := checkArchivedName(f.File, last); err != nil {
			return nil, err
		}
		if f.Content == nil {
			return nil, fmt.Errorf("%q has no content", f.File)
		}
		files[f.File], last = f.Content, f.File
	}
	if lines.Scan() {
		return nil, fmt.Errorf("it goes on after its %d files", header.Files)
	}
	return files, lines.Err() // also that of a wrong checksum
}

// nextLine reads one line of JSON.
func nextLine(lines *bufio.Scanner, v any) error {
	if !lines.Scan() {
		if err := lines.Err(); err != nil {
			return err
		}
		return io.ErrUnexpectedEOF
	}
	return json.Unmarshal(lines.Bytes(), v)
}

// checkArchivedName refuses names that lead out of the folder, and those that do
// not come after the last one.
func checkArchivedName(name, last string) error {
	dir, file := path.Split(name)
	inside := dir == "" || dir == callsDir+"/"
	if !inside || strings.HasPrefix(file, ".") || strings.Contains(name, `\`) || !strings.HasSuffix(file, cellEnding) {
		return fmt.Errorf("it holds a file of the name %q", name)
	}
	if name <= last {
		return fmt.Errorf("%q follows %q, want files in the order of their names", name, last)
	}
	return nil
}
