package modelfile

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/nn"
	"github.com/go-pcd/pcd/weights"
)

// Save writes parameters with a description under a key, as a file that appears whole
// or not at all. Elements are rounded to a float type; numbers that it cannot hold are
// a [weights.FormatError].
func Save(path, key string, spec any, params []*nn.Param, as weights.DType) error {
	meta, err := Metadata(key, spec)
	if err != nil {
		return err
	}
	sd := &weights.StateDict{}
	for _, p := range params {
		if err := sd.Add(weights.New(p.Name, p.Shape, p.Values())); err != nil {
			return err
		}
	}
	if sd, err = sd.As(as); err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error { return weights.WriteSafetensors(w, sd, meta) })
}

// Metadata returns a description for the metadata of a weights file.
func Metadata(key string, spec any) (map[string]string, error) {
	text, err := json.Marshal(spec)
	return map[string]string{key: string(text)}, err
}

// Digest identifies a model in manifests: the SHA-256 of its description as JSON and of
// the names, shapes and float32 elements of its parameters. It does not depend on the
// file, its format or the element type that it keeps the same numbers in.
func Digest(spec any, params []*nn.Param) (string, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%d %s\n", len(text), text)
	var buf [4 * 1024]byte
	for _, p := range params {
		fmt.Fprintf(h, "%q %v\n", p.Name, []int(p.Shape))
		for data := p.Values(); len(data) > 0; {
			n := min(len(data), len(buf)/4)
			for i, v := range data[:n] {
				binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(v))
			}
			h.Write(buf[:4*n])
			data = data[n:]
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
