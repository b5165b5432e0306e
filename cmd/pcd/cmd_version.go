package main

import (
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/terminal"
)

// versionSummary says what program this is.
type versionSummary struct {
	Version  string `json:"version"`          // of the release, or what the build knows instead
	Commit   string `json:"commit,omitempty"` // that it was built from
	Modified bool   `json:"modified"`         // whether files had changed since
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
	Kernel   string `json:"kernel"` // set of vector kernels in force
}

func newVersionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Say which version this is, of what commit, with which kernels",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s := thisVersion()
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printVersion(cmd.OutOrStdout(), s)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func thisVersion() versionSummary {
	m := manifest.ThisMachine()
	s := versionSummary{Version: manifest.Version(), Go: m.Go, OS: m.OS, Arch: m.Arch, Kernel: m.Kernel}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				s.Commit = setting.Value
			case "vcs.modified":
				s.Modified = setting.Value == "true"
			}
		}
	}
	return s
}

func printVersion(w io.Writer, s versionSummary) error {
	var t terminal.Fields
	t.Add("pcd", "%s", s.Version)
	if s.Commit != "" {
		changed := ""
		if s.Modified {
			changed = ", with changes"
		}
		t.Add("commit", "%s%s", s.Commit, changed)
	}
	t.Add("go", "%s, %s/%s", s.Go, s.OS, s.Arch)
	t.Add("kernels", "%s", s.Kernel)
	return printFields(w, &t)
}
