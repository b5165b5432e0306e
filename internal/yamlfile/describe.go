package yamlfile

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/go-pcd/pcd/internal/spelling"
)

// describe gives an error of the decoder its position and says it in the words of the
// file instead of those of the program.
func describe(err error, v any, o Options) error {
	var y yaml.Error
	if !errors.As(err, &y) || y.GetToken() == nil {
		return &Error{Message: fmt.Sprintf("not YAML: %.200s", err)}
	}
	t := y.GetToken()
	var unknown *yaml.UnknownFieldError
	var kind *yaml.TypeError
	var overflow *yaml.OverflowError
	switch {
	case errors.As(err, &unknown):
		return at(t, unknownKey(t.Value, keys(reflect.TypeOf(v), nil), o.Help))
	case errors.As(err, &kind):
		return at(t, fmt.Sprintf("%.40q is %s, want %s", t.Value, word(kind.SrcType), word(kind.DstType)))
	case errors.As(err, &overflow):
		return at(t, fmt.Sprintf("%.40s is out of range, want %s", t.Value, word(overflow.DstType)))
	}
	return at(t, y.GetMessage())
}

// unknownKey says which key was probably meant, or which there are.
func unknownKey(key string, known []string, help string) string {
	if near := spelling.Nearest(key, known); near != "" {
		return fmt.Sprintf("unknown key %.40q, did you mean %q?", key, near)
	}
	if help == "" {
		help = "the keys are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("unknown key %.40q; %s", key, help)
}

// keys lists the keys of a type and of those within it.
func keys(t reflect.Type, list []string) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return keys(t.Elem(), list)
	case reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ",")
			if name != "" && !slices.Contains(list, name) {
				list = keys(t.Field(i).Type, append(list, name))
			}
		}
	}
	return list
}

// word names a type as the writer of a file knows it.
func word(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a mapping"
	case reflect.Pointer:
		return word(t.Elem())
	}
	if t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64 {
		return "a whole number"
	}
	return "something else"
}
