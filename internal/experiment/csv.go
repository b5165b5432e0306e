package experiment

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// writeCSV writes the rows of the tables that JSON shows: a line for every row, with a
// column for every number and text in it. Names of columns are the keys of JSON with dots
// between them, and begin with those of the table. What else JSON shows is left out.
func (r Report) writeCSV(w io.Writer) error {
	text, err := json.Marshal(r.Data)
	if err != nil {
		return err
	}
	data, err := decodeOrdered(json.NewDecoder(bytes.NewReader(text)))
	if err != nil {
		return err
	}
	rows := tableRows(data)
	var header []string
	for _, row := range rows {
		for _, f := range row {
			if !slices.Contains(header, f.key) {
				header = append(header, f.key)
			}
		}
	}
	out := csv.NewWriter(w)
	lines := [][]string{header}
	for _, row := range rows {
		line := make([]string, len(header))
		for _, f := range row {
			line[slices.Index(header, f.key)] = fmt.Sprint(f.value)
		}
		lines = append(lines, line)
	}
	return out.WriteAll(lines)
}

// object is a JSON object, whose fields keep their order. Its values are texts, numbers,
// truth values, objects and lists; null is left out.
type object []field

type field struct {
	key   string
	value any
}

// of returns the value of a key, nil when there is none.
func (o object) of(key string) any {
	for _, f := range o {
		if f.key == key {
			return f.value
		}
	}
	return nil
}

// decodeOrdered reads the next value.
func decodeOrdered(d *json.Decoder) (any, error) {
	d.UseNumber()
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeOrdered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := decodeOrdered(d)
			if err != nil {
				return nil, err
			}
			if v != nil {
				o = append(o, field{key.(string), v})
			}
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

// tableRows returns the rows of a table, or of the tables in a list or an object, with
// what each table says of all of its rows.
func tableRows(v any) (out []object) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			out = append(out, tableRows(x)...)
		}
	case object:
		if tables := v.of("tables"); tables != nil {
			return tableRows(tables)
		}
		rows, ok := v.of("rows").([]any)
		if !ok {
			return []object{flat("", v)}
		}
		shared := flat("", slices.DeleteFunc(slices.Clone(v), func(f field) bool { _, list := f.value.([]any); return list }))
		for _, row := range rows {
			out = append(out, append(slices.Clone(shared), flat("", row)...))
		}
	}
	return out
}

// flat returns the texts and numbers within a value, under the way to them.
func flat(way string, v any) (out object) {
	below := func(key string) string {
		if way == "" {
			return key
		}
		return way + "." + key
	}
	switch v := v.(type) {
	case object:
		for _, f := range v {
			out = append(out, flat(below(f.key), f.value)...)
		}
	case []any:
		for i, x := range v {
			out = append(out, flat(below(fmt.Sprint(i)), x)...)
		}
	default:
		out = object{{way, v}}
	}
	return out
}
