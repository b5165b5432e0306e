package nnbench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hello is the first line of a peer.
const hello = `echo '{"torch": "9.9", "threads": '$3', "blas": "OpenBLAS", "blas_threads": '$OPENBLAS_NUM_THREADS', "gflops": 123.4, "onednn": true}'
`

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
	o.Cases, o.Threads = quick.Cases[:2], 3
	o.Peer = fakePeer(t, hello+`while read line; do echo '{"ms": 1000, "parameters": 247748}'; done`)
	var rows []Row
	var build Build
	err := Run(t.Context(), o, Listener{
		Peer: func(b Build) {
			if build = b; len(rows) > 0 {
				t.Error("the build of the peer comes after rows")
			}
		},
		Row: func(r Row) error { rows = append(rows, r); return nil },
	})
	if err != nil || len(rows) != 2 {
		t.Fatalf("Run = %d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if len(r.Peers) != 1 || r.Peers[0].MS != 1000 || r.Peers[0].Ratio != 1000/r.MS || r.Peers[0].Version != "9.9" || r.Beside("PyTorch") != r.Peers[0] {
			t.Errorf("row %+v, want a peer of 1000 ms", r)
		}
	}
	// The interpreter is told the number of threads, and so are its libraries.
	if want := (Build{Python: o.Peer, Torch: "9.9", Threads: 3, BLAS: "OpenBLAS", BLASThreads: 3, GFLOPS: 123.4, OneDNN: true}); build != want {
		t.Errorf("the peer is %+v, want %+v", build, want)
	}
}

func TestMissingPeer(t *testing.T) {
	for _, command := range []string{
		"/no/such/python",
		fakePeer(t, "echo 'ModuleNotFoundError: No module named torch' >&2; exit 1"),
		fakePeer(t, "echo nonsense"),
		fakePeer(t, "echo '{}'"),
		fakePeer(t, hello+"read line; echo nonsense"),
		fakePeer(t, hello+`read line; echo '{"ms": 1, "parameters": 247747}'`),
		fakePeer(t, hello+`read line; echo '{"ms": 1, "parameters": 247748, "multiply_adds": 1}'`),
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

// An interruption is one, and not a peer that fails: at its start, and while it measures.
func TestInterruptedPeer(t *testing.T) {
	for _, body := range []string{"exec sleep 60", hello + "read line; exec sleep 60"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := quick
		o.Peer = fakePeer(t, body)
		time.AfterFunc(300*time.Millisecond, cancel)
		if err := Run(ctx, o, Listener{Row: func(Row) error { t.Error("a row"); return nil }}); !errors.Is(err, context.Canceled) {
			t.Errorf("Run with a peer that does not answer (%q) = %v", body, err)
		}
	}
}

// A warning names a remedy that works: OpenBLAS has two libraries, and Debian chooses each
// by itself.
func TestWarnings(t *testing.T) {
	const openblas = "/usr/lib/aarch64-linux-gnu/openblas-"
	const both = "for a fair comparison install the build that shares them, and choose it for both of its libraries: apt-get install libopenblas0-openmp" +
		" && update-alternatives --set libblas.so.3-aarch64-linux-gnu " + openblas + "openmp/libblas.so.3" +
		" && update-alternatives --set libopenblas.so.0-aarch64-linux-gnu " + openblas + "openmp/libopenblas.so.0"
	for _, c := range []struct {
		build Build
		want  []string // parts of the warnings
	}{
		{Build{BLAS: "MKL", OneDNN: true}, nil},
		{Build{BLAS: "OpenBLAS", OneDNN: true}, nil},
		{Build{BLAS: "OpenBLAS", BLASThreads: 1, OneDNN: true}, nil},
		{Build{BLAS: "OpenBLAS", Library: "/torch/lib/libopenblas.so.0", BLASThreads: 2, OneDNN: true}, []string{"(/torch/lib/libopenblas.so.0) has 2 threads of its own, which hinder those of OpenMP; a build that shares them"}},
		{Build{BLAS: "OpenBLAS", Library: openblas + "pthread/libblas.so.3", BLASThreads: 2, OneDNN: true}, []string{both}},
		// PyTorch calls the right library, which hands its work to another.
		{Build{BLAS: "OpenBLAS", Library: openblas + "openmp/libblas.so.3", BLASThreads: 2, ThreadsLibrary: openblas + "pthread/libopenblasp-r0.3.21.so", OneDNN: true}, []string{
			"(" + openblas + "openmp/libblas.so.3 with the threads of " + openblas + "pthread/libopenblasp-r0.3.21.so) has 2 threads of its own, which hinder those of OpenMP; " + both,
		}},
		{Build{BLAS: "reference", Library: "/lib/libblas.so.3", BLASThreads: 1, OneDNN: true}, []string{"reference BLAS (/lib/libblas.so.3)"}},
		{Build{BLAS: "reference"}, []string{"apt-get install", "oneDNN"}},
	} {
		got := c.build.Warnings()
		if len(got) != len(c.want) {
			t.Errorf("%+v: %q, want %d warnings", c.build, got, len(c.want))
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(got[i], part) {
				t.Errorf("%+v: %q, want %q in it", c.build, got[i], part)
			}
		}
	}
}
