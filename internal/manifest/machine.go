package manifest

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/go-pcd/pcd/internal/kernel"
)

// Machine identifies where numbers were made.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // usable by this process
	Go    string `json:"go"`
	// Kernel is the set of kernels in force: samples differ between them in the last
	// bits.
	Kernel string `json:"kernel,omitempty"`
}

// ThisMachine describes the running machine.
func ThisMachine() Machine {
	kind, _ := kernel.Selected()
	return Machine{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(), Cores: runtime.GOMAXPROCS(0), Go: runtime.Version(), Kernel: kind.String(),
	}
}

// String formats the machine on one line.
func (m Machine) String() string {
	return strings.Join([]string{m.CPU, cores(m.Cores), m.OS + "/" + m.Arch, m.Go}, ", ")
}

func cores(n int) string {
	if n == 1 {
		return "1 core"
	}
	return fmt.Sprintf("%d cores", n)
}

// cpuName returns the processor's name where the system tells it.
func cpuName() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// Version identifies the program: the version of a release, the revision it was
// built from, or, where the build knows neither, a digest of its build ID, or of the
// program itself.
var Version = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := versionOf(info); v != "" {
		return v
	}
	if program, err := os.Executable(); err == nil {
		return unreleased(program)
	}
	return "devel"
})

// unreleased identifies a program of which the build knows no version.
func unreleased(program string) string {
	if id := buildID(program); id != "" {
		return "devel-" + DigestBytes([]byte(id))[:16]
	}
	if digest, err := DigestFile(program); err == nil {
		return "devel-" + digest[:16]
	}
	return "devel"
}

// versionOf returns what the build says of the version, "" for nothing. A revision
// with changes that were not committed ends in "+dirty".
func versionOf(info *debug.BuildInfo) string {
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	revision := settings["vcs.revision"]
	if revision != "" && settings["vcs.modified"] == "true" {
		revision += "+dirty"
	}
	return revision
}
