package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-pcd/pcd/internal/atomicfile"
)

// Pieces is a folder beside the files of a run in which the run keeps what is done of
// them, so that it can be continued when it is interrupted. Its name holds a digest of
// what the pieces depend on.
type Pieces struct {
	path  string
	used  map[string]bool
	claim *claim // nil without
}

// piecesPrefix begins the names of such folders.
const piecesPrefix = "unfinished-"

// NewPieces returns the folder for pieces that depend on values, which are compared as
// JSON. It is made when the first piece is.
func NewPieces(dir string, identity ...any) (*Pieces, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, v := range identity {
		if err := enc.Encode(v); err != nil {
			return nil, err
		}
	}
	return &Pieces{path: filepath.Join(dir, piecesPrefix+hex.EncodeToString(h.Sum(nil)[:6])), used: map[string]bool{}}, nil
}

// Dir returns the path of the folder.
func (p *Pieces) Dir() string { return p.path }

// Path returns the path of a file of a piece, which the run reads or writes.
func (p *Pieces) Path(name string) string {
	p.used[name] = true
	return filepath.Join(p.path, name)
}

// Make makes the folder.
func (p *Pieces) Make() error {
	if err := atomicfile.MkdirAll(p.path); err != nil || p.claim == nil {
		return err
	}
	return p.claim.write(p.path)
}

// Remove removes the pieces that the run has used, and the folder if nothing else is in it.
// What is left by a program that is killed meanwhile claims nothing.
func (p *Pieces) Remove() {
	in, err := atomicfile.OpenRoot(p.path)
	if err != nil {
		return // there was none
	}
	if !p.holdsOthers() {
		_ = in.Remove(claimName)
	}
	for name := range p.used {
		_ = in.Remove(name)
	}
	in.Close()
	_ = os.Remove(p.path) // fails when something is left
}

// holdsOthers says whether there is more in the folder than the run has used.
func (p *Pieces) holdsOthers() bool {
	entries, err := os.ReadDir(p.path)
	return err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != claimName && !p.used[e.Name()] })
}
