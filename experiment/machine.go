package experiment

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Machine identifies where numbers were made.
type Machine struct {
	OS    string `json:"os"`
	Arch  string `json:"arch"`
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"` // usable by this process
	Go    string `json:"go"`
}

// ThisMachine describes the running machine.
func ThisMachine() Machine {
	return Machine{OS: runtime.GOOS, Arch: runtime.GOARCH, CPU: cpuName(), Cores: runtime.GOMAXPROCS(0), Go: runtime.Version()}
}

// String formats the machine on one line.
func (m Machine) String() string {
	return strings.Join([]string{m.CPU, plural(m.Cores, "core"), m.OS + "/" + m.Arch, m.Go}, ", ")
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

// Version returns the version of the program: the module version of a release,
// or the revision it was built from.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "devel"
}
