package weights

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/go-pcd/pcd/internal/quote"
)

// metadataKey is the entry of the header that holds text instead of a tensor.
const metadataKey = "__metadata__"

// maxRank is the number of axes a tensor may have.
const maxRank = 16

// maxTensors is how many tensors a file may have: a description of a few bytes takes
// a kilobyte of memory, and models have some thousands. Texts of metadata are few: trainers
// write a hundred of them, of which some are long. With both bounds a header of the
// greatest length is read in a second.
const (
	maxTensors = 1 << 16
	maxTexts   = 1 << 12
)

// header is the content of a safetensors header in file order.
type header struct {
	metadata map[string]string
	entries  []headerEntry
}

type headerEntry struct {
	name       string
	dtype      string
	shape      []int
	begin, end int64 // bytes, from the end of the header
}

// parseHeader reads the JSON of a header token by token, because duplicate keys
// have to be noticed and the order kept.
func parseHeader(b []byte) (header, error) {
	p := headerParser{json.NewDecoder(bytes.NewReader(b))}
	p.dec.UseNumber()
	var h header
	err := p.object(func(key string) error {
		if key == metadataKey {
			var err error
			h.metadata, err = p.metadata()
			return err
		}
		if len(h.entries) == maxTensors {
			return &limitError{What: "tensors", Value: maxTensors + 1, Limit: maxTensors}
		}
		e, err := p.entry()
		e.name = key
		h.entries = append(h.entries, e)
		if err != nil {
			return fmt.Errorf("tensor %q: %w", clip(key), err)
		}
		return nil
	})
	if err == nil {
		if _, extra := p.dec.Token(); extra != io.EOF {
			err = errors.New("text after the closing brace")
		}
	}
	if err != nil {
		return header{}, &FormatError{Format: safetensors, Reason: "header", Err: err}
	}
	return h, nil
}

type headerParser struct{ dec *json.Decoder }

// object reads an object and calls member for each key, which reads the value.
func (p headerParser) object(member func(key string) error) error {
	if err := p.delim('{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		key, err := p.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("%q appears twice", clip(key))
		}
		seen[key] = true
		if err := member(key); err != nil {
			return err
		}
	}
	return p.delim('}')
}

func (p headerParser) entry() (e headerEntry, err error) {
	var seen int
	err = p.object(func(key string) error {
		seen++
		switch key {
		case "dtype":
			e.dtype, err = p.text()
			return err
		case "shape":
			axes, err := p.integers(maxRank)
			e.shape = make([]int, len(axes))
			for i, d := range axes {
				e.shape[i] = int(d)
			}
			return err
		case "data_offsets":
			offsets, err := p.integers(2)
			if err == nil && len(offsets) != 2 {
				err = fmt.Errorf("%d offsets, want 2", len(offsets))
			}
			if err == nil {
				e.begin, e.end = offsets[0], offsets[1]
			}
			return err
		}
		return fmt.Errorf("unknown key %q", clip(key))
	})
	if err == nil && seen != 3 {
		err = errors.New("want dtype, shape and data_offsets")
	}
	return e, err
}

func (p headerParser) metadata() (map[string]string, error) {
	m := map[string]string{}
	err := p.object(func(key string) error {
		if len(m) == maxTexts {
			return &limitError{What: "texts of metadata", Value: maxTexts + 1, Limit: maxTexts}
		}
		v, err := p.text()
		m[key] = v
		return err
	})
	return m, err
}

func (p headerParser) delim(want json.Delim) error {
	t, err := p.dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("%s, want %v", shown(t), want)
	}
	return err
}

func (p headerParser) text() (string, error) {
	t, err := p.dec.Token()
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("%s, want text", shown(t))
	}
	return s, nil
}

// integers reads an array of at most limit integers from 0 to the largest int.
func (p headerParser) integers(limit int) ([]int64, error) {
	if err := p.delim('['); err != nil {
		return nil, err
	}
	var out []int64
	for p.dec.More() {
		t, err := p.dec.Token()
		if err != nil {
			return nil, err
		}
		n, _ := t.(json.Number)
		v, err := strconv.ParseUint(string(n), 10, strconv.IntSize-1)
		if err != nil || len(out) == limit {
			return nil, fmt.Errorf("%s, want at most %d non-negative integers", shown(t), limit)
		}
		out = append(out, int64(v))
	}
	return out, p.delim(']')
}

// shown makes a piece of a header fit for a message.
func shown(t json.Token) string { return quote.Text(fmt.Sprint(t)) }
