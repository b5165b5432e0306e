// Command pcd samples jointly from several diffusion models under hard
// constraints. See "pcd help".
package main

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/memory"
)

func main() { os.Exit(program(os.Stdout, os.Stderr)) }

// program runs what the process was called with, and returns its exit code.
func program(stdout, stderr io.Writer) int {
	memory.Obey()
	if inJob() {
		stderr = jobMessages{stderr}
	}
	ctx := interruptible(context.Background(), os.Stderr)
	return run(ctx, os.Args[1:], stdout, stderr)
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (code int) {
	defer func() {
		if v := recover(); v != nil {
			reportPanic(stderr, v)
			code = exitRuntime
		}
	}()
	root := newRoot(args)
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := unknownHelp(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	if err != nil {
		printMessage(stderr, message(err))
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
		Version: "of the build", // in words where it is asked for: the digest of a program takes its time
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			noteRenamed(cmd)
			return checkNumbers(cmd)
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	cobra.AddTemplateFunc("built", manifest.Version)
	root.SetVersionTemplate("pcd version {{built}}\n")
	invocation := append([]string{"pcd"}, args...)
	root.AddCommand(newPlanCommand(invocation), newPushCommand(invocation), newActCommand(invocation), newPairCommand(invocation), newToyCommand(invocation), newImageCommand(invocation), newJudgeCommand(invocation), newExportCommand(invocation), newServeCommand(), newDataCommand(invocation), newTrainCommand(invocation), newFitCommand(invocation),
		newEvalCommand(invocation), newTableCommand(), newPlotCommand(), newWeightsCommand(), newVerifyCommand(), newBenchCommand(), newDoctorCommand(), newVersionCommand())
	typeUsageErrors(root)
	addCompletions(root)
	return root
}
