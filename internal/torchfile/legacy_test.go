package torchfile_test

import (
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/torchfile"
)

// legacyStorage is the storage of key 0 with a number of elements.
func legacyStorage(elements int, part string) string {
	return "(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpu" + num(elements) + part + "tQ"
}

// legacy is a file with a tensor of two elements in a storage.
func legacy(elements int, part, facts, keys string, count uint64, body int) []byte {
	tensor := rebuild + "(" + legacyStorage(elements, part) + "K\x00K\x02\x85K\x01\x85" + tail
	data := append([]byte{}, torchfile.LegacyMagic...)
	data = append(data, "\x80\x02M\xe9\x03."+facts+"\x80\x02}"+wKey+tensor+"s.\x80\x02"+keys+"."...)
	data = binary.LittleEndian.AppendUint64(data, count)
	return append(data, make([]byte, body)...)
}

const (
	little   = "\x80\x02}X\x0d\x00\x00\x00little_endian\x88s."
	big      = "\x80\x02}X\x0d\x00\x00\x00little_endian\x89s."
	keyZero  = "]X\x01\x00\x00\x000a"
	keyOne   = "]X\x01\x00\x00\x001a"
	keyTwice = "](X\x01\x00\x00\x000X\x01\x00\x00\x000e"
)

func TestLegacy(t *testing.T) {
	for what, c := range map[string]struct {
		data   []byte
		reason string // empty: accepted
	}{
		"two elements":    {legacy(2, "N", little, keyZero, 2, 8), ""},
		"big endian":      {legacy(2, "N", big, keyZero, 2, 8), "big-endian"},
		"part of another": {legacy(2, "K\x01", little, keyZero, 2, 8), "part of another"},
		"other key":       {legacy(2, "N", little, keyOne, 2, 8), "not in the description"},
		"two keys":        {legacy(2, "N", little, keyTwice, 2, 8), "want a list of the 1"},
		"no keys":         {legacy(2, "N", little, "]", 2, 8), "want a list of the 1"},
		"number":          {legacy(2, "N", little, "K\x01", 2, 8), "want a list"},
		"other count":     {legacy(2, "N", little, keyZero, 3, 12), "has 3 elements"},
		"truncated":       {legacy(2, "N", little, keyZero, 2, 7), "needs 8 bytes, 7 are left"},
		"trailing":        {legacy(2, "N", little, keyZero, 2, 9), "1 bytes behind"},
		"giant":           {legacy(1<<40, "N", little, keyZero, 1<<40, 8), "room for"},
		"negative":        {legacy(-1, "N", little, keyZero, 2, 8), "room for"},
		"small":           {legacy(1, "N", little, keyZero, 1, 4), "does not fit its storage"},
		"no facts":        {legacy(2, "N", "\x80\x02N.", keyZero, 2, 8), "no dictionary"},
		"version":         {append(append([]byte{}, torchfile.LegacyMagic...), "\x80\x02K\x01."...), "want 1001"},
		"no magic":        {[]byte("\x80\x02."), "magic"},
	} {
		f, err := torchfile.ParseLegacy(c.data, torchfile.Options{})
		var refused *torchfile.Error
		switch {
		case c.reason == "" && (err != nil || len(f.Tensors) != 1):
			t.Errorf("%s: %v, %v", what, f, err)
		case c.reason != "" && (!errors.As(err, &refused) || !strings.Contains(err.Error(), c.reason)):
			t.Errorf("%s: %v, want a *torchfile.Error that says %q", what, err, c.reason)
		}
	}
	code := strings.Replace(string(legacy(2, "N", little, keyZero, 2, 8)), wKey, evil+"0"+wKey, 1)
	var ge *torchfile.GlobalError
	if _, err := torchfile.ParseLegacy([]byte(code), torchfile.Options{}); !errors.As(err, &ge) {
		t.Errorf("code: %v, want a *torchfile.GlobalError", err)
	}
}

// FuzzLegacy reads any files: they end in an error or in tensors within their bytes.
func FuzzLegacy(f *testing.F) {
	f.Add(legacy(2, "N", little, keyZero, 2, 8))
	f.Add(legacy(1<<40, "N", big, keyTwice, 3, 9))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := torchfile.ParseLegacy(data, torchfile.Options{SkipObjects: true})
		if err != nil {
			return
		}
		for _, x := range file.Tensors {
			b, err := x.Storage.Bytes()
			if err != nil || int64(len(b)) != x.Storage.Elements*int64(x.Storage.DType.Size()) {
				t.Fatalf("%s: %d bytes, %v", x.Name, len(b), err)
			}
		}
	})
}
