package latent

import "fmt"

// SettingError says which setting of a model or a request is out of range.
type SettingError struct {
	Where string // file or part, or empty for a request
	Name  string
	Value any
	Want  string
}

func (e *SettingError) Error() string {
	where := ""
	if e.Where != "" {
		where = e.Where + ": "
	}
	value := fmt.Sprintf("%v", e.Value)
	if s, ok := e.Value.(string); ok {
		value = fmt.Sprintf("%.60q", s)
	}
	return fmt.Sprintf("latent: %s%s is %s, want %s", where, e.Name, value, e.Want)
}

func number(n int) string { return fmt.Sprint(n) }

func tokens(n int) string { return fmt.Sprintf("at most %d, as many as the text encoder has", n) }
