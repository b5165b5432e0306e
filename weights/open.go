package weights

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/torchfile"
)

// Options selects how a file is read. The zero value is strict.
type Options struct {
	// SkipObjects passes over values of a PyTorch file that are neither tensors
	// nor plain data instead of refusing the file; they are never executed.
	SkipObjects bool
}

// Open maps a file and lists its tensors. The caller closes the result. A file
// that cannot be read is a [FormatError], a path that cannot be opened an
// [*io/fs.PathError].
//
// A PyTorch file with one bare tensor calls it "tensor". In a training checkpoint
// of Diffusion Policy (cfg, state_dicts, pickles) only the tensors below
// state_dicts are listed, under names such as
// "state_dicts.ema_model.model.final_conv.1.weight"; see [StateDict.Sub].
//
// A file whose name ends in ".index.json", or ".index.fp16.json" for a variant, names the files that the tensors of a large
// model are divided among: they are opened together. One that is absent, or that holds
// other tensors than the index says, is a [FormatError].
func Open(path string, opts Options) (*StateDict, error) {
	if isIndex(path) {
		return openIndex(path, opts)
	}
	return openFile(path, opts)
}

// openFile opens a single file.
func openFile(path string, opts Options) (*StateDict, error) {
	m, err := openMapping(path)
	if err != nil {
		return nil, err
	}
	var sd *StateDict
	err = m.guard(func() (err error) {
		sd, err = parse(m.data, m, opts)
		return err
	})
	if err != nil {
		var fe *FormatError
		if errors.As(err, &fe) {
			fe.Path = filepath.Clean(path)
		}
		m.close() // the first error says more
		return nil, err
	}
	return sd, nil
}

// Parse lists the tensors of a file in memory, which must not change while they
// are in use.
func Parse(data []byte, opts Options) (*StateDict, error) { return parse(data, nil, opts) }

func parse(data []byte, m *mapping, opts Options) (*StateDict, error) {
	format := sniff(data)
	sd := &StateDict{Format: format}
	if m != nil {
		sd.files = []*mapping{m}
	}
	var err error
	switch format {
	case safetensors:
		err = sd.parseSafetensors(data)
	case pyTorch:
		err = sd.parsePyTorch(torchfile.Parse, data, opts)
	case pyTorchLegacy:
		err = sd.parsePyTorch(torchfile.ParseLegacy, data, opts)
	case gguf:
		err = sd.parseGGUF(data)
	case npz:
		err = &FormatError{Format: format, Reason: "holds arrays without the order of a state dict; read it with package dataset"}
	default:
		err = &FormatError{Format: format, Reason: "the file " + begins(data) + ", want safetensors, a PyTorch archive or GGUF"}
	}
	if err != nil {
		return nil, err
	}
	return sd, nil
}

// begins says what a file of no format that is read is, or what it begins with.
func begins(data []byte) string {
	switch head := bytes.TrimSpace(data[:min(64, len(data))]); {
	case len(data) == 0:
		return "is empty"
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return "is the pointer of Git LFS to one that was not downloaded (git lfs pull)"
	case bytes.HasPrefix(bytes.ToLower(head), []byte("<!doctype html")), bytes.HasPrefix(bytes.ToLower(head), []byte("<html")):
		return "is a page of the web, such as of a download that was refused"
	}
	return fmt.Sprintf("begins with % x", data[:min(8, len(data))])
}

// mapping returns the file of a collection that was read from one, nil for memory.
func (sd *StateDict) mapping() *mapping {
	if len(sd.files) == 0 {
		return nil
	}
	return sd.files[0]
}

// bareName is the name of the tensor in a PyTorch file that holds nothing else.
const bareName = "tensor"

func (sd *StateDict) parsePyTorch(parse func([]byte, torchfile.Options) (*torchfile.File, error), data []byte, opts Options) error {
	f, err := parse(data, torchfile.Options{SkipObjects: opts.SkipObjects})
	if err != nil {
		return &FormatError{Format: sd.Format, Err: err}
	}
	sd.Skipped = f.Skipped
	for _, t := range f.Tensors {
		name := t.Name
		if name == "" {
			name = bareName
		}
		bytes := func() ([]byte, error) {
			b, err := t.Storage.Bytes()
			if err != nil {
				return nil, &FormatError{Format: sd.Format, Tensor: name, Err: err}
			}
			return b, nil
		}
		err := sd.Add(Tensor{
			Name: name, Shape: t.Shape, DType: t.Storage.DType,
			file: sd.mapping(), bytes: bytes, stride: t.Stride, offset: t.Offset,
		})
		if err != nil {
			return &FormatError{Format: sd.Format, Tensor: name, Err: err}
		}
	}
	return nil
}
