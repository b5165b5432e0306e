package main

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// landed are the results that the documentation is made of, with the SHA-256 of their
// tables as JSON, which shows every digit. The tables come from the cells alone: they
// stay what they are, whatever becomes of the code that prints them.
var landed = []struct{ experiment, name, tables string }{
	{"nav2d", "nav2d-gamma", "6e484749148c0d6daebf9e2ab923b64443086d7712f93db76991ffc2506384fa"},
	{"nav2d", "nav2d", "a6653a3ab54702d3362e00e89d682a1b035ee7c7264a25474b98def51a8d0d9b"},
	{"teams", "safe-teams", "5a3ced69920a0538ac18e415d260ecaf33858981b43ec9c4fb12adff8b99afe2"},
	{"teams", "safe-teams-methods", "464016400f18ad1f99bdf20ed3afe2d7ab286eb832b4004d379c8c53f3788c80"},
	{"images", "images", "4603775e5df51f1b97afa337f7f1a24df1742cdfeb91dbb978550ee614690d92"},
	{"images", "images-gamma", "401df03e59a4a4d6db218a4302de2e7c197191c0db0b29360d3baced234c9e76"},
	{"images", "images-noise", "01ef2383b697e20d3670b78e0bd066338e7de3dea85a088c56d579841f26e576"},
	{"images", "images-sync", "7b78d88b3bd717ed8ea21e3b468d8da218c5f0228fe8af3cbbe8fde5c063a399"},
	{"pusht", "pusht-default", "0d1cf941d3bcecce91d2b726f29dd54404604cd704c5167ac711668224fcdae1"},
	{"pusht", "pusht-gamma", "f0af82482b98cbef8ef70866b338e8e45c540f1e2ea1b559775aa8cfd47e8a95"},
	{"pusht", "pusht-policy", "3b39cfd448d5cbd34aa2fb6882b93d17e6f6dce10241fae14c881e5bd4336775"},
	{"pusht", "pusht-steps-scaled", "4826197b2c04136f289565d9e0dada02e496c67e2e72e7bdb908104911649791"},
	{"pusht", "pusht-steps", "1754a0e5480537640a4037cd03a976b9044741f78e90ea74c7aa3731118dcf73"},
	{"pusht", "pusht-unscaled", "2924ae97f1b158761fd90cbae09aaa2486def5c1ee99f11aa77a7c171b822e47"},
	{"pusht", "pusht", "582948ece2ea17a48aab5aff61a4bb388ed41dd12f10d3a315a6f708b7b6f949"},
}

// TestLandedTables prints the tables of the landed results.
func TestLandedTables(t *testing.T) {
	for _, l := range landed {
		out := must(t, "table", l.experiment, landedPath(t, l.name), "--format", "json")
		sum := sha256.Sum256([]byte(out))
		if got := hex.EncodeToString(sum[:]); got != l.tables {
			t.Errorf("the tables of %s have the digest %s, want %s", l.name, got, l.tables)
		}
	}
	archives, err := filepath.Glob("../../docs/results/*.jsonl.gz")
	if err != nil || len(archives) != len(landed) {
		t.Errorf("%d archives, %v, want the %d of this test", len(archives), err, len(landed))
	}
}

// landedPath returns where the landed results of a name lie.
func landedPath(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("../../docs/results", name)
	if _, err := os.Stat(path + ".jsonl.gz"); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestLandedTablesInText prints some of them in Markdown, whose digits are those that
// the pages quote. A digest changes with the wording of a header, too: read the tables
// before it is replaced.
func TestLandedTablesInText(t *testing.T) {
	for _, l := range []struct{ experiment, name, text string }{
		{"nav2d", "nav2d", "bf271f6995aee2adb52d4561069790c09344823251464f5c6d9e1f60f9ead4e0"},
		{"teams", "safe-teams", "0670642002b9d2fdccadf25c72e20d2307f546e9c6a1814630af63fb9c0d2d80"},
		{"teams", "safe-teams-methods", "716fe993dbdc27d49644ec0c97a3f3dd521f0be9998b9ef21e09572b5e2ffcdd"},
		{"images", "images", "129c6327fca3c068a2ddcdd1e00cd266b943d7306b659d6eb4f38e3fb5f78da2"},
		{"pusht", "pusht", "a6fd539145e0af2f547f94373900eb73056c4a49df878b2cb599b23b4a0b5e06"},
	} {
		sum := sha256.Sum256([]byte(must(t, "table", l.experiment, landedPath(t, l.name), "--format", "markdown")))
		if got := hex.EncodeToString(sum[:]); got != l.text {
			t.Errorf("the tables of %s in Markdown have the digest %s, want %s", l.name, got, l.text)
		}
	}
}

// TestLandedCellsResume goes on from a copy of the landed navigation cells: all of
// them are finished, with the models and settings of the program.
func TestLandedCellsResume(t *testing.T) {
	dir := t.TempDir()
	archive, err := os.ReadFile(landedPath(t, "nav2d") + ".jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "nav2d.jsonl.gz"), archive, 0o644); err != nil {
		t.Fatal(err)
	}
	out := strings.Join(strings.Fields(must(t, "eval", "nav2d", "-o", filepath.Join(dir, "nav2d"))), " ") // wherever its lines break
	if !strings.HasPrefix(out, "104 of 104 cells are finished") || !strings.Contains(out, " 0 of them by this run") {
		t.Errorf("eval prints %q", out)
	}
	code, _, stderr := invoke(t, "eval", "nav2d", "--model", "nothing.safetensors", "-o", filepath.Join(dir, "nav2d"))
	if code != exitMissing || !strings.Contains(stderr, "nothing.safetensors") {
		t.Errorf("with a model that does not exist: exit code %d, %q", code, stderr)
	}
	code, _, stderr = invoke(t, "eval", "nav2d", "--samples", "64", "-o", filepath.Join(dir, "nav2d"))
	if code != exitUsage || !strings.Contains(stderr, "samples: 128 instead of 64") {
		t.Errorf("with other settings: exit code %d, %q", code, stderr)
	}
}
