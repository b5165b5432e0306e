package latent

import (
	"fmt"
	"strconv"
	"strings"
)

// Selection is a range of training timesteps, ends included.
type Selection struct{ From, To int }

// ParseSelection reads a range of timesteps, where first is the one that sampling
// begins at and may be called T:
//
//	all, :, or nothing    0 to T
//	x:, :x, x:y           from x, up to x, from x to y
//	x                     x alone
//
// Source: the published command line, --projection_timesteps.
func ParseSelection(text string, first int) (Selection, error) {
	all := Selection{0, first}
	word := strings.ToLower(strings.TrimSpace(text))
	if word == "" || word == "all" {
		return all, nil
	}
	word = strings.ReplaceAll(word, "t", strconv.Itoa(first))
	low, high, ranged := strings.Cut(word, ":")
	s := all
	var err error
	if low != "" {
		if s.From, err = timestep(text, low, first); err != nil {
			return all, err
		}
	}
	if high != "" {
		if s.To, err = timestep(text, high, first); err != nil {
			return all, err
		}
	}
	if !ranged {
		s.To = s.From
	}
	if s.From > s.To {
		return all, selectionError(text, first)
	}
	return s, nil
}

func timestep(text, word string, first int) (int, error) {
	t, err := strconv.Atoi(word)
	if err != nil || t < 0 || t > first {
		return 0, selectionError(text, first)
	}
	return t, nil
}

func selectionError(text string, first int) error {
	return &SettingError{Name: "timesteps", Value: text, Want: fmt.Sprintf("all, x, x:, :x or x:y with whole numbers from 0 to %d, the first, also called T", first)}
}

// Contains reports whether a timestep is selected.
func (s Selection) Contains(t int) bool { return t >= s.From && t <= s.To }
