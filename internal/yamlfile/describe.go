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
		return at(t, unknownKey(t.Value, reflect.TypeOf(v), o.Help))
	case errors.As(err, &kind):
		return at(t, fmt.Sprintf("%.40q is %s, want %s", t.Value, word(kind.SrcType), word(kind.DstType)))
	case errors.As(err, &overflow):
		return at(t, fmt.Sprintf("%.40s is out of range, want %s", t.Value, word(overflow.DstType)))
	}
	return at(t, y.GetMessage())
}

// unknownKey says where a key belongs, which one was probably meant, or which there are.
func unknownKey(key string, t reflect.Type, help string) string {
	if of := owners(key, t, "", nil); len(of) > 0 {
		return fmt.Sprintf("key %.40q does not belong here: it is one of %s", key, strings.Join(of, ", of "))
	}
	known := keys(t, nil)
	if near := spelling.Nearest(key, known); near != "" {
		return fmt.Sprintf("unknown key %.40q, did you mean %q?", key, near)
	}
	if help == "" {
		help = "the keys are " + strings.Join(known, ", ")
	}
	return fmt.Sprintf("unknown key %.40q; %s", key, help)
}

// owners lists what has a key: the whole file, or keys, quoted, whose values do.
func owners(key string, t reflect.Type, owner string, list []string) []string {
	eachKey(t, func(name string, value reflect.Type) {
		switch told := fmt.Sprintf("%q", owner); {
		case name == key && owner == "":
			list = append(list, "the whole file")
		case name == key && !slices.Contains(list, told):
			list = append(list, told)
		default:
			list = owners(key, value, name, list)
		}
	})
	return list
}

// keys lists the keys of a type and of those within it.
func keys(t reflect.Type, list []string) []string {
	eachKey(t, func(name string, value reflect.Type) {
		if !slices.Contains(list, name) {
			list = keys(value, append(list, name))
		}
	})
	return list
}

// eachKey calls f for every key of a structure, or of those in a list.
func eachKey(t reflect.Type, f func(name string, value reflect.Type)) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		eachKey(t.Elem(), f)
	case reflect.Struct:
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
				f(name, t.Field(i).Type)
			}
		}
	}
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
