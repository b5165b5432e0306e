// Command pcd samples jointly from several diffusion models under hard
// constraints. See "pcd help".
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot(args)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintln(stderr, "pcd:", message(err))
	}
	return exitCode(err)
}

func newRoot(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "pcd",
		Short: "Sample jointly from several diffusion models under hard constraints",
		Long: `pcd samples jointly from several pretrained diffusion models, so that the
samples are correlated (a coupling cost) and obey constraints given only now
(a projection at every denoising step), without retraining any model.` + "\n\n" + exitCodeHelp,
		Version:       experiment.Version(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = true
	invocation := append([]string{"pcd"}, args...)
	root.AddCommand(newPlanCommand(invocation), newPushCommand(invocation), newToyCommand(invocation), newDataCommand(invocation), newTrainCommand(invocation),
		newEvalCommand(invocation), newTableCommand(), newPlotCommand(), newWeightsCommand(), newBenchCommand(), newDoctorCommand())
	for _, c := range root.Commands() {
		requireKnownArguments(c)
	}
	return root
}

// requireKnownArguments makes a command without a verb of its own list what it
// knows instead of printing its help with success.
func requireKnownArguments(c *cobra.Command) {
	if c.HasSubCommands() && c.RunE == nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			return usageError{errors.New(unknownVerb(cmd, args))}
		}
	}
}
