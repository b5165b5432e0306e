package nnbench

import (
	"context"
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

// Run measures the cases one after the other and hands every row to emit as soon
// as it is there. It returns a [PeerError] before the first row when the peer is
// not there.
func Run(ctx context.Context, opts Options, emit func(Row) error) error {
	o := opts.withDefaults()
	kind, err := kernel.Selected()
	if err != nil {
		return err
	}
	var p *peer
	if o.Peer != "" {
		if p, err = startPeer(ctx, o.Peer); err != nil {
			return err
		}
		defer p.close()
	}
	for _, c := range o.Cases {
		row, err := measure(ctx, c, o, p)
		if err != nil {
			return err
		}
		row.Kernel = kind.String()
		if err := emit(row); err != nil {
			return err
		}
	}
	return nil
}

// measure alternates between our runs and those of the peer, if any.
func measure(ctx context.Context, c Case, o Options, p *peer) (Row, error) {
	debug.FreeOSMemory() // the last network may have had gigabytes
	row := Row{Network: c.Network, Op: c.Op.String(), Batch: c.Batch, Threads: o.Threads, MS: math.Inf(1)}
	s, err := newSubject(c, o.Threads)
	if err != nil {
		return row, err
	}
	if err := s.run(ctx); err != nil { // takes its memory
		return row, err
	}
	if err := s.round(ctx, &row, 1); err != nil {
		return row, err
	}
	if row.MS >= 1000 {
		o.Repeat = 1
	}
	for range o.Rounds {
		if err := s.round(ctx, &row, o.Repeat); err != nil {
			return row, err
		}
		row.Peak = max(row.Peak, kernel.Peak(o.Threads))
		if p == nil {
			continue
		}
		reply, err := p.measure(s, c, o)
		if err != nil {
			return row, err
		}
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

// compare enters a time of the peer, if it is the least so far.
func (r *Row) compare(reply peerReply) {
	if r.PeerMS == 0 || reply.MS < r.PeerMS {
		r.PeerMS, r.Peer = reply.MS, "torch "+reply.Torch
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
