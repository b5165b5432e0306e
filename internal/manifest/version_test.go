package manifest

import (
	"runtime/debug"
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
