// Package pyjson reads the JSON that Python writes, which has numbers that JSON has not.
package pyjson

// Standard returns a text in which the words NaN, Infinity and -Infinity, where they stand
// outside strings, are strings. A text without them comes back as it is.
func Standard(text []byte) []byte {
	var out []byte // nil until something changes
	inString, from := false, 0
	for i := 0; i < len(text); i++ {
		switch {
		case inString && text[i] == '\\':
			i++
		case text[i] == '"':
			inString = !inString
		case !inString:
			if n := wordAt(text[i:]); n > 0 {
				out = append(out, text[from:i]...)
				out = append(append(append(out, '"'), text[i:i+n]...), '"')
				from, i = i+n, i+n-1
			}
		}
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

// wordAt returns the length of the number that is none, 0 if there is another thing.
func wordAt(text []byte) int {
	for _, word := range []string{"-Infinity", "Infinity", "NaN"} {
		if len(text) >= len(word) && string(text[:len(word)]) == word {
			return len(word)
		}
	}
	return 0
}
