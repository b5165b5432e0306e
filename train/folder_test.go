package train_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// A training in a folder that is stopped and opened again ends with the weights
// and the log of one that was not stopped.
func TestFolderResumes(t *testing.T) {
	c := config()
	c.LogEvery, c.ValidationEvery, c.CheckpointEvery = 10, 20, 10
	run := func(dir string, stopAt int) *train.Folder {
		tr, _ := trainer(t, c, 1)
		f, err := train.OpenFolder(dir, tr)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		err = f.Run(ctx, nil, func(done, _ int) {
			if done == stopAt {
				cancel()
			}
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		return f
	}
	whole := run(t.TempDir(), -1)
	dir := t.TempDir()
	if f := run(dir, 17); f.Trainer().Done() != 17 {
		t.Fatalf("stopped after %d steps, want 17", f.Trainer().Done())
	}
	resumed := run(dir, -1)
	untimed := func(lines []train.Metrics) (out []train.Metrics) {
		for _, m := range lines {
			m.SamplesPerSecond = 0
			out = append(out, m)
		}
		return out
	}
	if got, want := untimed(resumed.Metrics()), untimed(whole.Metrics()); len(want) != 4 || !reflect.DeepEqual(got, want) {
		t.Errorf("the log is %v after a stop, want that of steps 10, 20, 30 and 40: %v", got, want)
	}
	want, got := whole.ValidationLoss(), resumed.ValidationLoss()
	if want == 0 || got != want {
		t.Errorf("validation loss %v after a stop, want %v", got, want)
	}
}

// What slow steps have learned is kept although the next step of a checkpoint is far away.
func TestSlowStepsAreKept(t *testing.T) {
	c := config()
	for patience, want := range map[time.Duration]int{0: c.Steps, time.Hour: 1} {
		train.WithPatience(t, patience)
		tr, _ := trainer(t, c, 1)
		kept := 0
		if err := tr.Run(context.Background(), train.Hooks{Checkpoint: func(*train.Trainer) error { kept++; return nil }}); err != nil {
			t.Fatal(err)
		}
		if kept != want {
			t.Errorf("%d checkpoints of %d steps where %v is too long, want %d", kept, c.Steps, patience, want)
		}
	}
}

// divided are paths of which the last ten are held out.
type divided struct{ train.Data }

func (divided) HeldOut() int { return 10 }

// Data that say what is held out are believed: the validation loss does not depend
// on the other examples, and the weights not on those held out.
func TestDividedData(t *testing.T) {
	c := config()
	c.Validation = 0
	run := func(x tensor.Batch) ([]float32, float64) {
		n := network(t, 1)
		tr, err := train.New(objective(t, n, divided{train.Unconditional(x)}), c)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := tr.ValidationLoss()
		if err != nil {
			t.Fatal(err)
		}
		if err := tr.Run(context.Background(), train.Hooks{}); err != nil {
			t.Fatal(err)
		}
		return weightsOf(n), loss
	}
	w, loss := run(paths(60))
	x := paths(60)
	x.Sample(55)[3]++
	if w2, loss2 := run(x); !slices.Equal(w2, w) || loss2 == loss {
		t.Error("a held-out example changes the weights, or does not change the validation loss")
	}
	x = paths(60)
	x.Sample(5)[3]++
	if w2, loss2 := run(x); slices.Equal(w2, w) || loss2 != loss {
		t.Error("an example to learn from does not change the weights, or changes the validation loss")
	}
	c.Validation = 0.1
	var bad *train.ConfigError
	if _, err := train.New(objective(t, network(t, 1), divided{train.Unconditional(paths(60))}), c); !errors.As(err, &bad) {
		t.Errorf("two ways to hold out: %v", err)
	}
}
