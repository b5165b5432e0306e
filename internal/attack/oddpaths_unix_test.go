//go:build unix

package attack

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/thorough"
)

// oddities put in the place of a file what is none. Whoever opens a pipe waits for its
// other end; devices have no end, or no room.
var oddities = map[string]func(path string) error{
	"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"folder": func(path string) error { return os.Mkdir(path, 0o755) },
	"socket": listen,
	"zero":   func(path string) error { return os.Symlink("/dev/zero", path) },
	"full":   func(path string) error { return os.Symlink("/dev/full", path) },
	"null":   func(path string) error { return os.Symlink(os.DevNull, path) },
}

// listen leaves a socket: the listener closes with its process.
func listen(path string) error {
	back, err := os.Getwd()
	if err != nil {
		return err
	}
	defer os.Chdir(back) //nolint:errcheck // it was there
	if err := os.Chdir(filepath.Dir(path)); err != nil {
		return err // whose paths are short enough for a socket
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Base(path)})
	if err != nil {
		return err
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// stands are the words of usage lines with what is given for them.
var stands = map[string]string{
	"MODEL": "images", "MAP": "empty", "[MAP|SCENE.yaml]": "empty", "PART": "denoiser", "empty|highways|conveyor|dropregion|pusht": "empty", "FILE": "trajectories.npz",
	"pusht": "pusht", "[URL|FILE]": "archive.zip", "FILE.png…": "picture.png", "FILE.npz": "latents.npz", "PATH": "model.safetensors",
	"OBSERVATIONS": "recording", "MAP|SCENE.yaml": "empty", "PATHS…": "paths.csv", "PLAN": "scene.yaml", "SCENE.yaml": "scene.yaml", "IN": "model.safetensors", "OUT": "out.safetensors", "DIR": "results", "[DIR]": "results",
}

// standsOf are those of one command.
var standsOf = map[string]string{
	"data import DIR": "published", "image assemble DIR": "parts", "plot nav2d runtime FILE": "rows.json",
}

// besides are flags that another one, or one of a command, wants beside it.
var besides = map[string]string{"train images --from": "-o=parts", "plan --format": "-o=out", "exemplars-a": "--exemplars-b=picture.png", "exemplars-b": "--exemplars-a=picture.png"}

// A gate is a place of a command line where a path may stand: a flag, or an argument.
type gate struct {
	verb          string
	before, after []string
	flag          string // "" for an argument
	ending        string // that its files have
	path          bool   // the help says that it is a file or a folder
}

func (g gate) String() string {
	if g.flag != "" {
		return g.verb + " --" + g.flag
	}
	return g.verb + " " + strings.Join(g.before, " ") + " PATH"
}

// line is the command line with a path in this place.
func (g gate) line(path string) []string {
	if g.flag != "" {
		path = "--" + g.flag + "=" + path
	}
	return slices.Concat(strings.Fields(g.verb), g.before, []string{path}, g.after)
}

var (
	pathWord = regexp.MustCompile(`(?i)\b(files?|folders?|director(y|ies))\b`)
	pathArg  = regexp.MustCompile(`FILE|DIR|PATH|^IN$|^OUT$`)
	ending   = regexp.MustCompile(`\.(npz|npy|png|svg|yaml|safetensors|html|gif)\b`)
)

// flagHelp matches the line of a flag in a help text.
func flagHelp(name string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)^ +(?:-\w, )?--` + name + `(?: [a-z0-9]+)? {2,}(.*)$`)
}

// gates lists the places of a command.
func (c command) gates(t *testing.T, sum string) (all []gate) {
	t.Helper()
	verb := strings.Join(c.verb, " ")
	flags, known := reach[verb]
	if !known {
		flags = base[verb]
	}
	if verb == "data fetch" {
		flags = "--sha256 " + sum
	}
	words := strings.Fields(strings.ReplaceAll(c.usage, "[flags]", ""))[len(c.verb):]
	args := make([]string, len(words))
	for i, w := range words {
		if args[i] = orElse(standsOf[verb+" "+w], stands[w]); args[i] == "" {
			t.Fatalf("pcd %s: say in stands what %s may be", verb, w)
		}
	}
	for i, w := range words {
		all = append(all, gate{verb: verb, before: args[:i], after: append(slices.Clone(args[i+1:]), strings.Fields(flags)...), path: pathArg.MatchString(w), ending: ending.FindString(w)})
	}
	text := help(t, c.verb)
	for _, f := range c.flags {
		if f.kind != "string" && f.kind != "strings" {
			continue
		}
		said := flagHelp(f.name).FindStringSubmatch(text)
		if said == nil {
			t.Fatalf("the help of pcd %s does not say what --%s is", verb, f.name)
		}
		all = append(all, gate{verb: verb, before: slices.Concat(args, strings.Fields(flags), strings.Fields(orElse(besides[verb+" --"+f.name], besides[f.name]))), flag: f.name, ending: ending.FindString(said[1]), path: pathWord.MatchString(said[1])})
	}
	return all
}

// prepared is a workplace that is made once: the attacks take copies.
var prepared, preparedSum string

// oddPlace is a workplace with everything that commands need to come to their gates.
func oddPlace(t *testing.T) (dir, sum string) {
	t.Helper()
	if prepared == "" {
		from, sum := prepareOddPlace(t)
		kept, err := os.MkdirTemp(filepath.Dir(program), "odd-") // longer than the test
		if err == nil {
			err = os.CopyFS(kept, os.DirFS(from))
		}
		if err != nil {
			t.Fatal(err)
		}
		prepared, preparedSum = kept, sum
	}
	return again(t, prepared), preparedSum
}

// prepareOddPlace makes it, and returns the checksum of its archive.
func prepareOddPlace(t *testing.T) (dir, sum string) {
	t.Helper()
	dir = workplace(t)
	placeImages(t, dir)
	placeMoving(t, dir)
	archive := zarrArchive()[0]
	rows := `{"rows": [{"method": "pcd-shd", "robots": 2, "seconds": {"total": 1}}]}`
	err := errors.Join(os.WriteFile(filepath.Join(dir, "archive.zip"), archive, 0o600), os.WriteFile(filepath.Join(dir, "rows.json"), []byte(rows), 0o600),
		os.CopyFS(filepath.Join(dir, "published"), os.DirFS(filepath.Join(published, "data_trajectories"))), placePolicy(dir), os.WriteFile(filepath.Join(dir, "paths.csv"), []byte("t,robot,x,y\n0,a,0,0\n1,a,0.1,0\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"image encode --model images picture.png -o latents.npz", "eval nav2d " + base["eval nav2d"] + " -o results", "train images autoencoder " + reach["train images"] + " -o parts",
	} {
		succeed(t, dir, line)
	}
	return dir, fmt.Sprintf("%x", sha256.Sum256(archive))
}

// placePolicy leaves a policy and an observation of what it acts on.
func placePolicy(dir string) error {
	const seen = `{"observation.state": [200, 300, 0.5], "observation.environment_state": [100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115]}`
	return errors.Join(os.CopyFS(filepath.Join(dir, "policy"), os.DirFS("../../policy/testdata/lerobot/c_env")),
		os.Mkdir(filepath.Join(dir, "recording"), 0o755), os.WriteFile(filepath.Join(dir, "recording", "observations.jsonl"), []byte(seen), 0o600))
}

// succeed runs a command that has to.
func succeed(t *testing.T, dir, line string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, strings.Fields(line)...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("pcd %s: %v: %s", line, err, out)
	}
}

// TestOddPaths gives every flag and argument of the program that takes a text what is no
// file. Nothing of it is opened, the program does not wait for anything, and says what is
// wrong where the help promises that files are read or written. Of commands with a flag of one name a short attack
// takes every fourth.
func TestOddPaths(t *testing.T) {
	thorough.Test(t)
	dir, sum := oddPlace(t)
	kinds := slices.Sorted(maps.Keys(oddities))
	n, refused, met := 0, 0, map[string]int{}
	for _, c := range commands(t) {
		for _, g := range c.gates(t, sum) {
			if met[g.flag]++; g.flag != "" && !entire() && met[g.flag]%4 != 1 {
				continue
			}
			chosen := []string{"pipe"} // who opens it waits
			if r := Generator(*seed, uint64(n)); g.path && !often(r) && r.Float64() < *share {
				chosen = append(chosen, pick(r, kinds))
			}
			if *long > 0 {
				chosen = kinds
			}
			for _, kind := range chosen {
				n++
				if g.try(t, dir, kind) {
					refused++
				}
			}
		}
	}
	t.Logf("%d odd paths, %d refused", n, refused)
}

// try puts what is no file into the place, and reports whether it was refused in words.
func (g gate) try(t *testing.T, dir, kind string) bool {
	t.Helper()
	path := filepath.Join(dir, "odd-"+kind+g.ending)
	if err := oddities[kind](path); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(path)
	was, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	line := g.line(filepath.Base(path))
	refused, allowed := g.path && kind != "folder", while
	if refused {
		allowed = patience // it ends by itself, however busy the machine
	}
	end := watch(t, dir, path, allowed, line...)
	now, err := os.Lstat(path)
	named := strings.Contains(end.stderr, filepath.Base(path))
	switch {
	case end.wrong != "":
		t.Errorf("pcd %s: %s", strings.Join(line, " "), end.wrong)
	case end.opened:
		t.Errorf("pcd %s: it opens the %s", strings.Join(line, " "), kind)
	case err != nil || now.Mode() != was.Mode():
		t.Errorf("pcd %s: the %s is %v, %v afterwards", strings.Join(line, " "), kind, now, err)
	case refused && (end.interrupted || end.code == 0 || !named):
		t.Errorf("pcd %s: exit code %d (interrupted: %v), %.200q: want the %s to be refused by its name", strings.Join(line, " "), end.code, end.interrupted, end.stderr, kind)
	}
	return end.code != 0 && named
}

// ended is how a command ended.
type ended struct {
	wrong, stderr string
	code          int
	interrupted   bool
	opened        bool // what is at the path
}

// watch is execute for a command that must not open what is at a path.
func watch(t *testing.T, dir, path string, allowed time.Duration, args ...string) (e ended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), allowed+patience)
	defer cancel()
	var stdout, stderr strings.Builder
	c := capped(ctx, dir, program, args...)
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(allowed, func() {
		e.opened = holds(c.Process.Pid, path)
		_ = c.Process.Signal(syscall.SIGTERM)
	})
	err := c.Wait()
	e.interrupted = !timer.Stop()
	e.stderr, e.code = stderr.String(), c.ProcessState.ExitCode()
	if s, ok := c.ProcessState.Sys().(syscall.WaitStatus); ok && e.interrupted && s.Signaled() && s.Signal() == syscall.SIGTERM {
		return e // before main could catch it
	}
	if e.wrong = verdict(err, stdout.String(), e.stderr); ctx.Err() != nil {
		e.wrong = "hangs"
	}
	return e
}

// holds says whether a process has opened what is at a path, or is about to: who waits
// for the writer of a pipe is a reader of it.
func holds(pid int, path string) bool {
	if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return false
	}
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid)) // of Linux
	return slices.ContainsFunc(open, func(fd string) bool {
		to, err := os.Readlink(fd)
		return err == nil && to == target && filepath.Base(fd) > "2"
	})
}
