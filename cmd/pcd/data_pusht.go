package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/go-pcd/pcd/env/pusht"
	pushtexp "github.com/go-pcd/pcd/experiment/pusht"
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
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "episodes\t%d with %d steps\n", s.Episodes, s.Steps)
	fmt.Fprintf(t, "length\t%.1f ± %.1f, %d to %d steps\n", s.Lengths.Mean, s.Lengths.Std, s.Lengths.Min, s.Lengths.Max)
	fmt.Fprintf(t, "actions\tx %.4g to %.4g, y %.4g to %.4g px\n", s.ActionMin[0], s.ActionMax[0], s.ActionMin[1], s.ActionMax[1])
	fmt.Fprintf(t, "mirror images\tof %d episodes are motions too\n", s.Mirrored)
	r := s.Replay
	fmt.Fprintf(t, "replayed, block\tstrays by at most %.2g px in half of the episodes, %.2g in 90 %%, %.2g in 99 %%, %.2g in all\n", r.Errors[0], r.Errors[1], r.Errors[2], r.Errors[3])
	fmt.Fprintf(t, "replayed, agent\tstrays by at most %.2g px\n", r.Agent)
	fmt.Fprintf(t, "goal covered\tin the last recorded state of %d episodes, replayed of %d, after the last action of %d\n", r.Recorded, r.Replayed, r.Finally)
	return t.Flush()
}
