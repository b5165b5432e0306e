package main

import (
	"strings"
	"testing"
)

// Flags that were renamed are taken under their old names, with a note.
func TestRenamedFlags(t *testing.T) {
	for _, c := range []struct{ line, note, want string }{
		{"pair --steps 1001 --model missing", "note: --steps is called --sampling-steps now", ""},
		{"image generate --steps 0 --model missing", "--steps is called --sampling-steps now", "--sampling-steps is 0, want 1"},
		{"bench nn --threads 4611686018427387904", "--threads is called --workers now", "--workers is 4611686018427387904"},
		{"bench nn --rounds -1", "--rounds is called --repeats now", "--repeats is -1"},
		{"bench pair --steps 1", "--steps is called --sampling-steps now", "--sampling-steps is 1, want 2"},
		{"eval nav2d --search-seconds 20 --trials 0", "--search-seconds is called --search-limit now", ""},
		{"eval teams --search-seconds 1m --trials 0", "--search-seconds is called --search-limit now", ""},
	} {
		code, _, stderr := invoke(t, strings.Fields(c.line)...)
		if code == 0 || !strings.Contains(stderr, c.note) || !strings.Contains(stderr, c.want) {
			t.Errorf("pcd %s: exit code %d, %s; want %q and %q", c.line, code, stderr, c.note, c.want)
		}
	}
	code, _, stderr := invoke(t, "eval", "nav2d", "--search-limit", "soon")
	if code != exitUsage || !strings.Contains(stderr, `--search-limit is "soon", want a duration such as 30s`) {
		t.Errorf("exit code %d, %s", code, stderr)
	}
	if _, stdout, _ := invoke(t, "pair", "--help"); strings.Contains(stdout, " --steps") {
		t.Error("the help shows an old name")
	}
}
