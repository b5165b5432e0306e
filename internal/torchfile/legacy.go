package torchfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/pickle"
)

// LegacyMagic begins the files that torch.save wrote before version 1.6: a pickle of
// a number that PyTorch chose.
var LegacyMagic = []byte("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19\x2e")

// legacyVersion is the only version of the format.
const legacyVersion = 1001

// ParseLegacy is [Parse] for a file of before version 1.6: pickles of a magic number, of
// the version and of facts about the machine, the description of the tensors, the keys
// of their storages, and the storages, each behind the number of its elements. Such a
// file has no checksums.
func ParseLegacy(data []byte, opts Options) (*File, error) {
	rest, ok := bytes.CutPrefix(data, LegacyMagic)
	if !ok {
		return nil, &Error{Part: "magic number", Reason: "missing"}
	}
	rest, err := skipFacts(rest)
	if err != nil {
		return nil, err
	}
	r := &resolver{storages: map[string]*Storage{}, size: int64(len(data))}
	description := rest
	root, rest, err := next("description", rest, r)
	if err != nil {
		return nil, err
	}
	nodes := len(description) - len(rest)
	keys, rest, err := next("keys of the storages", rest, plain{})
	if err != nil {
		return nil, err
	}
	if err := r.fill(keys, rest); err != nil {
		return nil, err
	}
	return r.collect(root, opts, len(data), nodes)
}

// next reads one of the pickles of a file, whose length is limited.
func next(part string, data []byte, r pickle.Resolver) (v pickle.Value, rest []byte, err error) {
	v, rest, err = pickle.ReadNext(data[:min(len(data), maxPickle)], r)
	if err != nil {
		return nil, nil, &Error{Part: part, Reason: "not a readable pickle", Err: err}
	}
	return v, data[min(len(data), maxPickle)-len(rest):], nil
}

// skipFacts checks the version and the byte order.
func skipFacts(data []byte) (rest []byte, err error) {
	version, rest, err := next("version", data, plain{})
	if err != nil {
		return nil, err
	}
	if version != pickle.Value(int64(legacyVersion)) {
		return nil, &Error{Part: "version", Reason: fmt.Sprintf("another one, want %d", legacyVersion)}
	}
	facts, rest, err := next("system information", rest, plain{})
	if err != nil {
		return nil, err
	}
	d, ok := facts.(*pickle.Dict)
	if !ok {
		return nil, &Error{Part: "system information", Reason: "no dictionary"}
	}
	if little, ok := d.Get("little_endian"); ok && little != pickle.Value(true) {
		return nil, &Error{Part: "system information", Reason: "written by a big-endian machine"}
	}
	return rest, nil
}

// fill gives the storages their elements, which follow the keys.
func (r *resolver) fill(keys pickle.Value, data []byte) error {
	list, ok := keys.(*pickle.List)
	if !ok || len(list.Items) != len(r.storages) {
		return &Error{Part: "keys of the storages", Reason: fmt.Sprintf("want a list of the %d that the description names", len(r.storages))}
	}
	for _, item := range list.Items {
		key, _ := item.(string)
		s := r.storages[key]
		if s == nil || s.data != nil {
			return &Error{Part: "keys of the storages", Reason: fmt.Sprintf("%s is not in the description, or a second time", clip(fmt.Sprint(item)))}
		}
		var err error
		if data, err = s.take(data); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		return &Error{Part: "end", Reason: fmt.Sprintf("%d bytes behind the last storage", len(data))}
	}
	return nil
}

// take cuts the elements of a storage from the front of the data.
func (s *Storage) take(data []byte) (rest []byte, err error) {
	const count = 8
	bad := func(format string, args ...any) error {
		return &Error{Part: "storage " + clip(s.Key), Reason: fmt.Sprintf(format, args...)}
	}
	if len(data) < count {
		return nil, bad("the file ends before it")
	}
	if n := binary.LittleEndian.Uint64(data); n != uint64(s.Elements) {
		return nil, bad("has %d elements, its description says %d", n, s.Elements)
	}
	data = data[count:]
	size := s.Elements * int64(s.DType.Size()) // the description was compared with the file
	if size > int64(len(data)) {
		return nil, bad("needs %d bytes, %d are left", size, len(data))
	}
	s.data = data[:size:size]
	return data[size:], nil
}

// plain reads pickles of plain data.
type plain struct{}

func (plain) Import(pickle.Global) {}

func (plain) Persistent(pickle.Value) (pickle.Value, error) {
	return nil, errors.New("no storage is expected here")
}

func (plain) Call(pickle.Global, *pickle.Tuple) (pickle.Value, bool, error) { return nil, false, nil }
