package attack

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/atomicfile"
	"github.com/go-pcd/pcd/internal/thorough"
	"github.com/go-pcd/pcd/modelfile"
	"github.com/go-pcd/pcd/weights"
)

// campaign is a command that is killed while it works, and then finished.
type campaign struct {
	line string   // writes to the folder out
	same []string // of the files must not depend on the kills: ends of their names
}

var campaigns = map[string]campaign{
	"train": {"train nav2d empty --data data/trajectories.npz --steps 12 --batch 4 -o out", []string{"model.safetensors"}},
	"eval":  {"eval nav2d --maps empty --methods diffuser,pcd-shd --trials 2 --samples 4 --robots 2 -o out", []string{".json"}},
	"plan":  {"plan empty --robots 2 --samples 8 --gif -o out", []string{"samples.npz", ".png", ".gif"}},
	"data":  {"data gen empty --contexts 20 -o out", []string{"trajectories.npz"}},
	"image": {"image generate --images 40 --sampling-steps 20 -o out", []string{".png", "latents.npz"}},
	"toy":   {"toy --method pcd --pairs 8000 -o out", []string{".npz", ".svg"}},
}

// TestKills ends commands at random times, by force or by an interrupt. What they
// leave is whole, and what continues ends as if nothing had happened.
func TestKills(t *testing.T) {
	thorough.Test(t)
	root := t.TempDir()
	if wrong, _ := execute(t, root, time.Minute, strings.Fields("data gen empty --contexts 20 -o data")...); wrong != "" {
		t.Fatal(wrong)
	}
	for name, c := range campaigns {
		t.Run(name, func(t *testing.T) { c.run(t, filepath.Join(root, "data")) })
	}
}

func (c campaign) run(t *testing.T, data string) {
	undisturbed := c.place(t, data)
	start := time.Now()
	if wrong, _ := execute(t, undisturbed, 5*time.Minute, strings.Fields(c.line)...); wrong != "" {
		t.Fatal(wrong)
	}
	length := time.Since(start)
	want := c.results(t, undisturbed)
	kills, rounds := 0, 0
	for begin := time.Now(); goOn(begin, rounds, 1); rounds++ {
		r := Generator(*seed, uint64(rounds))
		dir := c.place(t, data)
		killed, times := false, 4
		if !entire() {
			times = 1
		}
		for range times {
			how := pick(r, []os.Signal{syscall.SIGKILL, syscall.SIGKILL, syscall.SIGINT, syscall.SIGTERM})
			killed = killed || how == syscall.SIGKILL
			if c.disturb(t, dir, how, time.Duration(r.Int64N(int64(length)))) {
				kills++
			}
			checkWhole(t, filepath.Join(dir, "out"), killed)
		}
		if wrong, _ := execute(t, dir, 5*time.Minute, strings.Fields(c.line)...); wrong != "" {
			t.Errorf("seed %d, round %d: the command does not go on: %s", *seed, rounds, wrong)
			return
		}
		checkWhole(t, filepath.Join(dir, "out"), false)
		compare(t, want, c.results(t, dir))
	}
	t.Logf("%d kills in %d rounds", kills, rounds)
}

// place returns a folder with the data that commands read.
func (c campaign) place(t *testing.T, data string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "data"), os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// disturb runs the command and sends it a signal after a while. It says whether the
// signal came before the end.
func (c campaign) disturb(t *testing.T, dir string, how os.Signal, after time.Duration) bool {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, strings.Fields(c.line)...)
	cmd.Dir, cmd.Stderr = dir, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Signal(how) })
	err := cmd.Wait()
	killed := !timer.Stop()
	if how != syscall.SIGKILL && cmd.ProcessState.Exited() { // else before main could catch it
		if wrong := verdict(err, "", stderr.String()); wrong != "" {
			t.Errorf("seed %d: after %v at %v: %s", *seed, how, after, wrong)
		}
	}
	return killed
}

// results returns the files that must not depend on the kills, without times.
func (c campaign) results(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	root := filepath.Join(dir, "out")
	walk(t, root, func(path string, b []byte) {
		if filepath.Base(path) == "manifest.json" || strings.Contains(path, "/calls/") {
			return // say when and how often
		}
		if slices.ContainsFunc(c.same, func(e string) bool { return strings.HasSuffix(path, e) }) {
			found[strings.TrimPrefix(path, root)] = timeless(path, b)
		}
	})
	if len(found) == 0 {
		t.Fatalf("no results in %s", root)
	}
	return found
}

// timeless removes durations from a JSON file.
func timeless(path string, b []byte) []byte {
	if filepath.Ext(path) != ".json" {
		return b
	}
	v, _ := parse(b)
	return encode(withoutTimes(v))
}

func withoutTimes(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			if strings.Contains(k, "second") || strings.Contains(k, "time") {
				delete(x, k)
			} else {
				x[k] = withoutTimes(x[k])
			}
		}
	case []any:
		for i := range x {
			x[i] = withoutTimes(x[i])
		}
	}
	return v
}

func compare(t *testing.T, want, got map[string][]byte) {
	t.Helper()
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("seed %d: %s differs from that of an undisturbed command:\n%.300q\n%.300q", *seed, name, want[name], got[name])
		}
	}
	for name := range got {
		if want[name] == nil {
			t.Errorf("seed %d: %s is there only after the kills", *seed, name)
		}
	}
}

// walk calls f for every file below a folder, which may be missing.
func walk(t *testing.T, root string, f func(path string, b []byte)) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		f(path, b)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// checkWhole reads every file to its end. What a killed command was working on stays in a
// temporary folder until the next run, and nothing else may.
func checkWhole(t *testing.T, root string, killed bool) {
	t.Helper()
	walk(t, root, func(path string, b []byte) {
		if killed && slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), atomicfile.IsTemp) {
			return
		}
		if err := whole(path, b); err != nil {
			t.Errorf("seed %d: %s with %d bytes: %v", *seed, path, len(b), err)
		}
	})
}

// whole returns an error for a file that is not complete, or of an unknown kind, such
// as a temporary one.
func whole(path string, b []byte) (err error) {
	switch filepath.Ext(path) {
	case ".json":
		if !json.Valid(b) {
			err = io.ErrUnexpectedEOF
		}
	case ".jsonl":
		for line := range bytes.Lines(b) {
			if !json.Valid(line) || !bytes.HasSuffix(line, []byte("\n")) {
				err = fmt.Errorf("line %.100q", line)
			}
		}
	case ".npz":
		_, err = dataset.ReadNPZ(path, dataset.ReadOptions{MaxBytes: 1 << 30})
	case ".safetensors":
		_, err = modelfile.Inspect(path, weights.Options{})
	case ".png":
		_, err = png.Decode(bytes.NewReader(b))
	case ".gif":
		_, err = gif.DecodeAll(bytes.NewReader(b))
	case ".csv":
		if !bytes.HasSuffix(b, []byte("\n")) {
			return io.ErrUnexpectedEOF
		}
		_, err = csv.NewReader(bytes.NewReader(b)).ReadAll()
	case ".svg", ".html":
		if !bytes.HasSuffix(bytes.TrimSpace(b), []byte("</"+filepath.Ext(path)[1:]+">")) {
			err = io.ErrUnexpectedEOF
		}
	default:
		err = fmt.Errorf("left behind")
	}
	return err
}
