package blosc_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/blosc"
)

// series returns the first n bytes of the data that testdata was made from.
func series(n int) []byte {
	var b []byte
	for i := range n/4 + 1 {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(i%97*(i/97%13))/16))
	}
	return b[:n]
}

func load(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContainers(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.blosc")
	if err != nil || len(paths) != 15 {
		t.Fatalf("%d files, %v; want 15", len(paths), err)
	}
	for _, path := range paths {
		name := filepath.Base(path)
		var n int
		if _, err := fmt.Sscanf(name, "%d_", &n); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, n)
		err := blosc.Decode(got, load(t, name))
		if strings.Contains(name, "blosclz") {
			if err == nil || !strings.Contains(err.Error(), "codec blosclz is not supported") {
				t.Errorf("%s: %v, want the codec refused by name", name, err)
			}
			continue
		}
		if err != nil || !bytes.Equal(got, series(n)) {
			t.Errorf("%s: %v, equal: %v", name, err, bytes.Equal(got, series(n)))
		}
	}
}

func TestPlainCodecs(t *testing.T) {
	want := series(8000)
	for name, decode := range map[string]func(dst, src []byte) error{
		"8000_zlib.bin": blosc.Inflate,
		"8000_zstd.bin": blosc.DecodeZstd,
		"8000_lz4.bin":  func(dst, src []byte) error { return blosc.DecodeLZ4(dst, src[4:]) },
	} {
		src := load(t, name)
		got := make([]byte, len(want))
		if err := decode(got, src); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v", name, err)
		}
		for _, n := range []int{len(want) - 1, len(want) + 1} {
			if err := decode(make([]byte, n), src); err == nil {
				t.Errorf("%s into %d bytes: no error", name, n)
			}
		}
		if err := decode(got, src[:len(src)-3]); err == nil {
			t.Errorf("%s without its end: no error", name)
		}
	}
}

// Hand-made blocks, from the format description.
func TestLZ4(t *testing.T) {
	long := append([]byte{0xf0, 255, 3}, bytes.Repeat([]byte("x"), 15+255+3)...)
	for _, c := range []struct {
		src    string
		n      int
		want   string
		reason string
	}{
		{"\x30abc", 3, "abc", ""},
		{"\x00", 0, "", ""},
		{"\x12a\x01\x00\x10b", 8, "aaaaaaab", ""}, // a match of six that overlaps itself
		{"\x22ab\x02\x00\x10c", 9, "ababababc", ""},
		{string(long), 273, strings.Repeat("x", 273), ""},
		{"\x1fa\x01\x00\x05\x00", 25, strings.Repeat("a", 25), ""}, // 1 + 15 + 5 + 4
		{"", 0, "", "input ends"},
		{"\x30ab", 3, "", "input ends"},
		{"\x30abc", 2, "", "more output"},
		{"\x30abc", 4, "", "3 bytes, want 4"},
		{"\xf0", 15, "", "input ends"},
		{"\x10a\x01", 9, "", "input ends"},
		{"\x10a\x00\x00\x10b", 9, "", "0 bytes back"},
		{"\x10a\x02\x00\x10b", 9, "", "2 bytes back, after 1"},
		{"\x1fa\x01\x00\xff", 400, "", "input ends"},
		{"\x12a\x01\x00\x10b", 5, "", "more output"},
	} {
		dst := make([]byte, c.n)
		err := blosc.DecodeLZ4(dst, []byte(c.src))
		if c.reason == "" && (err != nil || string(dst) != c.want) {
			t.Errorf("DecodeLZ4(%q) = %q, %v, want %q", c.src, dst, err, c.want)
		}
		if c.reason != "" && (err == nil || !strings.Contains(err.Error(), c.reason)) {
			t.Errorf("DecodeLZ4(%q) into %d bytes: %v, want %q", c.src, c.n, err, c.reason)
		}
	}
}

func TestDamagedContainers(t *testing.T) {
	good := load(t, "8000_4_lz4_1.blosc")
	change := func(at int, b ...byte) []byte {
		out := bytes.Clone(good)
		copy(out[at:], b)
		return out
	}
	for _, c := range []struct {
		what   string
		src    []byte
		n      int
		block  int
		reason string
	}{
		{"empty", nil, 8000, -1, "0 bytes"},
		{"short", good[:15], 8000, -1, "15 bytes"},
		{"truncated", good[:len(good)-1], 8000, -1, "declares"},
		{"other size", good, 8001, -1, "8000 bytes after decompression, want 8001"},
		{"version 0", change(0, 0), 8000, -1, "version 0"},
		{"version 3", change(0, 3), 8000, -1, "version 3"},
		{"no element size", change(3, 0), 8000, -1, "zero bytes"},
		{"no block size", change(8, 0, 0, 0, 0), 8000, -1, "blocks of 0"},
		{"many blocks", change(8, 1, 0, 0, 0), 8000, -1, "do not fit"},
		{"huge size", change(4, 255, 255, 255, 255), 8000, -1, "4294967295 bytes"},
		{"copied", change(2, 0x22), 8000, -1, "uncompressed data"},
		{"unknown codec", change(2, 0xe1), 8000, 0, "unknown codec 7"},
		{"snappy", change(2, 0x41), 8000, 0, "codec snappy"},
		{"block start", change(16, 255, 255, 255, 255), 8000, 0, "starts at byte"},
		{"block at the end", change(16, byte(len(good)), byte(len(good)>>8), 0, 0), 8000, 0, "want a length"},
		{"overlapping blocks", overlapping(), 4000, 447, "overlaps"},
		{"stream length", change(20, 255, 255, 255, 255), 8000, 0, "length 4294967295"},
	} {
		err := blosc.Decode(make([]byte, c.n), c.src)
		var be *blosc.Error
		if !errors.As(err, &be) || be.Block != c.block || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: %v, want a blosc.Error in block %d: %s", c.what, err, c.block, c.reason)
		}
	}
}

// overlapping returns a container of 1000 blocks of four bytes that all begin at
// one place; with longer streams it would cost the square of its length in time.
func overlapping() []byte {
	const blocks, start = 1000, 16 + 4*1000
	src := []byte{2, 1, 0x30, 4, 0xa0, 0x0f, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0}
	for range blocks {
		src = binary.LittleEndian.AppendUint32(src, start)
	}
	src = append(src, "\x05\x00\x00\x00\x40abcd"...)
	binary.LittleEndian.PutUint32(src[12:], uint32(len(src)))
	return src
}

func TestEmptyContainer(t *testing.T) {
	src := []byte{2, 1, 0x21, 4, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0}
	if err := blosc.Decode(nil, src); err != nil {
		t.Errorf("a container of nothing: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"20_4_lz4_1.blosc", "1288_4_zstd_2.blosc", "8000_4_lz4_1.blosc", "8000_4_zlib_1.blosc", "8003_4_lz4_2.blosc"} {
		f.Add(load(f, name))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) < 16 {
			return
		}
		n := binary.LittleEndian.Uint32(src[4:])
		if n > 1<<16 {
			return
		}
		one, two := make([]byte, n), make([]byte, n)
		err1, err2 := blosc.Decode(one, src), blosc.Decode(two, src)
		if (err1 == nil) != (err2 == nil) || err1 == nil && !bytes.Equal(one, two) {
			t.Errorf("two decodings differ: %v, %v", err1, err2)
		}
		var be *blosc.Error
		if err1 != nil && !errors.As(err1, &be) {
			t.Errorf("%v is no blosc.Error", err1)
		}
	})
}

func FuzzLZ4(f *testing.F) {
	f.Add([]byte("\x12a\x01\x00\x10b"), uint16(8))
	f.Add([]byte("\x1fa\x01\x00\x05\x00"), uint16(25))
	f.Fuzz(func(t *testing.T, src []byte, n uint16) {
		guard := bytes.Repeat([]byte{0xa5}, int(n)+8)
		_ = blosc.DecodeLZ4(guard[:n:n], src)
		if !bytes.Equal(guard[n:], bytes.Repeat([]byte{0xa5}, 8)) {
			t.Error("wrote past the end of dst")
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"100000_4_lz4_1.blosc", "1288_4_zstd_2.blosc", "8000_4_lz4_2.blosc"} {
		b.Run(name, func(b *testing.B) {
			src := load(b, name)
			dst := make([]byte, binary.LittleEndian.Uint32(src[4:]))
			b.SetBytes(int64(len(dst)))
			for b.Loop() {
				if err := blosc.Decode(dst, src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
