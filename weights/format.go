package weights

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/go-pcd/pcd/internal/torchfile"
)

// Format is a file format.
type Format int

// The formats that [sniff] tells apart. NPZ is not read here.
const (
	Unknown       Format = iota
	Safetensors          // length, JSON header, raw tensors
	PyTorch              // zip archive of torch.save
	PyTorchLegacy        // pickle stream of torch.save before version 1.6
	NPZ                  // zip archive of NumPy arrays; see package dataset
	GGUF                 // of ggml: pairs, descriptions, aligned tensors
)

var formatNames = [...]string{"unknown format", "safetensors", "PyTorch", "PyTorch before 1.6", "npz", "GGUF"}

// String returns the name of the format.
func (f Format) String() string {
	if f < 0 || int(f) >= len(formatNames) {
		return fmt.Sprintf("Format(%d)", int(f))
	}
	return formatNames[f]
}

// MarshalText writes the name, for JSON summaries.
func (f Format) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// sniff tells the format from the first bytes of a file; 512 are enough.
func sniff(head []byte) Format {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		if strings.HasSuffix(firstEntry(head), ".npy") {
			return NPZ
		}
		return PyTorch
	case bytes.HasPrefix(head, []byte(ggufMagic)):
		return GGUF
	case bytes.HasPrefix(head, torchfile.LegacyMagic):
		return PyTorchLegacy
	case len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxHeader:
		return Safetensors
	}
	return Unknown
}

// firstEntry returns the name in the first local header of a zip archive.
func firstEntry(head []byte) string {
	const fixed = 30
	if len(head) < fixed {
		return ""
	}
	n := int(binary.LittleEndian.Uint16(head[26:]))
	return string(head[fixed:min(len(head), fixed+n)])
}
