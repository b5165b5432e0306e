package manifest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/fault"
	"github.com/go-pcd/pcd/internal/manifest"
)

// piecesOf returns the pieces of a command with a seed, and the error of their claim.
func piecesOf(t *testing.T, dir, verb string, seed int) (*manifest.Pieces, error) {
	t.Helper()
	p := must[*manifest.Pieces](t)(manifest.NewPieces(dir, verb, seed))
	return p, p.Claim(verb, map[string]any{"seed": seed, "prompt": "a cat"})
}

// keepPiece writes a piece.
func keepPiece(t *testing.T, p *manifest.Pieces, name string) {
	t.Helper()
	if err := p.Make(); err != nil {
		t.Fatal(err)
	}
	write(t, p.Path(name), "of the run")
}

// Whoever begins anew beside pieces of the same command and other settings is told what
// differs; whoever continues, runs another command or finds none of them is not.
func TestPiecesOfOtherSettingsAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	first, err := piecesOf(t, dir, "draw", 1)
	if err != nil {
		t.Fatal(err)
	}
	keepPiece(t, first, "0")
	var other *manifest.OtherPiecesError
	if _, err := piecesOf(t, dir, "draw", 2); !errors.As(err, &other) || other.Path != first.Dir() || !slices.Equal(other.Differences, []string{"seed: 1 instead of 2"}) {
		t.Errorf("another seed: %v", err)
	}
	if _, err := piecesOf(t, dir, "draw", 1); err != nil {
		t.Errorf("the same seed: %v", err)
	}
	if _, err := piecesOf(t, dir, "plan", 2); err != nil {
		t.Errorf("another command: %v", err)
	}
	if err := os.Remove(filepath.Join(first.Dir(), "0")); err != nil {
		t.Fatal(err)
	}
	if _, err := piecesOf(t, dir, "draw", 2); err != nil {
		t.Errorf("nothing is kept: %v", err)
	}
	for name, content := range map[string]string{"unfinished-1/note": "", "unfinished-2/settings.json": "a poem", "unfinished-3/settings.json": `{"verb": "draw"`, "unfinished-4": ""} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), content)
	}
	if _, err := piecesOf(t, dir, "draw", 3); err != nil {
		t.Errorf("what others have put there: %v", err)
	}
}

// The folder goes with the last of its pieces, and says what it is of as long as there is one.
func TestPiecesAreRemoved(t *testing.T) {
	dir := t.TempDir()
	p, err := piecesOf(t, dir, "draw", 1)
	if err != nil {
		t.Fatal(err)
	}
	keepPiece(t, p, "0")
	keepPiece(t, p, "1")
	some, err := piecesOf(t, dir, "draw", 1)
	if err != nil {
		t.Fatal(err)
	}
	some.Path("0")
	some.Remove()
	var other *manifest.OtherPiecesError
	if _, err := piecesOf(t, dir, "draw", 2); !errors.As(err, &other) {
		t.Errorf("beside the other piece: %v", err)
	}
	p.Remove()
	if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left %v", left)
	}
}

// Pieces stay when a delivery fails, and go with one that does not, before an interruption
// can end the program.
func TestPiecesGoWithTheDelivery(t *testing.T) {
	dir := t.TempDir()
	p, err := piecesOf(t, dir, "draw", 1)
	if err != nil {
		t.Fatal(err)
	}
	keepPiece(t, p, "0")
	m := manifest.New([]string{"pcd", "draw"}, 0, nil)
	m.Verb = "draw"
	f := must[*manifest.Folder](t)(manifest.Open(dir, m))
	defer f.Close()
	f.Pieces = p
	if err := f.Add("picture", text("of the run")); err != nil {
		t.Fatal(err)
	}
	interfere(1, func() { err = f.Deliver() }, full)
	if _, gone := os.Stat(filepath.Join(p.Dir(), "0")); err == nil || gone != nil {
		t.Fatalf("a full disk: %v, and of the piece %v", err, gone)
	}
	f = must[*manifest.Folder](t)(manifest.Open(dir, m))
	f.Pieces = p
	if err := f.Add("picture", text("of the run")); err != nil {
		t.Fatal(err)
	}
	ended := make(chan bool, 1)
	fault.Hook = func(op fault.Op, path string) error {
		if op == fault.Remove && path == "0" {
			go func() { ended <- atomicfile.Writing() }()
			select {
			case <-ended:
				t.Error("an interruption can end the program while the pieces go")
			case <-time.After(20 * time.Millisecond):
			}
		}
		return nil
	}
	err = f.Deliver()
	fault.Hook = nil
	if _, left := os.Stat(p.Dir()); err != nil || !errors.Is(left, fs.ErrNotExist) {
		t.Errorf("delivered: %v, and of the pieces %v", err, left)
	}
}
