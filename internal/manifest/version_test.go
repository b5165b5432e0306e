package manifest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestVersionOf reads what builds say of themselves.
func TestVersionOf(t *testing.T) {
	with := func(version string, settings ...debug.BuildSetting) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}, Settings: settings}
	}
	revision, clean, dirty := debug.BuildSetting{Key: "vcs.revision", Value: "abc"}, debug.BuildSetting{Key: "vcs.modified", Value: "false"}, debug.BuildSetting{Key: "vcs.modified", Value: "true"}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{with("v1.2.3", revision), "v1.2.3"}, {with("(devel)", revision, clean), "abc"}, {with("(devel)", revision, dirty), "abc+dirty"}, {with("(devel)"), ""}, {with("", clean), ""},
	} {
		if got := versionOf(c.info); got != c.want {
			t.Errorf("version %q of %+v, want %q", got, c.info, c.want)
		}
	}
}

// TestUnreleased identifies programs of which the build says nothing: by the ID that "go tool
// buildid" prints, and by their bytes where they have none.
func TestUnreleased(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	printed, err := exec.Command("go", "tool", "buildid", self).Output()
	if err != nil {
		t.Fatal(err)
	}
	if id := buildID(self); id == "" || id != strings.TrimSpace(string(printed)) {
		t.Errorf("build ID %q, the linker says %q", id, printed)
	}
	dir := t.TempDir()
	seen := map[string]string{}
	for name, c := range map[string]struct{ text, id string }{
		"of another system": {strings.Repeat("header", 99) + "\xff Go build ID: \"action/content\"\n \xff code", "action/content"},
		"another":           {"\xff Go build ID: \"action/other\"\n \xff code", "action/other"},
		"nothing in it":     {"\xff Go build ID: \"\"\n \xff code", ""},
		"cut off":           {"\xff Go build ID: \"action/", ""},
		"of another linker": {"code", ""},
		"too deep":          {strings.Repeat("header", beginning) + "\xff Go build ID: \"action/content\"\n \xff code", ""},
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := buildID(file); got != c.id {
			t.Errorf("%s: build ID %q, want %q", name, got, c.id)
		}
		want := DigestBytes([]byte(c.text))
		if c.id != "" {
			want = DigestBytes([]byte(c.id))
		}
		version := unreleased(file)
		if version != "devel-"+want[:16] {
			t.Errorf("%s: version %q, want that of %s", name, version, want)
		}
		if other := seen[version]; other != "" {
			t.Errorf("%s and %s have one version", name, other)
		}
		seen[version] = name
	}
	if got := unreleased(filepath.Join(dir, "missing")); got != "devel" {
		t.Errorf("a missing program has the version %q", got)
	}
}
