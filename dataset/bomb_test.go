package dataset_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/weights"
)

// zeros returns a compressed archive with one array of n zeros.
func zeros(t *testing.T, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := dataset.NewNPZWriter(&b, true)
	a, err := w.Create("trajectories", weights.U8, n)
	if err != nil {
		t.Fatal(err)
	}
	for piece := make([]uint8, 1<<20); n > 0; n -= len(piece) {
		if err := dataset.Append(a, piece[:min(n, len(piece))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(a.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A small file that stands for a large array is refused, unless that was asked for.
func TestArraysAreInProportionToTheirFile(t *testing.T) {
	thorough.Test(t)
	path := filepath.Join(t.TempDir(), "a.npz")
	bomb := zeros(t, 70<<20) // in 70 KiB
	if err := os.WriteFile(path, bomb, 0o644); err != nil {
		t.Fatal(err)
	}
	var limit *dataset.LimitError
	if _, err := dataset.ReadNPZ(path, dataset.ReadOptions{}); !errors.As(err, &limit) || limit.Limit > 64<<20+32*int64(len(bomb)) {
		t.Errorf("ReadNPZ of %d bytes: %v, want a LimitError", len(bomb), err)
	}
	if a, err := dataset.ReadNPZ(path, dataset.ReadOptions{MaxBytes: 1 << 30}); err != nil || a[0].Elements() != 70<<20 {
		t.Errorf("with a limit of one's own: %v", err)
	}
}

// shared returns the archive with a second name for its only entry.
func shared(t *testing.T, archive []byte) []byte {
	t.Helper()
	le := binary.LittleEndian
	end := len(archive) - 22
	if le.Uint32(archive[end:]) != 0x06054b50 {
		t.Fatal("no end of the directory")
	}
	start, size := int(le.Uint32(archive[end+16:])), int(le.Uint32(archive[end+12:]))
	entry := archive[start : start+size]
	second := bytes.Replace(entry, []byte("trajectories"), []byte("trajectorieS"), 1)
	out := append(bytes.Clone(archive[:start+size]), second...)
	tail := bytes.Clone(archive[end:])
	le.PutUint16(tail[8:], 2)
	le.PutUint16(tail[10:], 2)
	le.PutUint32(tail[12:], uint32(2*size))
	return append(out, tail...)
}

func TestEntriesDoNotShareTheirBytes(t *testing.T) {
	b := shared(t, zeros(t, 1<<20))
	_, err := dataset.NewNPZ(bytes.NewReader(b), int64(len(b)), "shared.npz", dataset.ReadOptions{})
	var format *dataset.FormatError
	if !errors.As(err, &format) || !strings.Contains(err.Error(), "entries of more than") {
		t.Errorf("NewNPZ = %v, want a FormatError", err)
	}
}

// A zip archive in which a chunk that is compressed already is compressed again
// stands for any amount of memory.
func TestReplayArchiveIsInProportion(t *testing.T) {
	thorough.Test(t)
	const rows = 70 << 20
	meta := func(shape, kind, compressor string) string {
		return fmt.Sprintf(`{"zarr_format":2,"shape":[%s],"chunks":[%s],"dtype":"%s","compressor":%s,"filters":null,"order":"C","fill_value":0}`, shape, shape, kind, compressor)
	}
	var ends [8]byte
	binary.LittleEndian.PutUint64(ends[:], rows)
	path := filepath.Join(t.TempDir(), "a.zip")
	write := func(action string) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, f := range [][2]string{
			{"r.zarr/meta/episode_ends/.zarray", meta("1", "<i8", "null")}, {"r.zarr/meta/episode_ends/0", string(ends[:])},
			{"r.zarr/data/action/.zarray", meta(fmt.Sprint(rows), "|u1", "null")}, {"r.zarr/data/action/0", action},
		} {
			w, err := z.Create(f[0])
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write([]byte(f[1])); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(z.Close(), os.WriteFile(path, b.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(strings.Repeat("\x00", rows)) // in 70 KiB
	var limit *dataset.LimitError
	if _, err := dataset.OpenReplayArchive(path, dataset.ReplayOptions{}); !errors.As(err, &limit) {
		t.Errorf("OpenReplayArchive = %v, want a LimitError", err)
	}
	generous := dataset.ReplayOptions{ReadOptions: dataset.ReadOptions{MaxBytes: 1 << 30}}
	if b, err := dataset.OpenReplayArchive(path, generous); err != nil || b.Rows() != rows {
		t.Errorf("with a limit of one's own: %v", err)
	}
}

// Names from files cannot steer a terminal.
func TestForeignNamesAreQuoted(t *testing.T) {
	const name = "x\x1b[31m\nok"
	for _, err := range []error{
		&dataset.FormatError{File: "f", Part: name, Reason: "r"}, &dataset.LimitError{What: name}, &dataset.KeyError{Want: name, Have: []string{name}},
		&dataset.TypeError{Array: name}, &dataset.ShapeError{Array: name},
	} {
		if strings.ContainsAny(err.Error(), "\x1b\n") {
			t.Errorf("%T: %q", err, err)
		}
	}
}
