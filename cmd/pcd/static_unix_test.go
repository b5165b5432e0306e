//go:build unix

package main

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

// The root file system of the container is laid out as its build does it: the program
// needs no interpreter and no library, and what it looks for outside of itself is there.
func TestContainer(t *testing.T) {
	thorough.Test(t)
	root, certificates := filepath.Join(t.TempDir(), "rootfs"), filepath.Join(t.TempDir(), "certificates")
	if err := os.WriteFile(certificates, []byte("some"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("../../deploy/rootfs.sh", root)
	c.Env = append(os.Environ(), "CERTIFICATES="+certificates, "FLAGS=-ldflags=-s", "GOOS=linux") // without -trimpath packages are those of the other tests, and without symbols it takes half the time
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	program, err := elf.Open(filepath.Join(root, "pcd"))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	for _, p := range program.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			t.Errorf("the program has a segment %v: it is not static", p.Type)
		}
	}
	if libraries, err := program.ImportedLibraries(); len(libraries) > 0 {
		t.Errorf("the program needs %v, %v", libraries, err)
	}
	if info, err := os.Stat(filepath.Join(root, "tmp")); err != nil || info.Mode() != fs.ModeDir|fs.ModeSticky|0o777 {
		t.Errorf("/tmp is %v, %v, want a folder for everybody", info, err)
	}
	ours, err := os.ReadFile("../../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"etc/ssl/certs/ca-certificates.crt": "some", "LICENSE": string(ours)} {
		if got, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(got) != want {
			t.Errorf("/%s holds %.30q, %v, want %.30q", name, got, err, want)
		}
	}
	if found, err := filepath.Glob(filepath.Join(root, "licenses", "gonum.org", "v1", "*", "LICENSE")); err != nil || len(found) < 2 {
		t.Errorf("licences of modules: %v, %v", found, err)
	}
}

// building matches what makes a program to be kept.
var building = regexp.MustCompile(`go (build|install) [^\n` + "`" + `]*cmd/pcd`)

// Whoever follows our own commands gets a static program, with a C compiler or without.
func TestOwnCommandsBuildStatically(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata" || d.Name() == "adr"):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, ".go"):
			return nil
		}
		if info, err := d.Info(); err != nil || info.Size() > 1<<20 {
			return errors.Join(err)
		}
		text, err := os.ReadFile(path)
		for _, at := range building.FindAllIndex(text, -1) {
			found++
			if !strings.HasSuffix(string(text[:at[0]]), "CGO_ENABLED=0 ") {
				t.Errorf("%s: %q without CGO_ENABLED=0", path, text[at[0]:at[1]])
			}
		}
		return err
	})
	if err != nil || found < 3 {
		t.Errorf("%d commands that build the program, %v", found, err)
	}
}
