package nnbench

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-pcd/pcd/nn"
)

var quick = Options{
	Cases:   []Case{{"temporal-1-2", nn.Forward, 2}, {"temporal-1-2", nn.VJP, 2}, {"conditional-8-16", nn.Train, 2}},
	Threads: 1, Rounds: 1, Repeat: 1,
}

func collect(t *testing.T, o Options) ([]Row, error) {
	t.Helper()
	var rows []Row
	err := Run(t.Context(), o, func(r Row) error { rows = append(rows, r); return nil })
	return rows, err
}

func TestRowsAreFilled(t *testing.T) {
	rows, err := collect(t, quick)
	if err != nil || len(rows) != len(quick.Cases) {
		t.Fatalf("Run = %d rows, %v", len(rows), err)
	}
	for i, r := range rows {
		c := quick.Cases[i]
		if r.Network != c.Network || r.Op != c.Op.String() || r.Batch != 2 || r.Threads != 1 || r.Kernel == "" {
			t.Errorf("row %+v does not describe %+v", r, c)
		}
		if r.MS <= 0 || r.GFLOPS <= 0 || r.Peak <= 0 || r.Fraction > 2.5 || r.Fraction <= 0 || r.PeerMS != 0 || r.Ratio != 0 {
			t.Errorf("row %+v has impossible numbers", r)
		}
	}
}

// fakePeer writes a program that answers like the script.
func fakePeer(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "python")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestPeerIsCompared(t *testing.T) {
	o := quick
	o.Peer = fakePeer(t, `while read line; do echo '{"ms": 1000, "torch": "9.9"}'; done`)
	rows, err := collect(t, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		if r.PeerMS != 1000 || r.Ratio != 1000/r.MS || r.Peer != "torch 9.9" {
			t.Errorf("row %+v, want a peer of 1000 ms", r)
		}
	}
}

func TestMissingPeer(t *testing.T) {
	for _, command := range []string{
		"/no/such/python",
		fakePeer(t, "echo 'ModuleNotFoundError: No module named torch' >&2; exit 1"),
		fakePeer(t, "read line; echo nonsense"),
	} {
		o := quick
		o.Peer = command
		rows, err := collect(t, o)
		var pe *PeerError
		if !errors.As(err, &pe) || len(rows) != 0 {
			t.Errorf("Run with peer %s = %d rows, %v; want *PeerError before the first row", command, len(rows), err)
		}
	}
}

func TestUnknownNetworks(t *testing.T) {
	for _, name := range []string{"", "resnet-1", "temporal", "temporal-1-x", "temporal-1-0"} {
		if _, err := collect(t, Options{Cases: []Case{{name, nn.Forward, 1}}, Rounds: 1}); err == nil {
			t.Errorf("Run(%q) = nil, want an error", name)
		}
	}
}
