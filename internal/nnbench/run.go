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
	peer *peer // nil is none
	done int   // pieces
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
	if err := checkRoom(r.Cases, r.Options.Peer != ""); err != nil {
		return err
	}
	if r.Options.Peer != "" {
		if r.peer, err = startPeer(ctx, r.Options.Peer, r.Threads); err != nil {
			return err
		}
		defer r.peer.close()
		if l.Peer != nil {
			l.Peer(r.peer.build)
		}
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

// stage announces the next piece.
func (r *run) stage(c Case, what string) {
	if r.Stage != nil {
		each := 1 + r.Rounds
		if r.peer != nil {
			each += r.Rounds
		}
		r.Stage(Stage{c, what, r.done, each * len(r.Cases)})
	}
	r.done++
}

// measure alternates between our runs and those of the peer, if any.
func (r *run) measure(ctx context.Context, c Case) (Row, error) {
	row := Row{Network: c.Network, Op: c.Op.String(), Batch: c.Batch, Threads: r.Threads, MS: math.Inf(1)}
	r.stage(c, "a run to begin with")
	s, err := warm(ctx, c, r.Threads)
	if err != nil {
		return row, err
	}
	if err := s.round(ctx, &row, 1); err != nil {
		return row, err
	}
	repeat := r.Repeat
	if row.MS >= 1000 {
		repeat = 1
	}
	for k := range r.Rounds {
		round := fmt.Sprintf("round %d of %d", k+1, r.Rounds)
		r.stage(c, round)
		if err := s.round(ctx, &row, repeat); err != nil {
			return row, err
		}
		row.Peak = max(row.Peak, kernel.Peak(r.Threads))
		if r.peer == nil {
			continue
		}
		r.stage(c, round+" of PyTorch")
		reply, err := r.peer.measure(ctx, s, c, repeat)
		if err != nil {
			return row, err
		}
		row.Peer = "torch " + r.peer.build.Torch
		row.compare(reply)
	}
	row.GFLOPS = s.gflop() / row.MS * 1e3
	row.Fraction = row.GFLOPS / row.Peak
	if row.PeerMS > 0 {
		row.Ratio = row.PeerMS / row.MS
	}
	if row.CPUMS > 0 {
		row.CPURatio = row.PeerCPU / row.CPUMS
	}
	return row, nil
}

// warm makes the subject of a case and takes all memory that it needs. Drawing gigabytes of
// weights does not look at the context: who is interrupted leaves it behind.
func warm(ctx context.Context, c Case, threads int) (*subject, error) {
	debug.FreeOSMemory() // the last network may have had gigabytes
	var s *subject
	made := make(chan error, 1)
	go func() {
		var err error
		s, err = newSubject(c, threads)
		made <- err
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case err := <-made:
		if err != nil {
			return nil, err
		}
	}
	return s, s.run(ctx)
}

// compare enters a time of the peer, if it is the least so far.
func (r *Row) compare(reply peerReply) {
	if r.PeerMS == 0 || reply.MS < r.PeerMS {
		r.PeerMS = reply.MS
	}
	if r.PeerCPU == 0 || reply.CPUMS < r.PeerCPU {
		r.PeerCPU = reply.CPUMS
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
