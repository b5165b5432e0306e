package nnbench

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/go-pcd/pcd/internal/memory"
)

func TestStagesAreCounted(t *testing.T) {
	o := quick
	o.Cases, o.Rounds = quick.Cases[:2], 2
	o.Peer = fakePeer(t, hello+`while read line; do echo '{"ms": 1000, "parameters": 247748}'; done`)
	var whats []string
	err := Run(t.Context(), o, Listener{
		Row: func(Row) error { return nil },
		Stage: func(s Stage) {
			if s.Done != len(whats) || s.Total != 10 || s.Case != o.Cases[len(whats)/5] {
				t.Errorf("%+v after %d pieces", s, len(whats))
			}
			whats = append(whats, s.What)
		},
	})
	row := []string{"a run to begin with", "round 1 of 2", "round 1 of 2 of PyTorch", "round 2 of 2", "round 2 of 2 of PyTorch"}
	if want := slices.Concat(row, row); err != nil || !slices.Equal(whats, want) {
		t.Errorf("Run = %v with the stages %q, want %q", err, whats, want)
	}
}

// Who is interrupted does not wait for a network, and keeps the rows so far.
func TestInterruptedRunKeepsRows(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var rows int
	err := Run(ctx, quick, Listener{
		Row: func(Row) error { rows++; return nil },
		Stage: func(s Stage) {
			if s.Case == quick.Cases[1] {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) || rows != 1 {
		t.Errorf("Run = %v after %d rows, want an interruption after one", err, rows)
	}
}

func TestRoom(t *testing.T) {
	huge := largest["sd21-unet"]
	defer func() { largest["sd21-unet"] = huge }()
	if err := checkRoom(Cases(Images), 2); err != nil {
		t.Errorf("images: %v", err)
	}
	largest["sd21-unet"] = 1 << 60
	if runtime.GOOS != "linux" {
		return // nobody tells how much memory there is
	}
	var refused *memory.Error
	if _, err := collect(t, Options{Cases: Cases(Sequences, StableDiffusion)}); !errors.As(err, &refused) || refused.Need != 1<<60 {
		t.Errorf("Run = %v, want *memory.Error before any row", err)
	}
	if err := checkRoom(Cases(StableDiffusion), 2); !errors.As(err, &refused) || refused.Need != 1<<61 {
		t.Errorf("with a peer: %v, want *memory.Error for twice as much", err)
	}
}
