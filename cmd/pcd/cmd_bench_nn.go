package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
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
--peer-onnx adds predictions by ONNX Runtime, of files that this PyTorch writes.

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
		Example: "  pcd bench nn --networks images --peer python3 --peer-onnx ~/onnx\n  pcd bench nn --networks sd --repeats 1 --json",
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
	c.Flags().StringVar(&opts.ONNX, "peer-onnx", "", "folder with onnxruntime-node of npm to compare with; needs node and --peer")
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	return c
}

// benchNNCases returns the cases of groups of networks.
func benchNNCases(networks []string) ([]nnbench.Case, error) {
	if len(networks) == 0 {
		return nil, fmt.Errorf("--networks is empty; the groups are %s", strings.Join(wordsOf(nnbench.Groups()), ", "))
	}
	groups, err := parseAll(networks, nnbench.ParseGroup)
	if err != nil {
		return nil, fmt.Errorf("--networks: %w", err)
	}
	return nnbench.Cases(groups...), nil
}

// benchNN measures, and prints every row, or all as JSON, those before an interruption too.
func benchNN(cmd *cobra.Command, opts nnbench.Options, asJSON bool) error {
	stdout, stderr := cmd.OutOrStdout(), cmd.ErrOrStderr()
	s := benchNNSummary{Machine: manifest.ThisMachine(), Rows: []nnbench.Row{}}
	table := benchNNTable{w: stdout, network: len("network"), peers: opts.Peers()}
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
// because some take minutes: columns have the widths of what they will hold. Each other
// program has columns of its own.
type benchNNTable struct {
	w       io.Writer
	network int      // width of the names of networks
	peers   []string // names of the other programs
	begun   bool
}

// column is a title, which says how wide it is, and where numbers may be wider.
type column struct {
	title string
	width int
}

// ownColumns are those of our program, behind the name of the network.
var ownColumns = []column{{"op", 7}, {"batch", 5}, {"threads", 7}, {"kernel", 8}, {"ms", 9}, {"CPU ms", 8}, {"GFLOP/s", 7}, {"peak", 5}, {"allocs", 6}, {"MiB", 5}}

// columns returns the columns behind the name of the network.
func (t *benchNNTable) columns() []column {
	all := slices.Clone(ownColumns)
	for _, p := range t.peers {
		for _, title := range []string{p + " ms", "ratio", p + " CPU ms", "ratio"} {
			all = append(all, column{title, len(title)})
		}
	}
	return all
}

// add prints a row, the first below the header.
func (t *benchNNTable) add(r nnbench.Row) error {
	if !t.begun {
		var titles []string
		for _, c := range t.columns() {
			titles = append(titles, c.title)
		}
		if err := t.line("network", titles...); err != nil {
			return err
		}
	}
	t.begun = true
	cells := []string{r.Op, fmt.Sprint(r.Batch), fmt.Sprint(r.Threads), r.Kernel,
		fmt.Sprintf("%.2f", r.MS), orDash("%.0f", r.CPUMS), fmt.Sprintf("%.0f", r.GFLOPS), fmt.Sprintf("%.0f %%", 100*r.Fraction),
		fmt.Sprintf("%.0f", r.Allocs), orDash("%.0f", float64(r.Memory>>20))}
	for _, title := range t.peers {
		b := r.Beside(title)
		cells = append(cells, orDash("%.2f", b.MS), orDash("%.2f", b.Ratio), orDash("%.0f", b.CPUMS), orDash("%.2f", b.CPURatio))
	}
	return t.line(r.Network, cells...)
}

// line writes cells in their columns. Those that the width has no room for follow below.
func (t *benchNNTable) line(network string, cells ...string) error {
	line := terminal.Join(fmt.Sprintf("%-*s", t.network, network))
	for i, c := range t.columns() {
		width := c.width
		if i == 0 {
			width = -width
		}
		line += "  " + terminal.Join(fmt.Sprintf("%*s", width, cells[i]))
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
