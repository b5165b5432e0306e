package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/nnbench"
	"github.com/go-pcd/pcd/internal/settings"
	"github.com/go-pcd/pcd/internal/terminal"
)

// benchNNSummary is what "pcd bench nn" prints.
type benchNNSummary struct {
	Machine manifest.Machine `json:"machine"`
	Peer    *nnbench.Build   `json:"peer,omitempty"`
	Rows    []nnbench.Row    `json:"rows"`
}

// mostRounds bounds how often a measurement is repeated.
const mostRounds = 1000

// repeats is the row of how often something is measured.
func repeats(value float64, help string) settings.Number {
	return settings.Number{Name: "repeats", Default: value, Low: 1, High: mostRounds, Whole: true, Help: help}
}

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
threads count as well. The PyTorch is named with the library that multiplies its
matrices; one that is slower than it has to be gets a warning with the remedy.

A row is printed when it is there. An interruption keeps those so far.

  sequences  the networks of teams and of pairs of robots
  images     the network of small images, and the classifier of latents
  policies   a LeRobot policy of the published size, with float32 and with half-precision
             weights: a pass of its U-Net, its eye on two pictures, and a whole plan from
             pictures to actions by DDIM in ten steps. The peer has float32 weights. Either
             program takes 1 to 2 GiB.
  sd         Stable Diffusion 2.1: its network at 64×64 latents, and its decoder. Either
             program takes 5 GiB of memory, which has to be free. With a peer a row
             takes about a minute on two processors.

` + exitCodeHelp,
		Example: "  pcd bench nn --networks images --peer python3\n  pcd bench nn --networks sd --repeats 1 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opts.Cases, err = benchNNCases(networks); err != nil {
				return usageError{err}
			}
			return benchNN(cmd, opts, asJSON)
		},
	}
	c.Flags().StringSliceVar(&networks, "networks", networks, "groups of networks")
	number(c.Flags(), &opts.Threads, settings.Workers.With(0, "threads of both programs (default: one per processor)"))
	number(c.Flags(), &opts.Rounds, repeats(4, "rounds of turns, of which the fastest counts"))
	renamed(c.Flags(), "threads", "workers")
	renamed(c.Flags(), "rounds", "repeats")
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

// benchNN measures, and prints every row, or all as JSON, those before an interruption too.
func benchNN(cmd *cobra.Command, opts nnbench.Options, asJSON bool) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	s := benchNNSummary{Machine: manifest.ThisMachine(), Rows: []nnbench.Row{}}
	table := benchNNTable{w: stdout, network: len("network"), peer: opts.Peer != ""}
	if asJSON {
		table.w = io.Discard
	}
	for _, c := range opts.Cases {
		table.network = max(table.network, len(c.Network))
	}
	printLine(table.w, "%s", s.Machine)
	show, hide := newStageProgress(stderr)
	err := nnbench.Run(cmd.Context(), opts, nnbench.Listener{
		Peer: func(b nnbench.Build) {
			s.Peer = &b
			printLine(table.w, "%s", b)
			for _, w := range b.Warnings() {
				printMessage(stderr, "warning: "+w)
			}
		},
		Stage: func(st nnbench.Stage) {
			show(st.Done, st.Total, fmt.Sprintf("%s %v of %d: %s", st.Case.Network, st.Case.Op, st.Case.Batch, st.What))
		},
		Row: func(r nnbench.Row) error {
			hide()
			s.Rows = append(s.Rows, r)
			return table.add(r)
		},
	})
	hide()
	if asJSON && (err == nil || len(s.Rows) > 0) {
		return errors.Join(err, printJSON(stdout, s))
	}
	return err
}

// benchNNTable is the table for people. Lines are written as soon as they are measured,
// because some take minutes: columns have the widths of what they will hold. Those of the
// other program are left out without one.
type benchNNTable struct {
	w       io.Writer
	network int // width of the names of networks
	peer    bool
	begun   bool
}

// add prints a row, the first below the header.
func (t *benchNNTable) add(r nnbench.Row) error {
	if !t.begun {
		if err := t.line("network", "op", "batch", "threads", "kernel", "ms", "CPU ms", "GFLOP/s", "peak", "allocs",
			"PyTorch ms", "ratio", "PyTorch CPU ms", "ratio"); err != nil {
			return err
		}
	}
	t.begun = true
	return t.line(r.Network, r.Op, fmt.Sprint(r.Batch), fmt.Sprint(r.Threads), r.Kernel,
		fmt.Sprintf("%.2f", r.MS), orDash("%.0f", r.CPUMS), fmt.Sprintf("%.0f", r.GFLOPS), fmt.Sprintf("%.0f %%", 100*r.Fraction),
		fmt.Sprintf("%.0f", r.Allocs), orDash("%.2f", r.PeerMS), orDash("%.2f", r.Ratio), orDash("%.0f", r.PeerCPU), orDash("%.2f", r.CPURatio))
}

// benchNNWidths are those of the columns behind the first; the second is at the left.
var benchNNWidths = []int{9, 5, 7, 8, 9, 8, 7, 5, 6, 10, 5, 14, 5}

// ownColumns are the first columns, which are not of the other program.
const ownColumns = 10

// line writes cells in their columns. Those that the width has no room for follow below.
func (t *benchNNTable) line(network string, cells ...string) error {
	if !t.peer {
		cells = cells[:ownColumns-1]
	}
	line := terminal.Join(fmt.Sprintf("%-*s", t.network, network))
	for i, c := range cells {
		width := benchNNWidths[i]
		if i == 0 {
			width = -width
		}
		line += "  " + terminal.Join(fmt.Sprintf("%*s", width, c))
	}
	width := terminal.Width(t.w)
	_, err := fmt.Fprintln(t.w, terminal.Plain(strings.Join(terminal.Break(line, width, width-4), "\n    ")))
	return err
}

// orDash writes a number, and a dash for 0.
func orDash(format string, v float64) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
