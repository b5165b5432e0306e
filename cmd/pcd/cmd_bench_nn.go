package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/internal/nnbench"
)

// benchNNSummary is what "pcd bench nn" prints.
type benchNNSummary struct {
	Machine experiment.Machine `json:"machine"`
	Rows    []nnbench.Row      `json:"rows"`
}

// mostRounds bounds how often a measurement is repeated.
const mostRounds = 1000

func newBenchNNCommand() *cobra.Command {
	var opts nnbench.Options
	var asJSON bool
	networks := []string{string(nnbench.Sequences), string(nnbench.Images)}
	c := &cobra.Command{
		Use:   "nn",
		Short: "Networks: prediction, gradient and training step, beside PyTorch",
		Long: `Times predictions, products with the Jacobian and training steps of the published
networks, next to the arithmetic roof of the machine. With --peer the same
networks run in PyTorch, in turns with ours; read the ratio when the machine is
shared, and that of processor times when it is busy: with one thread, for waiting
threads count as well.

  sequences  the networks of teams and of pairs of robots
  images     the network of small images, and the classifier of latents
  sd         Stable Diffusion 2.1: its network at 64×64 latents, and its decoder. Either
             program takes 5 GB of memory.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBounds(bound{"threads", opts.Threads, 0, mostWorkers}, bound{"rounds", opts.Rounds, 1, mostRounds}); err != nil {
				return err
			}
			var err error
			if opts.Cases, err = benchNNCases(networks); err != nil {
				return usageError{err}
			}
			if asJSON {
				s, err := benchNN(cmd.Context(), opts, newProgress(cmd.ErrOrStderr(), "measuring"))
				return errors.Join(err, printJSON(cmd.OutOrStdout(), s))
			}
			return printBenchNN(cmd.Context(), cmd.OutOrStdout(), opts)
		},
	}
	c.Flags().StringSliceVar(&networks, "networks", networks, "groups of networks")
	c.Flags().IntVar(&opts.Threads, "threads", 0, "threads of both programs (default: one per processor)")
	c.Flags().IntVar(&opts.Rounds, "rounds", 4, "rounds of turns, of which the fastest counts")
	c.Flags().StringVar(&opts.Peer, "peer", "", "Python interpreter with PyTorch to compare with, for instance python3")
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

// benchNNCases returns the cases of groups of networks.
func benchNNCases(networks []string) ([]nnbench.Case, error) {
	if len(networks) == 0 {
		return nil, fmt.Errorf("--networks is empty; there are %v", nnbench.Groups())
	}
	groups, err := parseAll(networks, nnbench.ParseGroup)
	return nnbench.Cases(groups...), err
}

func benchNN(ctx context.Context, opts nnbench.Options, progress func(done, total int)) (benchNNSummary, error) {
	s := benchNNSummary{Machine: experiment.ThisMachine()}
	total := len(opts.Cases)
	err := nnbench.Run(ctx, opts, func(r nnbench.Row) error {
		s.Rows = append(s.Rows, r)
		progress(len(s.Rows), total)
		return nil
	})
	return s, err
}

// benchNNFormat is a line of the table, whose names of networks have some width. Lines are
// written as soon as they are measured, because some take minutes.
const benchNNFormat = "%-*s  %-9s %5s %8s %8s %10s %8s %8s %6s %7s %12s %7s %16s %7s\n"

func printBenchNN(ctx context.Context, w io.Writer, opts nnbench.Options) error {
	width := len("network")
	for _, c := range opts.Cases {
		width = max(width, len(c.Network))
	}
	fmt.Fprintln(w, experiment.ThisMachine())
	fmt.Fprintf(w, benchNNFormat, width, "network", "op", "batch", "threads", "kernel", "ms", "CPU ms", "GFLOP/s", "peak", "allocs",
		"PyTorch ms", "ratio", "PyTorch CPU ms", "ratio")
	return nnbench.Run(ctx, opts, func(r nnbench.Row) error {
		_, err := fmt.Fprintf(w, benchNNFormat, width, r.Network, r.Op, fmt.Sprint(r.Batch), fmt.Sprint(r.Threads), r.Kernel,
			fmt.Sprintf("%.2f", r.MS), orDash("%.0f", r.CPUMS), fmt.Sprintf("%.0f", r.GFLOPS), fmt.Sprintf("%.0f %%", 100*r.Fraction),
			fmt.Sprintf("%.0f", r.Allocs), orDash("%.2f", r.PeerMS), orDash("%.2f", r.Ratio), orDash("%.0f", r.PeerCPU), orDash("%.2f", r.CPURatio))
		return err
	})
}

// orDash writes a number, and a dash for 0.
func orDash(format string, v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
