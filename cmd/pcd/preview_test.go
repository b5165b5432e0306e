package main

import (
	"bytes"
	"encoding/base64"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
)

// TestPreview shows a picture on a page, and takes both away.
func TestPreview(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var stderr bytes.Buffer
	p, err := newPreview(&stderr)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.TrimSpace(strings.TrimPrefix(stderr.String(), "preview: "))
	if raw, err := os.ReadFile(page); err != nil || !strings.Contains(string(raw), previewPicture) {
		t.Errorf("the page %s: %q, %v", page, raw, err)
	}
	if err := p.show(1, 2, dataset.NewPicture(3, 2)); err != nil {
		t.Fatal(err)
	}
	shown, err := dataset.ReadPicture(filepath.Join(p.dir, previewPicture))
	if err != nil || shown.Width != 3 || shown.Height != 2 {
		t.Errorf("%+v, %v, want the picture", shown, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(page); !os.IsNotExist(err) {
		t.Errorf("the page is still there: %v", err)
	}
}

// TestInlinePictures takes the picture out of what terminals are told.
func TestInlinePictures(t *testing.T) {
	png := bytes.Repeat([]byte{1, 2, 3, 250}, 3000)
	for _, c := range []struct{ name, value, pieces string }{
		{"TERM", "xterm-kitty", `\x1b_G[^;]*;([^\x1b]*)\x1b\\`}, {"TERM_PROGRAM", "iTerm.app", `\x1b\]1337;[^:]*:([^\a]*)\a`},
	} {
		show := inlinePictures(func(name string) string { return map[string]string{c.name: c.value}[name] })
		var text string
		for _, m := range regexp.MustCompile(c.pieces).FindAllStringSubmatch(show(png), -1) {
			if len(m[1]) > 4096 && c.name == "TERM" {
				t.Errorf("a piece of %d characters", len(m[1]))
			}
			text += m[1]
		}
		if got, err := base64.StdEncoding.DecodeString(text); err != nil || !bytes.Equal(got, png) {
			t.Errorf("%s: %d bytes, %v, want %d", c.value, len(got), err, len(png))
		}
	}
	if inlinePictures(func(string) string { return "" }) != nil {
		t.Error("a terminal that says nothing shows pictures")
	}
}
