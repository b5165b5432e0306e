package experiment

import (
	"bytes"
	"compress/gzip"
	"maps"
	"strings"
	"testing"
)

// gzipped compresses lines.
func gzipped(lines ...string) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	for _, l := range lines {
		z.Write([]byte(l + "\n"))
	}
	z.Close()
	return b.Bytes()
}

func unpackBytes(data []byte) (map[string][]byte, error) {
	return unpack(bytes.NewReader(data), int64(len(data)))
}

// TestArchiveRefuses reads archives that no evaluation has written.
func TestArchiveRefuses(t *testing.T) {
	const header = `{"format":"pcd results 1","files":1}`
	file := func(name string) string { return `{"file":"` + name + `","content":{}}` }
	good := gzipped(header, file("a.json"))
	if files, err := unpackBytes(good); err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1 // of the checksum
	for name, data := range map[string][]byte{
		"no gzip":           []byte(header),
		"nothing":           nil,
		"another format":    gzipped(`{"format":"zip","files":0}`),
		"negative count":    gzipped(`{"format":"pcd results 1","files":-1}`),
		"fewer files":       gzipped(header),
		"more files":        gzipped(header, file("a.json"), file("b.json")),
		"cut":               good[:len(good)-9],
		"wrong checksum":    flipped,
		"no JSON":           gzipped(header, "{"),
		"no content":        gzipped(header, `{"file":"a.json"}`),
		"outside":           gzipped(header, file("../a.json")),
		"another folder":    gzipped(header, file("b/a.json")),
		"hidden":            gzipped(header, file(".a.json")),
		"another ending":    gzipped(header, file("a.txt")),
		"backslash":         gzipped(header, file(`calls\\..\\a.json`)),
		"the same twice":    gzipped(`{"format":"pcd results 1","files":2}`, file("a.json"), file("a.json")),
		"out of order":      gzipped(`{"format":"pcd results 1","files":2}`, file("b.json"), file("a.json")),
		"endless line":      gzipped(header, `{"file":"a.json","content":"`+strings.Repeat("a", largestFile)+`"}`),
		"bomb":              gzipped(strings.Repeat(" ", 8<<20)+header, file("a.json")),
		"a billion of them": gzipped(`{"format":"pcd results 1","files":1000000000}`, file("a.json")),
	} {
		if files, err := unpackBytes(data); err == nil {
			t.Errorf("%s: %d files are read", name, len(files))
		}
	}
}

// FuzzUnpack reads anything; what it accepts, it packs to what it reads again.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte(`{"format":"pcd results 1","files":1}` + "\n" + `{"file":"a.json","content":{"x":1}}`))
	f.Add([]byte(`{"format":"pcd results 1","files":1}` + "\n" + `{"file":"calls/a.json","content":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		files, err := unpackBytes(gzipped(string(text)))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := pack(&b, files); err != nil {
			t.Fatal(err)
		}
		again, err := unpackBytes(b.Bytes())
		if err != nil || len(again) != len(files) {
			t.Fatalf("%v, %v instead of %v", again, err, files)
		}
		var c bytes.Buffer
		if err := pack(&c, again); err != nil || !bytes.Equal(b.Bytes(), c.Bytes()) {
			t.Errorf("packed again, the archive differs: %v", err)
		}
		if !maps.EqualFunc(files, again, func(a, b []byte) bool { return len(b) <= len(a) }) {
			t.Errorf("%q instead of %q", again, files)
		}
	})
}
