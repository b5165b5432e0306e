package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/terminal"
)

// preview shows pictures while they are made: on a page that reloads itself, and in terminals
// that can show pictures.
type preview struct {
	stderr io.Writer
	dir    string
	inline func(png []byte) string // nil where the terminal cannot
}

// The files of a preview, in a folder of its own for temporary files.
const (
	previewPicture = "preview.png"
	previewPage    = "preview.html"
	previewReload  = `<!doctype html><title>preview</title><meta http-equiv="refresh" content="2"><body style="background:#222"><img src="preview.png" style="max-width:100%">` + "\n"
)

// newPreview makes the page and says where it is. The caller closes it.
func newPreview(stderr io.Writer) (*preview, error) {
	dir, err := os.MkdirTemp("", "pcd-preview-")
	if err != nil {
		return nil, err
	}
	p := &preview{stderr: stderr, dir: dir}
	if terminal.Of(stderr) != nil {
		p.inline = inlinePictures(os.Getenv)
	}
	page := filepath.Join(dir, previewPage)
	fmt.Fprintf(stderr, "preview: %s\n", page)
	return p, os.WriteFile(page, []byte(previewReload), 0o644)
}

// Close removes what it made.
func (p *preview) Close() error { return os.RemoveAll(p.dir) }

// show shows a sheet of pictures after some of the steps.
func (p *preview) show(done, total int, sheet *dataset.Picture) error {
	file := filepath.Join(p.dir, previewPicture)
	if err := sheet.WritePNG(file); err != nil {
		return err
	}
	if p.inline == nil {
		return nil
	}
	png, err := regular.ReadFile(file, 64<<20)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(p.stderr, "\rstep %d of %d\n%s\n", done, total, p.inline(png))
	return err
}

// inlinePictures returns how a terminal is told to show a PNG file, by what it says of itself in
// the environment; nil where it cannot. Sources: the graphics protocol of kitty, and that of
// iTerm2.
func inlinePictures(env func(string) string) func(png []byte) string {
	switch {
	case env("KITTY_WINDOW_ID") != "" || env("TERM") == "xterm-kitty" || env("TERM") == "xterm-ghostty":
		return kittyPicture
	case env("TERM_PROGRAM") == "iTerm.app" || env("TERM_PROGRAM") == "WezTerm":
		return func(png []byte) string {
			return fmt.Sprintf("\x1b]1337;File=inline=1;size=%d:%s\a", len(png), base64.StdEncoding.EncodeToString(png))
		}
	}
	return nil
}

// kittyPicture writes a picture in pieces of at most 4096 characters, all but the last with
// m=1.
func kittyPicture(png []byte) string {
	const most = 4096
	text := base64.StdEncoding.EncodeToString(png)
	var b bytes.Buffer
	for first := true; first || text != ""; first = false {
		n, more := min(most, len(text)), 0
		if n < len(text) {
			more = 1
		}
		if first {
			fmt.Fprintf(&b, "\x1b_Ga=T,f=100,m=%d;%s\x1b\\", more, text[:n])
		} else {
			fmt.Fprintf(&b, "\x1b_Gm=%d;%s\x1b\\", more, text[:n])
		}
		text = text[n:]
	}
	return b.String()
}
