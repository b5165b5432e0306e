package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
	"github.com/go-pcd/pcd/internal/settings"
)

// claim says in a folder of pieces what they are of.
type claim struct {
	Verb     string `json:"verb"` // of the command: "pair"
	Settings any    `json:"settings"`
}

const (
	claimName = "settings.json"
	maxClaim  = 4 << 20 // bytes: prompts, and names of exemplars
)

// OtherPiecesError says that pieces of the same command and other settings are kept where a
// run would begin anew and leave them to nobody.
type OtherPiecesError struct {
	Path        string   // of their folder
	Differences []string // "seed: 3 instead of 2"
}

func (e *OtherPiecesError) Error() string {
	return fmt.Sprintf("%s is unfinished and was computed with other settings (%s); choose another directory, or remove that one", e.Path, settings.List(e.Differences))
}

// Claim lets the folder say that its pieces are of a command and of settings. Where none are
// kept there yet, those of the same command and other settings beside it are refused, with
// an [*OtherPiecesError].
func (p *Pieces) Claim(verb string, settings any) error {
	p.claim = &claim{verb, settings}
	if holdsPieces(p.path) {
		return nil
	}
	dir := filepath.Dir(p.path)
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), piecesPrefix) {
			continue
		}
		if err := p.claim.checkBeside(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// checkBeside refuses a folder of pieces of the same command and other settings. One that
// does not say what it is of is somebody else's.
func (c *claim) checkBeside(path string) error {
	raw, err := regular.ReadFile(filepath.Join(path, claimName), maxClaim)
	if err != nil {
		return nil
	}
	var other struct {
		Verb     string          `json:"verb"`
		Settings json.RawMessage `json:"settings"`
	}
	if json.Unmarshal(raw, &other) != nil || other.Verb != c.Verb || !holdsPieces(path) {
		return nil
	}
	diff, err := settings.Differences(other.Settings, c.Settings)
	if err != nil || len(diff) == 0 {
		return err
	}
	return &OtherPiecesError{Path: path, Differences: diff}
}

// write writes the claim to a folder of pieces, unless it is there.
func (c *claim) write(dir string) error {
	path := filepath.Join(dir, claimName)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return atomicfile.WriteJSON(path, c)
}

// holdsPieces says whether there is more in a folder than its claim.
func holdsPieces(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() != claimName })
}
