package atomicfile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// crowded names the folder in which a process of [TestProcessesShareAFolder] works.
const crowded = "PCD_TEST_CROWDED"

func TestMain(m *testing.M) {
	if dir := os.Getenv(crowded); dir != "" {
		if err := crowd(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// crowd makes, uses and removes folders; every third is left as by a killed program.
func crowd(dir string) error {
	for i := range 60 {
		f, err := MkdirTemp(dir)
		if err != nil {
			return err
		}
		path := filepath.Join(f.Path, "content")
		if err := WriteBytes(path, []byte("content")); err != nil {
			return err
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "content" {
			return fmt.Errorf("round %d: a folder that is held lost its content: %q, %v", i, text, err)
		}
		if i%3 == 0 {
			f.Leave()
			delete(open.folders, f)
		} else {
			f.Remove()
		}
	}
	return nil
}

// Processes that make and sweep folders in one place leave each other alone.
func TestProcessesShareAFolder(t *testing.T) {
	dir := t.TempDir()
	var all []*exec.Cmd
	for range 4 {
		c := exec.Command(os.Args[0])
		c.Env, c.Stderr = append(os.Environ(), crowded+"="+dir), os.Stderr
		must(t, c.Start())
		all = append(all, c)
	}
	for _, c := range all {
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
	}
}
