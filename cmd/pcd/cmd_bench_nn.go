package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/experiment"
	"github.com/go-pcd/pcd/internal/nnbench"
)

// benchNNSummary is what "pcd bench nn" prints.
type benchNNSummary struct {
	Machine experiment.Machine `json:"machine"`
	Rows    []nnbench.Row      `json:"rows"`
}

func newBenchNNCommand() *cobra.Command {
	var opts nnbench.Options
	var asJSON bool
	c := &cobra.Command{
		Use:   "nn",
		Short: "Networks: prediction, gradient and training step, beside PyTorch",
		Long: `Times predictions, products with the Jacobian and training steps of the published
networks, next to the arithmetic roof of the machine. With --peer the same
networks run in PyTorch, in turns with ours; read the ratio when the machine is
shared.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := benchNN(cmd.Context(), opts, newProgress(cmd.ErrOrStderr(), "measuring"))
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printBenchNN(cmd.OutOrStdout(), s)
		},
	}
	c.Flags().IntVar(&opts.Threads, "threads", 0, "threads of both programs (default: one per processor)")
	c.Flags().IntVar(&opts.Rounds, "rounds", 0, "rounds of turns, of which the fastest counts (default: 4)")
	c.Flags().StringVar(&opts.Peer, "peer", "", "Python interpreter with PyTorch to compare with, for instance python3")
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

func benchNN(ctx context.Context, opts nnbench.Options, progress func(done, total int)) (benchNNSummary, error) {
	s := benchNNSummary{Machine: experiment.ThisMachine()}
	total := len(nnbench.Cases())
	err := nnbench.Run(ctx, opts, func(r nnbench.Row) error {
		s.Rows = append(s.Rows, r)
		progress(len(s.Rows), total)
		return nil
	})
	return s, err
}

func printBenchNN(w io.Writer, s benchNNSummary) error {
	fmt.Fprintln(w, s.Machine)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "network\top\tbatch\tthreads\tkernel\tms\tGFLOP/s\tof peak\tallocations\tPyTorch ms\tratio\t")
	for _, r := range s.Rows {
		peer, ratio := "-", "-"
		if r.PeerMS > 0 {
			peer, ratio = fmt.Sprintf("%.2f", r.PeerMS), fmt.Sprintf("%.2f", r.Ratio)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\t%s\t%.2f\t%.0f\t%.0f %%\t%.0f\t%s\t%s\t\n", r.Network, r.Op, r.Batch, r.Threads,
			r.Kernel, r.MS, r.GFLOPS, 100*r.Fraction, r.Allocs, peer, ratio)
	}
	return t.Flush()
}
