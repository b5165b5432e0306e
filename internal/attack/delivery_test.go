package attack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/thorough"
)

// faultVariable names the environment variable of a program with the tag attack.
const faultVariable = "PCD_FAULT"

// delivery is a command that writes several files to the folder out, before and now.
type delivery struct {
	old, now string
	grows    bool // its files are written in place: the manifest says so
}

var deliveries = map[string]delivery{
	"plan":      {"plan empty --robots 2 --samples 2 --gif", "plan empty --robots 2 --samples 2 --seed 5", false},
	"push":      {"push --pairs 2 --method dp --sampling-steps 1", "push --pairs 1 --method dp --sampling-steps 1", false},
	"pair":      {"pair --pairs 2 --sampling-steps 2", "pair --pairs 1 --sampling-steps 2 --seed 3", false},
	"toy":       {"toy --method all --pairs 60", "toy --method pcd --pairs 50", false},
	"generate":  {"image generate --model images --sampling-steps 1 --images 3", "image generate --model images --sampling-steps 1 --images 2 --seed 3", false},
	"decode":    {"image decode --model images drawn/latents.npz", "image decode --model images drawn/latents.npz --columns 1", false},
	"convert":   {"image convert images", "image convert images --json", false},
	"data":      {"data gen empty --contexts 2", "data gen empty --contexts 2 --workers 2", false},
	"portraits": {"data gen images --portraits 3 --size 16 --single", "data gen images --portraits 2 --size 16", false},
	"train":     {"train nav2d empty --steps 2 --batch 2 --data moving.npz", "train nav2d empty --steps 3 --batch 2 --data moving.npz", true},
	"eval":      {"eval nav2d --trials 1 --samples 2 --robots 2 --maps empty --methods diffuser", "eval nav2d --trials 2 --samples 2 --robots 2 --maps empty --methods diffuser", true},
}

// places are the folders that place has made, by the old command: the attacks take copies.
var places = map[string]string{}

// place returns a folder with what the commands read, and out as the old command leaves it.
// Nothing changes it.
func (d delivery) place(t *testing.T) string {
	t.Helper()
	if places[d.old] == "" {
		kept, err := os.MkdirTemp(filepath.Dir(program), "place-") // longer than the test
		if err != nil {
			t.Fatal(err)
		}
		if err := os.CopyFS(kept, os.DirFS(d.prepare(t))); err != nil {
			t.Fatal(err)
		}
		places[d.old] = kept
	}
	return places[d.old]
}

// prepare makes such a folder.
func (d delivery) prepare(t *testing.T) string {
	t.Helper()
	dir := everydayPlace(t)
	lines := []string{d.old + " -o out"}
	if strings.Contains(d.old, "drawn") {
		lines = append([]string{"image generate --model images --sampling-steps 1 --images 2 -o drawn"}, lines...)
	}
	for _, line := range lines {
		if code, _, stderr := finish(t, dir, line); code != 0 {
			t.Fatalf("pcd %s: exit code %d, %s", line, code, stderr)
		}
	}
	return dir
}

// again returns a copy of a place.
func again(t *testing.T, from string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// counted are the numbers of changes that are known, by the command.
var counted = map[string]int{}

// changes returns how often a command changes the disk.
func changes(t *testing.T, dir, line string) (n int) {
	t.Helper()
	if n := counted[line]; n > 0 {
		return n
	}
	defer func() { counted[line] = n }()
	_, _, stderr := finish(t, dir, line, faultVariable+"=list 0")
	for text := range strings.Lines(stderr) {
		if strings.HasPrefix(text, "change ") {
			n++
		}
	}
	if n < 10 {
		t.Fatalf("pcd %s changes the disk %d times: %s", line, n, stderr)
	}
	return n
}

// points are the changes before which a command with so many of them is disturbed: all of
// them in a long attack, else some.
func points(n, some int) (all []int) {
	for k := range n {
		all = append(all, k+1)
	}
	if *long > 0 {
		return all
	}
	Generator(*seed, uint64(n)).Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return slices.Sorted(slices.Values(all[:min(n, shareOf(some))]))
}

// verified compares the folder out with its manifests, as "pcd verify" does.
func verified(t *testing.T, dir string) *manifest.Verification {
	t.Helper()
	v, err := manifest.Verify(t.Context(), filepath.Join(dir, "out"), nil)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// finished runs "pcd verify --finish" on the folder out.
func finished(t *testing.T, dir string) *manifest.Verification {
	t.Helper()
	_, stdout, stderr := finish(t, dir, "verify out --json --finish")
	v := new(manifest.Verification)
	if err := json.Unmarshal([]byte(stdout), v); err != nil {
		t.Fatalf("pcd verify: %v: %s%s", err, stdout, stderr)
	}
	return v
}

// commandOf returns the command line that wrote a folder.
func commandOf(v *manifest.Verification) string {
	return strings.TrimSuffix(strings.Join(v.Runs[0].Command[1:], " "), " -o out")
}

// check fails the test unless out is wholly of the old or of the new run, or says that it
// is neither; and unless the next run ends as if nothing had happened.
func (d delivery) check(t *testing.T, dir, when string) {
	t.Helper()
	v := verified(t, dir)
	isWhole := v.Verified && len(v.Foreign) == 0 && slices.Contains([]string{d.old, d.now}, commandOf(v))
	status := v.Runs[0].Status
	switch {
	case isWhole:
	case d.grows && (status == manifest.Running || len(v.Writing) > 0):
	case status == manifest.Delivering && onlyPieces(v.Foreign):
		if after := finished(t, again(t, dir)); !after.Verified || commandOf(after) != d.now {
			t.Errorf("%s: finished as %+v", when, after)
		}
	case !d.grows && v.Verified && onlyPieces(v.Foreign):
	default:
		t.Errorf("%s: %+v", when, v)
	}
	if code, _, stderr := finish(t, dir, d.now+" -o out"); code != 0 {
		t.Errorf("%s: the next run ends with %d, %s", when, code, stderr)
	}
	if v := verified(t, dir); !v.Verified || len(v.Foreign) > 0 || commandOf(v) != d.now {
		t.Errorf("%s: after the next run: %+v", when, v)
	}
	for _, name := range leftBehind(t, filepath.Join(dir, "out")) {
		t.Errorf("%s: after the next run there is %s", when, name)
	}
}

// onlyPieces says whether all files are what a run keeps to be continued.
func onlyPieces(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, "unfinished-") })
}

// leftBehind lists the temporary files and folders below a folder.
func leftBehind(t *testing.T, root string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != root && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "unfinished-") || strings.HasSuffix(d.Name(), "~")) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestKillsBetweenChanges ends commands before one of their changes of the disk: a short attack every
// sixth command; TestFullDisks and TestTakenPlaces have others.
func TestKillsBetweenChanges(t *testing.T) {
	for k, name := range slices.Sorted(maps.Keys(deliveries)) {
		if !inTurn(k, 0) {
			continue
		}
		d := deliveries[name]
		t.Run(name, func(t *testing.T) {
			from := d.place(t)
			n := changes(t, again(t, from), d.now+" -o out")
			for _, at := range points(n, 2) {
				dir := again(t, from)
				c := exec.Command(program, strings.Fields(d.now+" -o out")...)
				c.Dir, c.Env = dir, append(os.Environ(), fmt.Sprintf("%s=kill %d", faultVariable, at))
				said, err := c.CombinedOutput()
				if err == nil || !strings.Contains(string(said), "killed before change "+strconv.Itoa(at)) {
					t.Errorf("change %d: %v, %s", at, err, said)
				}
				d.check(t, dir, fmt.Sprintf("killed before change %d of %d (%.200q)", at, n, said))
			}
		})
	}
}

// TestFullDisks lets the disk be full from one of the changes on.
func TestFullDisks(t *testing.T) {
	for k, name := range slices.Sorted(maps.Keys(deliveries)) {
		if !inTurn(k, 1) {
			continue
		}
		d := deliveries[name]
		t.Run(name, func(t *testing.T) {
			from := d.place(t)
			n := changes(t, again(t, from), d.now+" -o out")
			for _, at := range points(n, 1) {
				dir := again(t, from)
				code, _, stderr := finish(t, dir, d.now+" -o out", fmt.Sprintf("%s=full %d", faultVariable, at))
				when := fmt.Sprintf("full from change %d of %d on", at, n)
				if code != 0 && (code != 1 || !strings.Contains(stderr, "no space left")) {
					t.Errorf("%s: exit code %d, %s, want 1 and why", when, code, stderr)
				}
				if strings.Contains(stderr, ".pcd-unfinished") {
					t.Errorf("%s: it speaks of a temporary name: %s", when, stderr)
				}
				d.check(t, dir, when)
			}
		})
	}
}

// Limits that the system sets on files and disks are met as those that the attack makes up.
func TestRealFullDisks(t *testing.T) {
	d := deliveries["plan"]
	from := d.place(t)
	for name, script := range map[string]string{
		"a limit on files": `ulimit -f 8 && exec "$0" "$@"`,
		"a small disk":     `mkdir disk && mount -t tmpfs -o size=220k none disk && cp -r out disk/out && "$0" "$@" -o disk/out; code=$?; rm -rf out && cp -r disk/out out && exit $code`,
	} {
		dir := again(t, from)
		line := append([]string{"-c", script, program}, strings.Fields(d.now+" -o out")...)
		c := exec.Command("sh", line...)
		if strings.Contains(script, "mount") {
			line = append([]string{"-rm", "sh"}, line...)
			c = exec.Command("unshare", line...) // as a user who may mount, of a system of its own
		}
		c.Dir = dir
		said, err := c.CombinedOutput()
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit) && strings.Contains(string(said), "cannot be written"):
			if exit.ExitCode() != 1 {
				t.Errorf("%s: exit code %d, %s", name, exit.ExitCode(), said)
			}
		case strings.Contains(script, "mount"):
			t.Logf("disks cannot be mounted here: %v, %s", err, said)
			continue
		default:
			t.Errorf("%s: %v, %s", name, err, said)
		}
		if strings.Contains(script, "mount") && !strings.Contains(string(said), "bytes free") && !strings.Contains(string(said), "kB free") {
			t.Errorf("%s: it does not say how much room there is: %s", name, said)
		}
		if v := verified(t, dir); !v.Verified || commandOf(v) != d.old {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// obstacles put something of the user's at a path. What they return is where it can be
// found again: below the path, or beside it under another name.
var obstacles = map[string]func(path string) error{
	"a folder": func(path string) error {
		return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "mine"), []byte(precious), 0o644))
	},
	"a file that may not be written": func(path string) error { return os.WriteFile(path, []byte(precious), 0o444) },
	"a link": func(path string) error {
		to := filepath.Join(filepath.Dir(filepath.Dir(path)), "elsewhere")
		return errors.Join(os.WriteFile(to, []byte(precious), 0o644), os.Symlink(to, path))
	},
	"a pipe": mkfifo,
}

const precious = "of the user, and wanted"

// survived says whether what an obstacle put at a path is still there.
func survived(path, what string) bool {
	for _, name := range []string{filepath.Join(path, "mine"), path, path + ".~1~"} {
		if info, err := os.Lstat(name); err == nil && what == "a pipe" && info.Mode().Type() == fs.ModeNamedPipe {
			return true
		}
		if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if b, err := os.ReadFile(name); err == nil && string(b) == precious {
			return true
		}
	}
	return false
}

// TestTakenPlaces puts folders, pipes, links and files that may not be written in the
// places of outputs: they survive, and a command either goes round them or changes nothing.
func TestTakenPlaces(t *testing.T) {
	thorough.Test(t)
	kinds := slices.Sorted(maps.Keys(obstacles))
	for k, name := range slices.Sorted(maps.Keys(deliveries)) {
		if !inTurn(k, 2) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			d := deliveries[name]
			from := d.place(t)
			for i, file := range outputs(t, from) {
				for j, what := range kinds {
					if *long == 0 && i%2 != j%2 { // every obstacle once
						continue
					}
					put, dir := obstacles[what], again(t, from)
					path := filepath.Join(dir, "out", file)
					if err := errors.Join(os.Remove(path), put(path)); err != nil {
						t.Fatal(err)
					}
					before := snapshot(t, filepath.Join(dir, "out"))
					code, _, stderr := finish(t, dir, d.now+" -o out")
					when := fmt.Sprintf("%s in the place of %s: exit code %d, %s", what, file, code, stderr)
					if code != 0 && code != 2 {
						t.Error(when)
					}
					if !survived(path, what) {
						t.Errorf("%s: it is gone", when)
					}
					if after := snapshot(t, filepath.Join(dir, "out")); code == 2 && !d.grows && !maps.Equal(before, after) {
						t.Errorf("%s: the folder has changed", when)
					}
				}
			}
		})
	}
}

// outputs lists some of the files that a command has written.
func outputs(t *testing.T, dir string) []string {
	t.Helper()
	all := slices.Sorted(maps.Keys(snapshot(t, filepath.Join(dir, "out"))))
	all = slices.DeleteFunc(all, func(name string) bool { return strings.HasPrefix(name, manifest.CallsDir) })
	if *long > 0 {
		return all
	}
	return []string{all[0], all[len(all)/2]}
}

// snapshot returns the contents of the regular files below a folder.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		found[strings.TrimPrefix(path, root+"/")] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
