package main

import (
	"strings"
	"testing"
)

// Shells complete maps, methods and presets.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"plan hi": "highways", "plan --method pcd-s": "pcd-shd", "plan --preset m": "mmd", "plan --prefer l": "length",
		"push --method pcd-lb-p": "pcd-lb-ps", "push --preset uns": "unscaled", "pair --method sd-c-": "sd-c-prompt", "toy --method con": "conditional",
		"eval nav2d --maps empty,conv": "empty,conveyor", "eval nav2d --methods pcd-lb,pcd-s": "pcd-lb,pcd-shd", "eval pusht --methods cd-d": "cd-dpp",
		"eval teams --preset pa": "paper", "eval images --methods pcd-": "pcd-ps", "train nav2d con": "conveyor", "ver": "verify", "comp": "completion",
	} {
		code, stdout, stderr := invoke(t, append([]string{"__complete"}, strings.Fields(line)...)...)
		first, _, _ := strings.Cut(stdout, "\n")
		if word, _, _ := strings.Cut(first, "\t"); code != 0 || word != want {
			t.Errorf("pcd %s⇥: %q, %s; want %q", line, stdout, stderr, want)
		}
	}
	if _, stdout, _ := invoke(t, "--help"); !strings.Contains(stdout, "  completion ") {
		t.Error("the help does not list completion")
	}
}

func TestVersion(t *testing.T) {
	code, stdout, _ := invoke(t, "version", "--json")
	for _, want := range []string{`"version": "`, `"go": "go1`, `"kernel": "`, `"modified": `} {
		if code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("pcd version --json: exit code %d, %s; want %s", code, stdout, want)
		}
	}
	if code, stdout, _ := invoke(t, "version"); code != 0 || !strings.Contains(stdout, "kernels") {
		t.Errorf("pcd version: exit code %d, %s", code, stdout)
	}
}
