package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/dtype"
	"github.com/go-pcd/pcd/weights"
)

// npyHeader is the description at the beginning of an .npy file.
type npyHeader struct {
	stored    weights.DType // element type in the file
	bigEndian bool
	fortran   bool // column-major
	shape     []int
}

// npyTypes are NumPy's codes of element types, without the byte order.
var npyTypes = map[string]weights.DType{
	"f2": dtype.F16, "f4": dtype.F32, "f8": dtype.F64,
	"i1": dtype.I8, "i2": dtype.I16, "i4": dtype.I32, "i8": dtype.I64,
	"u1": dtype.U8, "u2": dtype.U16, "u4": dtype.U32, "b1": dtype.Bool,
}

// parseType reads a code such as <f4.
func parseType(code string) (d weights.DType, bigEndian bool, err error) {
	if len(code) > 1 && strings.IndexByte("<>|=", code[0]) >= 0 {
		if d, ok := npyTypes[code[1:]]; ok {
			return d, code[0] == '>', nil
		}
	}
	why := "not a number type that is read"
	if strings.Contains(code, "O") {
		why = "Python objects are not read"
	}
	return 0, false, fmt.Errorf("element type %.40q: %s", code, why)
}

// maxRank is the number of axes an array may have.
const maxRank = 16

// parseNPYHeader reads the text of a header: a Python dictionary with the keys
// descr, fortran_order and shape in any order.
func parseNPYHeader(text string) (h npyHeader, err error) {
	p := literal{text: text}
	seen := map[string]bool{}
	err = p.dict(func(key string) error {
		if seen[key] {
			return fmt.Errorf("%q appears twice", key)
		}
		seen[key] = true
		var err error
		switch key {
		case "descr":
			var code string
			if code, err = p.quoted(); err == nil {
				h.stored, h.bigEndian, err = parseType(code)
			}
		case "fortran_order":
			h.fortran, err = p.boolean()
		case "shape":
			h.shape, err = p.tuple()
		default:
			err = fmt.Errorf("unknown key %.40q", key)
		}
		return err
	})
	if err == nil && len(seen) != 3 {
		err = errors.New("want the keys descr, fortran_order and shape")
	}
	if err == nil && strings.TrimSpace(p.rest()) != "" {
		err = errors.New("text after the closing brace")
	}
	return h, err
}

// literal reads the few Python literals of a header from left to right.
type literal struct {
	text string
	pos  int
}

func (p *literal) rest() string { return p.text[p.pos:] }

// take skips white space and then the given text, if it is next.
func (p *literal) take(s string) bool {
	p.pos += len(p.rest()) - len(strings.TrimLeft(p.rest(), " \t\r\n"))
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *literal) want(s string) error {
	if p.take(s) {
		return nil
	}
	return fmt.Errorf("%.8q at character %d, want %q", p.rest(), p.pos, s)
}

// dict reads a dictionary and calls member for each key, which reads the value.
func (p *literal) dict(member func(key string) error) error {
	if err := p.want("{"); err != nil {
		return err
	}
	for !p.take("}") {
		key, err := p.quoted()
		if err == nil {
			err = p.want(":")
		}
		if err == nil {
			err = member(key)
		}
		if err != nil {
			return err
		}
		if !p.take(",") {
			return p.want("}")
		}
	}
	return nil
}

// quoted reads text in single or double quotes, without escapes.
func (p *literal) quoted() (string, error) {
	for _, q := range []string{"'", `"`} {
		if !p.take(q) {
			continue
		}
		s, after, ok := strings.Cut(p.rest(), q)
		if !ok || strings.ContainsAny(s, "\\\n") {
			return "", fmt.Errorf("text at character %d does not end", p.pos)
		}
		p.pos = len(p.text) - len(after)
		return s, nil
	}
	return "", p.want("'")
}

func (p *literal) boolean() (bool, error) {
	if p.take("True") {
		return true, nil
	}
	return false, p.want("False")
}

// tuple reads a tuple of non-negative integers; Python 2 wrote some with an L.
func (p *literal) tuple() ([]int, error) {
	if err := p.want("("); err != nil {
		return nil, err
	}
	shape := []int{}
	for !p.take(")") {
		n, err := p.integer()
		if err != nil {
			return nil, err
		}
		if shape = append(shape, n); len(shape) > maxRank {
			return nil, fmt.Errorf("more than %d axes", maxRank)
		}
		if !p.take(",") {
			return shape, p.want(")")
		}
	}
	return shape, nil
}

func (p *literal) integer() (int, error) {
	p.take("")
	digits := p.rest()
	if i := strings.IndexFunc(digits, func(r rune) bool { return r < '0' || r > '9' }); i >= 0 {
		digits = digits[:i]
	}
	n, err := strconv.ParseUint(digits, 10, strconv.IntSize-1)
	if err != nil {
		return 0, fmt.Errorf("%.40q at character %d, want a length", digits, p.pos)
	}
	p.pos += len(digits)
	p.take("L")
	return int(n), nil
}
