package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/manifest"
)

// Options say how an evaluation runs.
type Options struct {
	Dir     string // receives the cells; results in it, or in its archive, are continued
	Shard   Shard
	Workers int      // goroutines; 0 is one per processor
	Command []string // for the manifest
	Seed    uint64   // for the manifest
	// Cell is called before a cell is computed, or found finished. It may be nil.
	Cell func(name string, number, of int, finished bool)
	// Progress is called before the first cell and as cells grow, with the units of all cells of the shard. It may be nil.
	Progress func(done, total int)
}

// Summary says what an evaluation has done.
type Summary struct {
	Cells    int    `json:"cells"`    // of the evaluation
	Finished int    `json:"finished"` // of them, now, whoever computed them
	Computed int    `json:"computed"` // of them, by this call
	Shard    Part   `json:"shard"`    // of this call
	Dir      string `json:"dir"`
}

// Part says how far a shard is.
type Part struct {
	Name     string `json:"name"` // i/n
	Cells    int    `json:"cells"`
	Finished int    `json:"finished"` // of them, now
}

// largestEvaluation bounds the number of cells.
const largestEvaluation = 1 << 20

// Evaluate computes what its cells lack, one file each. Everything that can be known
// before is checked before: a spec that makes no cells, models that cannot be opened,
// results on the disk that were made with another model or other settings. When the
// context is cancelled, what a cell was just computing is lost and nothing else.
//
// Any number of shards may share one folder: files appear whole or not at all, and no
// two shards of one division write the same. Cells is 0 in the summary when no work
// was begun.
func (x *Experiment[S, C, R]) Evaluate(ctx context.Context, spec S, o Options) (Summary, error) {
	s, record := Summary{Dir: o.Dir}, manifest.New(o.Command, o.Seed, nil)
	cells, err := x.cells(spec, o.Shard)
	if err != nil {
		return s, err
	}
	files, err := openStore(o.Dir)
	if err != nil {
		return s, err
	}
	jobs, err := x.jobs(files, cells, o.Shard)
	if err != nil {
		return s, err
	}
	call, err := beginCall(files, record, callSettings{Spec: spec, Shard: o.Shard}, jobs)
	if err != nil {
		return s, err
	}
	s.Cells, s.Shard = len(cells), Part{Name: o.Shard.String(), Cells: len(jobs)}
	tell := o.Progress
	if tell == nil {
		tell = func(int, int) {}
	}
	all := amountOf(jobs)
	tell(all.done, all.total)
	for _, j := range jobs {
		if o.Cell != nil {
			o.Cell(j.name, j.number, len(cells), j.finished)
		}
		if !j.finished {
			if err = x.compute(ctx, files, j, o.Workers, func(done int) { tell(all.done-j.done+done, all.total) }); err != nil {
				break
			}
			all.done += j.total - j.done
			s.Computed++
		}
		s.Shard.Finished++
	}
	s.Finished = s.Shard.Finished + x.finishedElsewhere(files, cells, o.Shard)
	return s, errors.Join(err, call.end(err))
}

// finishedElsewhere counts the cells of other shards that are finished. What is wrong with
// the others is found by those who compute them.
func (x *Experiment[S, C, R]) finishedElsewhere(files *store, cells []C, shard Shard) (n int) {
	for number, c := range cells {
		if shard.has(number) {
			continue
		}
		data, path, err := files.read(c.Name())
		if err != nil {
			continue
		}
		r, err := x.decode(c.Name(), path, data)
		if err != nil || matchSettings(path, r.Head(), c) != nil {
			continue
		}
		if done, total := r.Progress(c); done >= total {
			n++
		}
	}
	return n
}

// cells lists the cells of a spec; none of them may stand for another.
func (x *Experiment[S, C, R]) cells(spec S, shard Shard) ([]C, error) {
	if err := shard.check(); err != nil {
		return nil, err
	}
	cells, err := spec.Cells()
	if err != nil {
		return nil, &SpecError{err}
	}
	if len(cells) == 0 || len(cells) > largestEvaluation {
		return nil, &SpecError{fmt.Errorf("%s: the evaluation has %d cells, want 1 to %d", x.Name, len(cells), largestEvaluation)}
	}
	seen := map[string]bool{}
	for _, c := range cells {
		if seen[c.Name()] {
			return nil, &SpecError{fmt.Errorf("%s: the cell %s is asked for twice", x.Name, c.Name())}
		}
		seen[c.Name()] = true
	}
	return cells, nil
}

// job is a cell of this shard, ready to be computed.
type job[C any, R any] struct {
	cell     C
	name     string
	number   int
	before   R // what is there already
	begun    bool
	finished bool
	work     Work[R]
	amount   // of before
}

// amount is how many units there are of those that are wanted.
type amount struct{ done, total int }

// amountOf returns the amount of all cells of a shard.
func amountOf[C any, R any](jobs []job[C, R]) (all amount) {
	for _, j := range jobs {
		all.done += j.done
		all.total += j.total
	}
	return all
}

// jobs opens the models of the cells of a shard and finds what is there of them.
func (x *Experiment[S, C, R]) jobs(files *store, cells []C, shard Shard) ([]job[C, R], error) {
	var out []job[C, R]
	for _, number := range shard.of(len(cells)) {
		j := job[C, R]{cell: cells[number], name: cells[number].Name(), number: number}
		var err error
		if j.work, err = x.Prepare(j.cell); err != nil {
			return nil, err
		}
		if err := x.find(files, &j); err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

// find reads what is there of a cell.
func (x *Experiment[S, C, R]) find(files *store, j *job[C, R]) error {
	data, path, err := files.read(j.name)
	if errors.Is(err, fs.ErrNotExist) {
		j.done, j.total = x.New().Progress(j.cell)
		return nil
	}
	if err != nil {
		return err
	}
	if j.before, err = x.decode(j.name, path, data); err != nil {
		return err
	}
	if err := match(path, j.before.Head(), j.cell, j.work.Model); err != nil {
		return err
	}
	j.done, j.total = j.before.Progress(j.cell)
	j.begun, j.finished = true, j.done >= j.total
	return nil
}

// compute adds to a cell what it lacks, and tells how much of it is done.
func (x *Experiment[S, C, R]) compute(ctx context.Context, files *store, j job[C, R], workers int, tell func(done int)) error {
	r := j.before
	if !j.begun {
		r = x.New()
	}
	id, err := identityOf(j.cell)
	if err != nil {
		return err
	}
	if err := r.Head().begin(j.cell, id, j.work.Model, !j.begun); err != nil {
		return err
	}
	file := x.file(files, j.cell)
	return j.work.Run(ctx, r, workers, func() error {
		done, _ := r.Progress(j.cell)
		tell(done)
		return file.save(r)
	})
}

// cellFile is the file of a cell that grows.
type cellFile[C Cell[C], R Result[C]] struct {
	path   string
	cell   C
	decode func(data []byte) (R, error)
	last   os.FileInfo // as it was after the last writing; nil before
}

func (x *Experiment[S, C, R]) file(files *store, c C) *cellFile[C, R] {
	path := files.path(c.Name())
	f := &cellFile[C, R]{path: path, cell: c, decode: func(data []byte) (R, error) { return x.decode(c.Name(), path, data) }}
	f.last, _ = os.Stat(path)
	return f
}

// save writes a result, unless another process has written one meanwhile that is as
// far: then that one stays.
func (f *cellFile[C, R]) save(r R) error {
	if f.overtaken(r) {
		return nil
	}
	if err := atomicfile.WriteJSON(f.path, r); err != nil {
		return err
	}
	var err error
	f.last, err = os.Stat(f.path)
	return err
}

func (f *cellFile[C, R]) overtaken(r R) bool {
	now, err := os.Stat(f.path)
	if err != nil || f.last != nil && os.SameFile(now, f.last) && now.ModTime().Equal(f.last.ModTime()) {
		return false
	}
	data, err := readBounded(f.path)
	if err != nil {
		return false
	}
	other, err := f.decode(data)
	if err != nil {
		return false
	}
	theirs, _ := other.Progress(f.cell)
	ours, _ := r.Progress(f.cell)
	return theirs >= ours
}
