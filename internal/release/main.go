package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-pcd/pcd/internal/regular"
)

// platform is what a program is built for.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "-" + p.arch }

// platforms are those that programs are published for.
var platforms = []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	to := flag.String("o", "dist", "folder to write to")
	only := flag.String("platforms", "", "platforms, such as linux-amd64,darwin-arm64; all if left out")
	types := flag.Bool("check", false, "check types for the platforms instead, and write nothing")
	flag.Parse()
	var err error
	if *types {
		err = check(ctx, ".", *only)
	} else {
		err = release(ctx, *to, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release writes the archives of the chosen platforms and SHA256SUMS.
func release(ctx context.Context, to, only string) error {
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	when, err := committed(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, p := range chosen {
		name, data, err := publish(ctx, p, when)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
		fmt.Printf("%s, %d bytes\n", name, len(data))
	}
	return os.WriteFile(filepath.Join(to, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// choose returns the platforms of a list.
func choose(list string) ([]platform, error) {
	if list == "" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if i < 0 {
			return nil, fmt.Errorf("no platform %q, want some of %v", name, platforms)
		}
		chosen = append(chosen, platforms[i])
	}
	return chosen, nil
}

// committed returns the time of the commit. It refuses a tree with changes: what is
// published is what others can build.
func committed(ctx context.Context) (time.Time, error) {
	changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git status: %w", err)
	}
	if len(changed) > 0 {
		return time.Time{}, fmt.Errorf("the tree has changes that are not committed:\n%s", changed)
	}
	out, err := exec.CommandContext(ctx, "git", "show", "-s", "--format=%ct").Output()
	if err != nil {
		return time.Time{}, fmt.Errorf("git show: %w", err)
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// publish returns the archive of a platform and its name.
func publish(ctx context.Context, p platform, when time.Time) (name string, data []byte, err error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	program := "pcd"
	if p.os == "windows" {
		program += ".exe"
	}
	path := filepath.Join(dir, program)
	if err := build(ctx, p, path); err != nil {
		return "", nil, err
	}
	m, err := readMaterials(path)
	if err != nil {
		return "", nil, err
	}
	files, err := contents(ctx, path, program, m)
	if err != nil {
		return "", nil, err
	}
	stem := fmt.Sprintf("pcd-%s-%s", m.version, p)
	if p.os == "windows" {
		data, err = zipped(stem, files, when)
		return stem + ".zip", data, err
	}
	data, err = tarred(stem, files, when)
	return stem + ".tar.gz", data, err
}

// build makes the program.
func build(ctx context.Context, p platform, path string) error {
	c := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w -buildid=", "-o", path, "./cmd/pcd")
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS=-buildvcs=true")
	c.Stderr = os.Stderr
	return c.Run()
}

// contents are the files of an archive.
func contents(ctx context.Context, path, program string, m materials) ([]file, error) {
	data, err := regular.ReadFile(path, 1<<30)
	if err != nil {
		return nil, err
	}
	notices, err := m.notices(ctx)
	if err != nil {
		return nil, err
	}
	bill, err := m.bill()
	if err != nil {
		return nil, err
	}
	files := []file{{program, data, true}, {"NOTICES.txt", notices, false}, {"bom.cdx.json", bill, false}}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := regular.ReadFile(name, 1<<24)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name, text, false})
	}
	return files, nil
}
