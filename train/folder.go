package train

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/regular"
)

// The files of a [Folder].
const (
	CheckpointFile = "checkpoint.safetensors"
	MetricsFile    = "metrics.jsonl"
)

// Folder is a training whose checkpoint and metrics lie in a directory: it
// continues from there.
type Folder struct {
	// Saved is called after every checkpoint; it may be nil.
	Saved func() error

	dir     string
	trainer *Trainer
	metrics []Metrics
}

// OpenFolder makes the directory, or resumes the trainer from the checkpoint in
// it. Metrics of steps after the checkpoint are dropped.
func OpenFolder(dir string, t *Trainer) (*Folder, error) {
	if err := atomicfile.MkdirAll(dir); err != nil {
		return nil, err
	}
	f := &Folder{dir: dir, trainer: t}
	err := t.Resume(filepath.Join(dir, CheckpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, err
	}
	old, err := readMetrics(filepath.Join(dir, MetricsFile))
	if err != nil {
		return nil, err
	}
	for _, m := range old {
		if m.Step <= t.Done() {
			f.metrics = append(f.metrics, m)
		}
	}
	return f, nil
}

// Trainer returns the trainer.
func (f *Folder) Trainer() *Trainer { return f.trainer }

// Done returns the number of finished steps.
func (f *Folder) Done() int { return f.trainer.Done() }

// Metrics returns the log so far.
func (f *Folder) Metrics() []Metrics { return f.metrics }

// ValidationLoss returns the last logged loss on held-out examples, 0 if there is
// none.
func (f *Folder) ValidationLoss() float64 {
	for i := len(f.metrics) - 1; i >= 0; i-- {
		if v := f.metrics[i].ValidationLoss; v != nil {
			return *v
		}
	}
	return 0
}

// Run trains to the end, or until the context is cancelled; then it saves a
// checkpoint and returns the context's error. log and progress may be nil.
func (f *Folder) Run(ctx context.Context, log func(Metrics), progress func(done, total int)) error {
	err := f.trainer.Run(ctx, Hooks{
		Log: func(m Metrics) error {
			f.metrics = append(f.metrics, m)
			if log != nil {
				log(m)
			}
			return nil
		},
		Checkpoint: func(*Trainer) error { return f.save() },
		Progress:   progress,
	})
	if ctx.Err() != nil {
		return errors.Join(err, f.save())
	}
	return err
}

// save writes the metrics, then the checkpoint that they lead to, then what else is to be
// saved. Metrics beyond the checkpoint, which a killed program leaves, are dropped; those
// that a newer checkpoint lacks could not be had again.
func (f *Folder) save() error {
	if err := writeMetrics(filepath.Join(f.dir, MetricsFile), f.metrics); err != nil {
		return err
	}
	if err := f.trainer.Save(filepath.Join(f.dir, CheckpointFile)); err != nil || f.Saved == nil {
		return err
	}
	return f.Saved()
}

func readMetrics(path string) ([]Metrics, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []Metrics
	for dec := json.NewDecoder(f); ; {
		var m Metrics
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("train: %s: line %d: %w", path, len(out)+1, err)
		}
		out = append(out, m)
	}
}

func writeMetrics(path string, metrics []Metrics) error {
	return atomicfile.Write(path, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		for _, m := range metrics {
			if err := enc.Encode(m); err != nil {
				return err
			}
		}
		return nil
	})
}
