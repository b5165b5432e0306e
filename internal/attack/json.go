package attack

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
)

// JSON changes values, keys and the nesting of a JSON file; texts that are JSON
// themselves are changed within.
func JSON(r *rand.Rand, file []byte) []byte {
	v, ok := parse(file)
	if !ok || r.IntN(8) == 0 {
		return Bytes(r, file)
	}
	for range 1 + r.IntN(3) {
		v = changeValue(r, v)
	}
	return encode(v)
}

func parse(file []byte) (v any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(file))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}

// encode writes a value; numbers that JSON does not have are written as they are.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return []byte("{")
	}
	return bytes.TrimSpace(b.Bytes())
}

// changeValue changes v, or something within it.
func changeValue(r *rand.Rand, v any) any {
	switch x := v.(type) {
	case map[string]any:
		if len(x) > 0 && often(r) {
			return changeMember(r, x)
		}
	case []any:
		if len(x) > 0 && often(r) {
			return changeElement(r, x)
		}
	case string:
		if inner, ok := parse([]byte(x)); ok && often(r) {
			if _, number := inner.(json.Number); !number {
				return string(encode(changeValue(r, inner)))
			}
		}
	case json.Number:
		if often(r) {
			return json.Number(pick(r, numbers))
		}
	}
	return anything(r)
}

func changeMember(r *rand.Rand, x map[string]any) any {
	var names []string
	for name := range x {
		names = append(names, name)
	}
	slices.Sort(names)
	name := pick(r, names)
	switch r.IntN(6) {
	case 0:
		delete(x, name)
	case 1:
		x[pick(r, words)] = x[name]
	default:
		x[name] = changeValue(r, x[name])
	}
	return x
}

func changeElement(r *rand.Rand, x []any) any {
	i := r.IntN(len(x))
	switch r.IntN(6) {
	case 0:
		return slices.Delete(x, i, i+1)
	case 1:
		for range pick(r, []int{1, 70, 5000}) {
			x = append(x, x[i])
		}
		return x
	default:
		x[i] = changeValue(r, x[i])
	}
	return x
}

// anything returns a value of any kind.
func anything(r *rand.Rand) any {
	switch r.IntN(6) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return pick(r, words)
	case 3:
		return nested(pick(r, []int{1, 20, 9000}))
	case 4:
		return slices.Repeat([]any{json.Number(pick(r, numbers))}, pick(r, []int{0, 1, 70, 5000}))
	}
	return json.Number(pick(r, numbers))
}

func nested(depth int) any {
	return json.RawMessage(strings.Repeat("[", depth) + strings.Repeat("]", depth))
}
