package main

import (
	"errors"
	"io"

	"github.com/go-pcd/pcd/internal/env/pusht"
	pushtexp "github.com/go-pcd/pcd/internal/experiment/pusht"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/terminal"
)

// pushTData are the demonstrations of PushT, which are not generated.
func pushTData() dataEntry {
	return dataEntry{subjects: []string{"pusht"}, info: infoPushT}
}

// infoPushT describes a file of demonstrations of PushT.
func infoPushT(w io.Writer, _, file string, assume, asJSON bool) error {
	if assume {
		return usageError{errors.New("--assume is of data on maps")}
	}
	d, err := pusht.ReadDemonstrations(file)
	if err != nil {
		return err
	}
	s, err := pushtexp.Describe(d)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(w, s)
	}
	var t terminal.Fields
	t.Add("episodes", "%d with %s", s.Episodes, plural.Of(s.Steps, "step"))
	t.Add("length", "%.1f ± %.1f, %d to %d steps", s.Lengths.Mean, s.Lengths.Std, s.Lengths.Min, s.Lengths.Max)
	t.Add("actions", "x %.4g to %.4g, y %.4g to %.4g px", s.ActionMin[0], s.ActionMax[0], s.ActionMin[1], s.ActionMax[1])
	t.Add("mirror images", "of %s are motions too", plural.Of(s.Mirrored, "episode"))
	r := s.Replay
	t.Add("replayed, block", "strays by at most %.2g px in half of the episodes, %.2g in 90 %%, %.2g in 99 %%, %.2g in all", r.Errors[0], r.Errors[1], r.Errors[2], r.Errors[3])
	t.Add("replayed, agent", "strays by at most %.2g px", r.Agent)
	t.Add("goal covered", "in the last recorded state of %s, replayed of %d, after the last action of %d", plural.Of(r.Recorded, "episode"), r.Replayed, r.Finally)
	return printFields(w, &t)
}
