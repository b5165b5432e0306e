package manifest

import (
	"bytes"
	"debug/elf"
	"io"

	"github.com/go-pcd/pcd/internal/regular"
)

// buildPrefix and buildSuffix enclose the build ID at the beginning of the code of a program.
var buildPrefix, buildSuffix = []byte("\xff Go build ID: \""), []byte("\"\n \xff")

// beginning is how much of a program is searched for its build ID, as by "go tool buildid".
const beginning = 32 << 10

// buildID returns the ID that the linker writes into a program, "" where it did not. Its last
// part is a digest of the program, so that nobody has to read the whole of it, models included.
func buildID(program string) string {
	f, err := regular.Open(program)
	if err != nil {
		return ""
	}
	defer f.Close()
	if id := noteID(f); id != "" {
		return id
	}
	text, err := io.ReadAll(io.NewSectionReader(f, 0, beginning))
	if err != nil {
		return ""
	}
	_, rest, _ := bytes.Cut(text, buildPrefix)
	id, _, whole := bytes.Cut(rest, buildSuffix)
	if !whole {
		return ""
	}
	return string(id)
}

// noteID returns the build ID of an ELF file: a header of sixteen bytes, three lengths and
// a name, stands before it.
func noteID(r io.ReaderAt) string {
	f, err := elf.NewFile(r)
	if err != nil {
		return ""
	}
	section := f.Section(".note.go.buildid")
	if section == nil {
		return ""
	}
	note, err := section.Data()
	if err != nil || len(note) < 16 || f.ByteOrder.Uint32(note[4:]) > uint32(len(note)-16) {
		return ""
	}
	return string(note[16 : 16+f.ByteOrder.Uint32(note[4:])])
}
