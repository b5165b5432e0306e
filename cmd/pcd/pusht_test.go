package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/internal/manifest"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/thorough"
)

// demonstrationFile writes some episodes of PushT.
func demonstrationFile(t *testing.T) string {
	t.Helper()
	var actions, keypoints, states []float32
	b := &dataset.ReplayBuffer{}
	for e, start := range pusht.InitialConditions(3, 5) {
		w := pusht.NewWorld()
		if err := w.Place(start); err != nil {
			t.Fatal(err)
		}
		for k := range 20 {
			s := w.State()
			o := s.Observe(nil)
			for _, v := range o[:2*pusht.Keypoints] {
				keypoints = append(keypoints, float32(v))
			}
			for _, v := range s.Array() {
				states = append(states, float32(v))
			}
			target := geom.Vec2{X: 256 + 90*math.Cos(float64(e)+0.2*float64(k)), Y: 256 + 90*math.Sin(0.2*float64(k))}
			actions = append(actions, float32(target.X), float32(target.Y))
			if err := w.Step(target); err != nil {
				t.Fatal(err)
			}
		}
		b.EpisodeEnds = append(b.EpisodeEnds, int64(len(states)/5))
	}
	n := len(states) / 5
	b.Arrays = []dataset.Array{
		{Name: "action", Shape: []int{n, 2}, Data: actions}, {Name: "keypoint", Shape: []int{n, 9, 2}, Data: keypoints}, {Name: "state", Shape: []int{n, 5}, Data: states},
	}
	path := filepath.Join(t.TempDir(), "demonstrations.npz")
	if err := b.WriteNPZ(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// A policy is trained, used, evaluated and timed through the command line.
func TestPushTFromDemonstrationsToTables(t *testing.T) {
	thorough.Test(t)
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	data := demonstrationFile(t)
	succeed := func(args ...string) string {
		t.Helper()
		code, out, stderr := invoke(t, args...)
		if code != exitOK {
			t.Fatalf("pcd %s: exit code %d: %s", strings.Join(args, " "), code, stderr)
		}
		return out
	}
	if out := succeed("data", "info", "pusht", data); !strings.Contains(out, "3 with 60 steps") {
		t.Errorf("data info: %s", out)
	}
	succeed("train", "pusht", "--data", data, "--steps", "2", "--batch", "2", "--diffusion-steps", "3", "--validation", "0.34", "-o", in("model"))
	model := in("model/model.safetensors")

	var s map[string]json.RawMessage
	out := succeed("push", "--model", model, "--method", "pcd-dpp-ps", "--pairs", "1", "--init", "3", "--gif", "--json", "-o", in("push"))
	if err := json.Unmarshal([]byte(out), &s); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"method", "vmax", "gamma", "init", "pairs", "metrics", "certificate", "seconds"} {
		if s[key] == nil {
			t.Errorf("push --json has no %q", key)
		}
	}
	var m planner.PushMetrics
	if err := json.Unmarshal(s["metrics"], &m); err != nil || m.CS != [2]float64{1, 1} || m.DTW <= 0 || m.DFD <= 0 || !(m.TC[0] >= 0 && m.TC[1] <= 1) {
		t.Errorf("metrics %s, %v", s["metrics"], err)
	}
	for _, name := range []string{"push.json", "runs.npz", "push.png", "push.html", "push.gif", manifest.FileName} {
		if info, err := os.Stat(filepath.Join(in("push"), name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if page, err := os.ReadFile(in("push/push.html")); err != nil || bytes.Contains(page, []byte("http://")) || bytes.Contains(page, []byte("https://")) {
		t.Errorf("the page is not self-contained: %v", err)
	}

	eval := []string{"eval", "pusht", "--model", model, "--methods", "dp,pcd-lb", "--vmax", "8.4", "--conditions", "1", "--pairs", "1", "-o", in("results")}
	succeed(eval...)
	succeed(append(eval, "--sampling-steps", "1,2")...)
	if out := succeed(eval...); !strings.Contains(strings.Join(strings.Fields(out), " "), "0 of them by this run") {
		t.Errorf("a finished evaluation: %s", out)
	}
	for _, format := range []string{"text", "markdown", "json"} {
		if out := succeed("table", "pusht", in("results"), "--format", format); !strings.Contains(out, "pcd-lb") {
			t.Errorf("table: %s", out)
		}
	}
	for _, verb := range []string{"gamma", "steps", "coverage"} {
		succeed("plot", "pusht", verb, in("results"), "-o", in(verb+".svg"))
	}
	if out := succeed("bench", "push", "--model", model, "--methods", "dp", "--pairs", "1", "--plans", "1", "--repeats", "1"); !strings.Contains(out, "pair-plans/s") {
		t.Errorf("bench: %s", out)
	}
}

func TestPushTBadInput(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "m.safetensors")
	if err := os.WriteFile(garbage, []byte("garbage"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := strings.Repeat("0", 64)
	for name, c := range map[string]struct {
		args    []string
		code    int
		message string
	}{
		"unknown method":    {[]string{"push", "--method", "pcd-shd"}, exitUsage, "pcd-lb-ps"},
		"unknown preset":    {[]string{"push", "--preset", "mmd"}, exitUsage, "default, pusht"},
		"no pairs":          {[]string{"push", "--pairs", "0"}, exitUsage, "--pairs is 0"},
		"negative limit":    {[]string{"push", "--vmax", "-1"}, exitUsage, "--vmax is -1"},
		"useless gamma":     {[]string{"push", "--method", "dp", "--gamma", "1"}, exitUsage, "does not couple"},
		"condition 50":      {[]string{"push", "--init", "50"}, exitUsage, "0 to 49"},
		"four numbers":      {[]string{"push", "--init", "1,2,3,4"}, exitUsage, "five"},
		"a word":            {[]string{"push", "--init", "1,2,3,4,five"}, exitUsage, `"five" is not a number`},
		"missing model":     {[]string{"push", "--model", "nothing.safetensors"}, exitMissing, "nothing.safetensors"},
		"broken model":      {[]string{"push", "--model", garbage}, exitUsage, "m.safetensors"},
		"bad shard":         {[]string{"eval", "pusht", "--shard", "2/2"}, exitUsage, "--shard"},
		"no conditions":     {[]string{"eval", "pusht", "--conditions", "0"}, exitUsage, "conditions"},
		"no results":        {[]string{"table", "pusht", t.TempDir()}, exitMissing, "no cells"},
		"missing data":      {[]string{"train", "pusht", "--data", "nowhere.zarr"}, exitMissing, "nowhere.zarr"},
		"no data":           {[]string{"train", "pusht"}, exitUsage, "data"},
		"info missing":      {[]string{"data", "info", "pusht", "nowhere.zarr"}, exitMissing, "nowhere.zarr"},
		"fetch what":        {[]string{"data", "fetch", "imagenet"}, exitUsage, "want pusht"},
		"fetch from where":  {[]string{"data", "fetch", "pusht"}, exitUsage, "diffusion-policy.cs.columbia.edu"},
		"fetch without sum": {[]string{"data", "fetch", "pusht", garbage}, exitUsage, "--sha256"},
		"fetch wrong sum":   {[]string{"data", "fetch", "pusht", garbage, "--sha256", sum}, exitUsage, "checksum"},
		"fetch missing":     {[]string{"data", "fetch", "pusht", "nowhere.zip", "--sha256", sum}, exitMissing, "nowhere.zip"},
	} {
		code, stdout, stderr := invoke(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.message) {
			t.Errorf("%s: exit code %d, %q, want %d, %q", name, code, stderr, c.code, c.message)
		}
		if stdout != "" {
			t.Errorf("%s: prints %q", name, stdout)
		}
	}
}

// A state outside the arena is refused by name.
func TestPushRefusesStatesOutsideTheArena(t *testing.T) {
	code, _, stderr := invoke(t, "push", "--init", "100,100,900,200,0")
	if code != exitUsage || !strings.Contains(stderr, "block x is 900") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// archiveOf packs the replay buffer of the tests of package dataset, which has
// other shapes than PushT's, and returns it with its checksum.
func archiveOf(t *testing.T) (archive []byte, sum string) {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := z.AddFS(os.DirFS("../../dataset/testdata")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	h := sha256.Sum256(b.Bytes())
	return b.Bytes(), hex.EncodeToString(h[:])
}

// An archive is taken from an address, checked, and written without the arrays that
// nobody needs.
func TestFetch(t *testing.T) {
	archive, sum := archiveOf(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/pusht.zip" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(archive)
	}))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "out.npz")
	if code, _, stderr := invoke(t, "data", "fetch", "pusht", server.URL+"/pusht.zip", "--sha256", sum, "-o", out); code != exitOK {
		t.Fatal(stderr)
	}
	b, err := dataset.OpenReplay(out, dataset.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Arrays) != 3 {
		t.Errorf("%d arrays, want action, keypoint and state", len(b.Arrays))
	}
	if code, _, stderr := invoke(t, "data", "fetch", "pusht", server.URL+"/other.zip", "--sha256", sum, "-o", out); code != exitRuntime || !strings.Contains(stderr, "404") {
		t.Errorf("a missing archive: exit code %d, %q", code, stderr)
	}
}
