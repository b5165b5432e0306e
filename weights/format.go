package weights

import (
	"bytes"
	"encoding/binary"
	"strings"

	"github.com/go-pcd/pcd/internal/torchfile"
)

// The formats that [sniff] tells apart. Archives of NumPy arrays are not read here.
const (
	unknown       = "unknown format"
	safetensors   = "safetensors"        // length, JSON header, raw tensors
	pyTorch       = "PyTorch"            // zip archive of torch.save
	pyTorchLegacy = "PyTorch before 1.6" // pickle stream of torch.save before version 1.6
	npz           = "npz"                // zip archive of NumPy arrays; see package dataset
	gguf          = "GGUF"               // of ggml: pairs, descriptions, aligned tensors
)

// sniff tells the format from the first bytes of a file; 512 are enough.
func sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		if strings.HasSuffix(firstEntry(head), ".npy") {
			return npz
		}
		return pyTorch
	case bytes.HasPrefix(head, []byte(ggufMagic)):
		return gguf
	case bytes.HasPrefix(head, torchfile.LegacyMagic):
		return pyTorchLegacy
	case len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= maxHeader:
		return safetensors
	}
	return unknown
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
