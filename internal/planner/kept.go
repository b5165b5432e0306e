package planner

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
)

// KeptError says how much of a run that was interrupted or failed is kept.
type KeptError struct {
	What        string // of which there are some, in the singular: "pair", "image"
	Done, Total int
	Path        string // where they are
	Err         error  // why it ended
}

func (e *KeptError) Error() string { return fmt.Sprintf("%v: %s", e.Err, e.Kept()) }

// Kept says how much is kept, and how to go on.
func (e *KeptError) Kept() string {
	return fmt.Sprintf("%d of %s kept in %s; the same command continues", e.Done, plural.Are(e.Total, e.What), e.Path)
}

// Unwrap returns the cause.
func (e *KeptError) Unwrap() error { return e.Err }

// unfinished are the pieces of a run that are kept until all of them have their places: a
// run that was interrupted continues. A nil one keeps nothing.
type unfinished struct {
	*manifest.Pieces
	what        string // of which there are some, in the singular
	done, total int
	told        bool
}

// keep returns the pieces of a command in a folder, nil without one. They depend on an
// identity, and settings say to people what that is.
func keep(folder *Folder, verb, what string, total int, settings any, identity ...any) (*unfinished, error) {
	if folder == nil {
		return nil, nil
	}
	pieces, err := manifest.NewPieces(folder.out.Path(""), identity...)
	if err != nil {
		return nil, err
	}
	return &unfinished{Pieces: pieces, what: what, total: total}, pieces.Claim(verb, settings)
}

// advance notes that more is done, and kept.
func (u *unfinished) advance(n int) {
	if u != nil {
		u.done += n
	}
}

// begin tells, before the first piece is computed, what an earlier run has left.
func (u *unfinished) begin(w Watch) {
	if u == nil || u.told {
		return
	}
	u.told = true
	if u.done > 0 && w.Kept != nil {
		w.Kept(u.what, u.done, u.total, u.Dir())
	}
}

// failed returns the error of a run whose pieces are kept. Files that wait for their places
// say themselves how to go on.
func (u *unfinished) failed(err error) error {
	var waits *manifest.UnfinishedError
	if err == nil || u == nil || u.done == 0 || errors.As(err, &waits) {
		return err
	}
	return &KeptError{u.what, u.done, u.total, u.Dir(), err}
}

// stoppable lets an interruption come between the files of an outcome whose pieces are kept:
// one that waits for all of them ends the program, which says nothing of what is kept.
func stoppable(ctx context.Context, parts func() ([]part, error)) func() ([]part, error) {
	return func() ([]part, error) {
		all, err := parts()
		for k, p := range all {
			all[k].save = func(path string) error {
				if err := ctx.Err(); err != nil {
					return err
				}
				return p.save(path)
			}
		}
		return all, err
	}
}
