package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/internal/thorough"
)

func TestCheckFindsMistakesOfOnePlatform(t *testing.T) {
	thorough.Test(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.org/m\n\ngo 1.26\n",
		"m.go":         "package m\n\nimport \"errors\"\n\nvar Err = errors.New(size())\n",
		"m_windows.go": "package m\n\nfunc size() string { return 5 }\n",
		"m_darwin.go":  "package m\n\nfunc size() string\n",
		"m_linux.go":   "package m\n\nfunc size() string { return \"\" }\n",
		"m_test.go":    "package m_test\n\nimport \"example.org/m\"\n\nvar _ = m.Err\n",
		"arm_test.go":  "//go:build arm64\n\npackage m\n\nvar unknown = nothing\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for platform, want := range map[string]string{"linux-amd64": "", "windows-amd64": "m_windows.go:3", "darwin-amd64": "no body", "linux-arm64": "arm_test.go:5"} {
		err := check(t.Context(), dir, platform)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want an error with %q", platform, err, want)
		}
	}
}
