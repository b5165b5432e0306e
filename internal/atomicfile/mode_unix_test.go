//go:build unix && !solaris && !aix

package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// Files and folders have the rights that the umask leaves, as those of other programs.
func TestUmask(t *testing.T) {
	for _, mask := range []int{0, 0o002, 0o022, 0o027, 0o077} {
		dir := t.TempDir()
		old := syscall.Umask(mask)
		file, folder := filepath.Join(dir, "file"), filepath.Join(dir, "folder", "deep")
		errFile, errFolder := WriteBytes(file, nil), MkdirAll(folder)
		temp, errTemp := MkdirTemp(dir)
		must(t, errTemp)
		f, errNamed := temp.create("named")
		syscall.Umask(old)
		must(t, errFile)
		must(t, errFolder)
		must(t, errNamed)
		f.Close()
		for path, all := range map[string]os.FileMode{file: 0o666, f.Name(): 0o666, folder: 0o777, filepath.Dir(folder): 0o777} {
			info, err := os.Stat(path)
			must(t, err)
			if want := all &^ os.FileMode(mask); info.Mode().Perm() != want {
				t.Errorf("umask %03o: %s has the rights %v, want %v", mask, path, info.Mode().Perm(), want)
			}
		}
	}
}

// Folders of another user stay, with the name and the marker of ours.
func TestSweepLeavesOtherUsers(t *testing.T) {
	dir := t.TempDir()
	path := abandonedFolder(t, dir)
	if err := os.Chown(path, os.Geteuid()+1, -1); err != nil {
		t.Logf("cannot give folders away here: %v", err) // the rule is then checked by mine
		info, err := os.Stat("/")
		must(t, err)
		if mine(info) {
			t.Error("the root of all folders counts as ours")
		}
		return
	}
	sweepBy(t, dir)
	if _, err := os.Stat(filepath.Join(path, "content")); err != nil {
		t.Errorf("the folder of another user is gone: %v", err)
	}
	must(t, os.Chown(path, os.Geteuid(), -1))
	sweepBy(t, dir)
	if names := list(t, dir); len(names) > 0 {
		t.Errorf("%q are left", names)
	}
}
