package nnbench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/go-pcd/pcd/internal/cputime"
	"github.com/go-pcd/pcd/internal/kernel"
	"github.com/go-pcd/pcd/internal/memory"
	"github.com/go-pcd/pcd/internal/parallel"
)

// Options says what to measure. The zero value measures networks of sequences and small
// images on all cores, without a peer.
type Options struct {
	Cases   []Case // nil is Cases(Sequences, Images)
	Threads int    // goroutines, and threads of the peer; 0 is GOMAXPROCS
	Rounds  int    // rounds of alternating measurements; 0 is 4
	Repeat  int    // runs in a round, one if a run takes a second; 0 is 3
	Peer    string // Python interpreter with PyTorch, for instance python3; "" is none
	// ONNX is the folder in which npm has installed onnxruntime-node; "" is none. PyTorch
	// writes the files that it runs, so that there has to be a Peer.
	ONNX string
}

func (o Options) withDefaults() Options {
	if o.Cases == nil {
		o.Cases = Cases(Sequences, Images)
	}
	for v, d := range map[*int]int{&o.Rounds: 4, &o.Repeat: 3} {
		if *v == 0 {
			*v = d
		}
	}
	o.Threads = parallel.Workers(o.Threads)
	return o
}

// Listener hears of a measurement while it goes on. Functions that are nil hear nothing.
type Listener struct {
	Peer  func(Build)     // before the first row, if there is a peer
	Stage func(Stage)     // before every piece of work
	Row   func(Row) error // as soon as a row is there; an error ends the measurement
}

// Stage is a piece of work that begins.
type Stage struct {
	Case        Case
	What        string // for instance "round 2 of 4"
	Done, Total int    // pieces, of all rows
}

// run is a measurement that goes on.
type run struct {
	Options
	Listener
	peers []peer
	done  int // pieces
}

// Run measures the cases one after the other. It returns a [memory.Error] for networks
// that the machine has no room for, and a [PeerError] when the peer is not there, before
// the first row.
func Run(ctx context.Context, opts Options, l Listener) error {
	r := run{Options: opts.withDefaults(), Listener: l}
	kind, err := kernel.Selected()
	if err != nil {
		return err
	}
	if err := checkRoom(r.Cases, 1+len(opts.Peers())); err != nil {
		return err
	}
	var built *Build
	if r.peers, built, err = r.Options.peers(ctx); err != nil {
		return err
	}
	for _, p := range r.peers {
		defer p.close()
	}
	if built != nil && l.Peer != nil {
		l.Peer(*built)
	}
	for _, c := range r.Cases {
		row, err := r.measure(ctx, c)
		if err != nil {
			return err
		}
		row.Kernel = kind.String()
		if err := l.Row(row); err != nil {
			return err
		}
	}
	return nil
}

// pieces returns how many pieces of work a case is: a run to begin with, and rounds of all
// programs that have it.
func (r *run) pieces(c Case) int {
	n := 1 + c.rounds(r.Rounds)
	for _, p := range r.peers {
		if p.has(c) {
			n += c.rounds(r.Rounds)
		}
	}
	return n
}

// stage announces the next piece.
func (r *run) stage(c Case, what string) {
	if r.Stage != nil {
		total := 0
		for _, each := range r.Cases {
			total += r.pieces(each)
		}
		r.Stage(Stage{c, what, r.done, total})
	}
	r.done++
}

// measure alternates between our runs and those of the peers, if any.
func (r *run) measure(ctx context.Context, c Case) (Row, error) {
	row := Row{Network: c.Network, Op: c.Op.String(), Batch: c.Batch, Threads: r.Threads, MS: math.Inf(1)}
	r.stage(c, "a run to begin with")
	memory.ForgetPeak()
	s, err := r.warm(ctx, c, &row)
	if err != nil {
		return row, err
	}
	repeat := r.Repeat
	if row.MS >= 1000 {
		repeat = 1
	}
	for k := range c.rounds(r.Rounds) {
		if err := r.round(ctx, &row, s, c, fmt.Sprintf("round %d of %d", k+1, c.rounds(r.Rounds)), repeat); err != nil {
			return row, err
		}
	}
	row.Memory = memory.Peak()
	row.GFLOPS = s.gflop() / row.MS * 1e3
	row.Fraction = row.GFLOPS / row.Peak
	for i := range row.Peers {
		row.Peers[i].over(&row)
	}
	return row, nil
}

// warm makes the subject of a case and has it take all memory that it needs. What takes
// minutes does so once.
func (r *run) warm(ctx context.Context, c Case, row *Row) (*subject, error) {
	s, err := made(ctx, c, r.Threads)
	if err != nil || c.sampled() {
		return s, err
	}
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s, s.round(ctx, row, 1)
}

// round is a round of ours and one of every peer that has the network.
func (r *run) round(ctx context.Context, row *Row, s *subject, c Case, what string, repeat int) error {
	r.stage(c, what)
	if err := s.round(ctx, row, repeat); err != nil {
		return err
	}
	row.Peak = max(row.Peak, kernel.Peak(r.Threads))
	at := 0
	for _, p := range r.peers {
		if !p.has(c) {
			continue
		}
		r.stage(c, what+" of "+p.title())
		t, err := p.measure(ctx, s, c, repeat)
		if err != nil {
			return err
		}
		if at == len(row.Peers) {
			row.Peers = append(row.Peers, Beside{Peer: p.title(), Version: p.version()})
		}
		row.Peers[at].compare(t)
		at++
	}
	return nil
}

// made makes the subject of a case. Drawing gigabytes of weights does not look at the
// context: who is interrupted leaves it behind.
func made(ctx context.Context, c Case, threads int) (*subject, error) {
	debug.FreeOSMemory() // the last network may have had gigabytes
	var s *subject
	done := make(chan error, 1)
	go func() {
		var err error
		s, err = newSubject(c, threads)
		done <- err
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-done:
		return s, err
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }

// round times some runs and keeps the fastest time and the fewest allocations.
func (s *subject) round(ctx context.Context, row *Row, repeat int) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range repeat {
		start, spent := time.Now(), cputime.Process()
		if err := s.run(ctx); err != nil {
			return err
		}
		row.MS = min(row.MS, milliseconds(time.Since(start)))
		if spent = cputime.Process() - spent; row.CPUMS == 0 || milliseconds(spent) < row.CPUMS {
			row.CPUMS = milliseconds(spent)
		}
	}
	runtime.ReadMemStats(&after)
	row.Allocs = float64((after.Mallocs - before.Mallocs) / uint64(repeat))
	return nil
}
