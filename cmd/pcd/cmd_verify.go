package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/quote"
)

func newVerifyCommand() *cobra.Command {
	var asJSON, finish bool
	c := &cobra.Command{
		Use:   "verify DIR",
		Short: "Compare the files of a run with its manifest",
		Long: `Reads the manifest that a command wrote beside its files, or those of an evaluation in
DIR/calls, and compares every file with its digest: which are missing, which differ from what
was written, and which no run wrote. Files of the last kind are nobody's fault. Nothing in DIR
changes.

The files of a run take their places together. A program that was killed meanwhile leaves a
manifest that says so, and the next run in DIR goes on; --finish does it at once.

Ends with 0 when all runs finished and every file is as it was written, with 13 when a file
is missing, and with 11 when one differs or a run has not finished.

` + exitCodeHelp,
		Example: "  pcd verify out/plan\n  pcd verify results/nav2d --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := runVerify(cmd.Context(), args[0], finish, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(cmd.OutOrStdout(), v)
			} else {
				err = printVerification(cmd.OutOrStdout(), v)
			}
			return errors.Join(err, verdictOf(v))
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the comparison as JSON")
	c.Flags().BoolVar(&finish, "finish", false, "first move files that wait for their places")
	return c
}

func runVerify(ctx context.Context, dir string, finish bool, stderr io.Writer) (*manifest.Verification, error) {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, usageError{fmt.Errorf("%s is a file, want the directory of a run", dir)}
	}
	if finish {
		r, err := manifest.Finish(dir)
		if err != nil {
			return nil, err
		}
		if r.Finished {
			tellFinished(stderr, dir)
		}
		tellReport(stderr, dir, r)
	}
	v, err := manifest.Verify(ctx, dir, newProgress(stderr, "comparing"))
	var foreign *manifest.ForeignError
	if errors.As(err, &foreign) {
		return nil, usageError{err}
	}
	return v, err
}

// unverifiedError says that a directory is not what its manifests say.
type unverifiedError struct{ v *manifest.Verification }

// Error counts what does not agree.
func (e *unverifiedError) Error() string {
	v := e.v
	var all []string
	for _, part := range []struct {
		n    int
		what string
	}{{len(v.Missing), "missing"}, {len(v.Differs), "not as written"}, {len(v.Writing), "of a run that has not ended"}} {
		switch part.n {
		case 0:
		case 1:
			all = append(all, "1 file is "+part.what)
		default:
			all = append(all, fmt.Sprintf("%d files are %s", part.n, part.what))
		}
	}
	if len(all) == 0 {
		all = append(all, "a run has not finished")
	}
	return fmt.Sprintf("%s: %s", v.Dir, strings.Join(all, ", "))
}

// verdictOf returns nil for a directory that is as its manifests say.
func verdictOf(v *manifest.Verification) error {
	if v.Verified {
		return nil
	}
	return &unverifiedError{v}
}

// printVerification prints what was found, the grave first.
func printVerification(w io.Writer, v *manifest.Verification) error {
	for _, r := range v.Runs[:min(len(v.Runs), fewFiles)] {
		printLine(w, "%s: %s, %s, by %s", quote.Lines(strings.Join(r.Command, " ")), statusWords[r.Status], r.Started.Local().Format(time.DateTime), quote.Text(r.Version))
	}
	if more := len(v.Runs) - fewFiles; more > 0 {
		printLine(w, "and %s", plural.Of(more, "earlier run"))
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"missing", v.Missing}, {"differs", v.Differs}, {"being written", v.Writing}, {"of no run", v.Foreign}} {
		tellSome(w, list.names, func(name string) string { return fmt.Sprintf("%-14s %s", list.what, quote.Lines(name)) })
	}
	if v.Verified {
		printLine(w, "%s as written", plural.Are(v.Files, "file"))
		return nil
	}
	return nil
}

// statusWords say how a run ended.
var statusWords = map[manifest.Status]string{
	"": "ended", manifest.Running: "runs, or was killed", manifest.Finished: "finished", manifest.Interrupted: "was interrupted", manifest.Failed: "failed",
	manifest.Delivering: "made its files, which did not all take their places (pcd verify --finish moves them)",
}
