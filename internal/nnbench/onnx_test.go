package nnbench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/nn"
)

// fakeNode puts a program before all others that answers like the script.
func fakeNode(t *testing.T, body string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "node"), []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// writes is a PyTorch that writes a file where it is told to.
const writes = hello + `while read line; do
case "$line" in
*export*) echo "$line" | sed 's/.*"export":"\([^"]*\)".*/\1/' | xargs touch
echo '{"parameters": 247748, "inputs": [{"name": "x", "type": "float32", "shape": [2, 64, 4]}]}' ;;
*) echo '{"ms": 1000, "parameters": 247748}' ;;
esac
done`

// TestRuntimeIsCompared sees that predictions are written once and run beside ours, and that
// what ONNX Runtime does not do has no row of it.
func TestRuntimeIsCompared(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	fakeNode(t, `echo '{"version": "1.2.3"}'; while read line; do echo "$line" >> `+log+`; echo '{"ms": 500, "cpu_ms": 900}'; done`)
	o := quick
	o.Cases, o.Rounds = quick.Cases[:2], 2 // a prediction and a product with the Jacobian
	o.Peer, o.ONNX = fakePeer(t, writes), t.TempDir()
	rows, err := collect(t, o)
	if err != nil || len(rows) != 2 {
		t.Fatalf("Run = %d rows, %v", len(rows), err)
	}
	if b := rows[0].Beside("ONNX Runtime"); b.MS != 500 || b.CPUMS != 900 || b.Version != "1.2.3" || b.Ratio != 500/rows[0].MS || len(rows[0].Peers) != 2 {
		t.Errorf("row %+v, want ONNX Runtime's 500 ms beside PyTorch", rows[0])
	}
	if len(rows[1].Peers) != 1 || rows[1].Op != nn.VJP.String() {
		t.Errorf("row %+v, want PyTorch alone", rows[1])
	}
	asked, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(asked)), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"shape":[2,64,4]`) {
		t.Fatalf("ONNX Runtime was asked %q, want two rounds with the inputs of the file", lines)
	}
	_, rest, _ := strings.Cut(lines[0], `"path":"`)
	path, _, _ := strings.Cut(rest, `"`)
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder of %s is left behind", path)
	}
}

func TestMissingRuntime(t *testing.T) {
	for _, body := range []string{"echo 'Cannot find module' >&2; exit 1", "echo nonsense", "echo '{}'", `echo '{"version": "1"}'; read line; exit 1`} {
		fakeNode(t, body)
		o := quick
		o.Cases = quick.Cases[:1]
		o.Peer, o.ONNX = fakePeer(t, writes), t.TempDir()
		rows, err := collect(t, o)
		var refused *PeerError
		if !errors.As(err, &refused) || refused.Program != "ONNX Runtime" || len(rows) != 0 {
			t.Errorf("Run with a node that does %q = %d rows, %v; want *PeerError", body, len(rows), err)
		}
	}
	o := quick
	o.ONNX = t.TempDir()
	var refused *PeerError
	if _, err := collect(t, o); !errors.As(err, &refused) || !strings.Contains(refused.Remedy, "--peer") {
		t.Errorf("Run without PyTorch = %v, want a *PeerError that asks for one", err)
	}
}
