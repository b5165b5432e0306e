package attack

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"path"
)

// Zip changes the entries of an archive: their content by the mutator of their name,
// their names, number, compression, and the sizes that the directory claims.
func Zip(r *rand.Rand, file []byte) []byte {
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil || len(z.File) == 0 || r.IntN(10) == 0 {
		return Bytes(r, file)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	chosen, how := r.IntN(len(z.File)), r.IntN(10)
	for i, f := range z.File {
		data, err := read(f)
		if err != nil {
			return Bytes(r, file)
		}
		entry := zip.FileHeader{Name: f.Name, Method: f.Method}
		if i != chosen {
			add(w, entry, data)
			continue
		}
		for _, e := range changeEntry(r, how, entry, data) {
			add(w, e.FileHeader, e.data)
		}
	}
	if w.Close() != nil {
		return Bytes(r, file)
	}
	out := b.Bytes()
	if how == 9 {
		claim(r, out)
	}
	return out
}

// entry is a file of an archive.
type entry struct {
	zip.FileHeader
	data []byte
}

// changeEntry returns what stands in the place of an entry.
func changeEntry(r *rand.Rand, how int, h zip.FileHeader, data []byte) []entry {
	switch how {
	case 0:
		return nil
	case 1:
		other := h
		other.Name = path.Dir(h.Name) + "/" + pick(r, words)
		return []entry{{h, data}, {other, data}}
	case 2:
		h.Name = pick(r, words) + path.Ext(h.Name)
	case 3: // a great deal of nothing
		h.Method = zip.Deflate
		data = append(bytes.Clone(data), make([]byte, pick(r, []int{1 << 16, 1 << 20, 1 << 26}))...)
	case 4:
		h.Method = zip.Deflate - h.Method
	default:
		data = byName(h.Name)(r, data)
	}
	return []entry{{h, data}}
}

// byName returns the mutator for an entry.
func byName(name string) Mutator {
	switch path.Ext(name) {
	case ".npy":
		return NPY
	case ".pkl":
		return Pickle
	case ".zarray", ".zgroup", ".zattrs", ".json":
		return JSON
	}
	return Bytes
}

func read(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, 1<<26))
}

func add(w *zip.Writer, h zip.FileHeader, data []byte) {
	h.Name = string(bytes.ToValidUTF8([]byte(h.Name), []byte("?")))
	if f, err := w.CreateHeader(&h); err == nil {
		_, _ = f.Write(data) // into memory
	}
}

// claim changes sizes in the directory of an archive, or points two entries at the
// same bytes.
func claim(r *rand.Rand, archive []byte) {
	for at := 0; ; {
		i := bytes.Index(archive[at:], []byte("PK\x01\x02"))
		if i < 0 || at+i+46 > len(archive) {
			return
		}
		at += i
		switch r.IntN(4) {
		case 0:
			writeNumber(r, archive[at+20:]) // compressed
		case 1:
			writeNumber(r, archive[at+24:]) // uncompressed
		case 2:
			binary.LittleEndian.PutUint32(archive[at+42:], 0) // offset
		}
		at += 46
	}
}
