package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/plan"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/push"
)

// The exit codes.
const (
	exitOK          = 0
	exitRuntime     = 1
	exitUsage       = 2
	exitInfeasible  = 10
	exitUncertified = 11
	exitLimit       = 12
	exitMissing     = 13
	exitInterrupted = 130
)

const exitCodeHelp = `Exit codes: 0 ok, 1 runtime error, 2 usage or specification error,
10 infeasible constraints, 11 certificate failed, 12 projector limit,
13 missing artefact, 130 interrupted (partial results written).`

// usageError is a mistake of the caller, found before any work.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// exitCode says how the program ends after err.
func exitCode(err error) int {
	var usage usageError
	var problem *pcd.ProblemError
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.Is(err, project.ErrInfeasible), isOutOfReach(err):
		return exitInfeasible
	case errors.Is(err, pcd.ErrUncertified):
		return exitUncertified
	case errors.As(err, &usage), errors.As(err, &problem), isTaskError(err), isCobraUsage(err):
		return exitUsage
	case errors.Is(err, fs.ErrNotExist):
		return exitMissing
	default:
		return exitRuntime
	}
}

// isTaskError recognises what is wrong with a planning task.
func isTaskError(err error) bool {
	var team *plan.TeamError
	var limit *plan.LimitError
	var collision *plan.CollisionError
	var model *plan.ModelError
	var policy *push.ModelError
	broken := (errors.As(err, &model) || errors.As(err, &policy)) && !errors.Is(err, fs.ErrNotExist)
	return broken || errors.Is(err, nav2d.ErrNoRobots) || errors.As(err, &team) || errors.As(err, &limit) || errors.As(err, &collision)
}

// isOutOfReach recognises goals that obstacles and speed limits keep a robot from.
func isOutOfReach(err error) bool {
	var unreachable *nav2d.UnreachableError
	return errors.As(err, &unreachable)
}

// isCobraUsage recognises the errors that the command-line library makes itself.
func isCobraUsage(err error) bool {
	for _, prefix := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "invalid argument"} {
		if strings.HasPrefix(err.Error(), prefix) {
			return true
		}
	}
	return false
}

// message is what the user reads: an interruption needs no more than its name.
func message(err error) string {
	if errors.Is(err, context.Canceled) {
		return "interrupted"
	}
	return err.Error()
}

// flagError adds the valid flags to the error of an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	return usageError{fmt.Errorf("%w; the flags of %q are %s", err, cmd.CommandPath(), strings.Join(names, ", "))}
}

// unknownVerb lists the verbs of a command.
func unknownVerb(cmd *cobra.Command, args []string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	what := "no verb given"
	if len(args) > 0 {
		what = fmt.Sprintf("unknown verb %q", args[0])
	}
	return fmt.Sprintf("%s for %q; the verbs are %s", what, cmd.CommandPath(), strings.Join(names, ", "))
}
