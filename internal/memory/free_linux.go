package memory

import (
	"fmt"
	"os"
	"strings"
)

// The limit of a container on memory, as it sees it itself, by version 2 or 1 of control
// groups.
var containerLimits = []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}

// free returns how many bytes processes can still have without swapping: what the kernel
// estimates, and no more than a container may have at all.
func free() (bytes float64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	bytes, known = available(string(text))
	for _, path := range containerLimits {
		if text, err := os.ReadFile(path); err == nil {
			bytes = least(bytes, string(text))
		}
	}
	return bytes, known
}

// total returns how many bytes the machine has, or the container may have.
func total() (bytes float64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	bytes, known = line(string(text), "MemTotal:")
	for _, path := range containerLimits {
		if text, err := os.ReadFile(path); err == nil {
			bytes = least(bytes, string(text))
		}
	}
	return bytes, known
}

// available reads what is free of /proc/meminfo.
func available(meminfo string) (bytes float64, known bool) { return line(meminfo, "MemAvailable:") }

// line reads a line of /proc/meminfo.
func line(meminfo, name string) (bytes float64, known bool) {
	_, rest, found := strings.Cut(meminfo, name)
	var kilobytes float64
	if _, err := fmt.Sscan(rest, &kilobytes); !found || err != nil {
		return 0, false
	}
	return kilobytes * 1024, true
}

// least returns the smaller of a number of bytes and a limit, which may be no number.
func least(bytes float64, limit string) float64 {
	var most float64
	if _, err := fmt.Sscan(limit, &most); err != nil {
		return bytes
	}
	return min(bytes, most)
}
