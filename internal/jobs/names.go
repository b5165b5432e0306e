package jobs

import (
	"fmt"
	"path/filepath"
	"strings"
)

// plainName says whether a name is that of a file without folders, of at most a hundred characters, which begins with neither a dot nor a dash.
func plainName(name string) bool {
	const first = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	rest := strings.TrimLeft(name, first+".-")
	return rest == "" && name != "" && len(name) <= 100 && strings.Contains(first, name[:1])
}

// Names in the folder of a command that are the service's.
const (
	OutName    = "out"    // receives the results
	SharedName = "shared" // leads to the files that the operator put into the store
	dataName   = "data"   // where trainings put what they generate
)

// CheckName refuses names that are not those of files in the folder of a job.
func CheckName(field, name string) error {
	switch {
	case !plainName(name):
		return &SpecError{field, name, "want a name of letters, digits, points, dashes and underscores, without folders"}
	case name == OutName || name == SharedName || name == dataName:
		return &SpecError{field, name, "which is a folder of the service's own: take another name"}
	}
	return nil
}

// CheckWord refuses words of a command that could name a file outside the folder of a job.
// Parts of lists and of assignments are words too.
func CheckWord(word string) error {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == ',' || r == '=' })
	for _, part := range append(parts, word) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if strings.ContainsAny(part, "\\\x00") || strings.HasPrefix(part, "~") || !filepath.IsLocal(part) {
			return &SpecError{"command", word, fmt.Sprintf("and %q is outside the folder of the job: name files of the request, inputs or %s/…", part, SharedName)}
		}
	}
	return nil
}
