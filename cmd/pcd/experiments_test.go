package main

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/manifest"
)

// TestBadExperiments calls the commands of experiments with what can be known to be
// wrong before anything is computed. Nothing is left behind.
func TestBadExperiments(t *testing.T) {
	file := file(t, "taken", "a file")
	t.Chdir(t.TempDir())
	for name, c := range map[string]struct {
		args    []string
		code    int
		message string
	}{
		"eval: infinite gamma":       {[]string{"eval", "nav2d", "--gammas", "0.1,Inf"}, exitUsage, `"Inf" is not a positive number`},
		"eval: infinite limit":       {[]string{"eval", "pusht", "--vmax", "Inf"}, exitUsage, "--vmax"},
		"eval: no method":            {[]string{"eval", "nav2d", "--methods", "magic"}, exitUsage, "pcd-shd"},
		"eval: no preset":            {[]string{"eval", "pusht", "--preset", "magic"}, exitUsage, "unscaled"},
		"eval: into a file":          {[]string{"eval", "nav2d", "-o", file}, exitUsage, "is a file"},
		"eval: samples":              {[]string{"eval", "nav2d", "--samples", "999999999999"}, exitUsage, "samples"},
		"eval: robots":               {[]string{"eval", "nav2d", "--robots", "2,1000000"}, exitUsage, "robots"},
		"eval: robots with a dot":    {[]string{"eval", "nav2d", "--robots", "2.5"}, exitUsage, "2.5"},
		"eval: pairs":                {[]string{"eval", "pusht", "--pairs", "999999999999"}, exitUsage, "pairs"},
		"eval: conditions":           {[]string{"eval", "pusht", "--conditions", "-1"}, exitUsage, "conditions"},
		"eval: workers":              {[]string{"eval", "nav2d", "--workers", "1000000"}, exitUsage, "--workers"},
		"eval: seeds":                {[]string{"eval", "toy", "--seeds", "0"}, exitUsage, "seeds"},
		"eval: groups":               {[]string{"eval", "toy", "--groups", "pcd-xy"}, exitUsage, "pcd-cg"},
		"eval: missing model":        {[]string{"eval", "pusht", "--model", "nothing.safetensors"}, exitMissing, "nothing.safetensors"},
		"eval: no scheduler":         {[]string{"eval", "nav2d", "--shard", "auto"}, exitUsage, "SLURM_ARRAY_TASK_ID"},
		"table: format":              {[]string{"table", "nav2d", "--format", "latex"}, exitUsage, "markdown"},
		"table: empty folder":        {[]string{"table", "toy", t.TempDir()}, exitMissing, "no cells"},
		"table: a file":              {[]string{"table", "nav2d", file}, exitUsage, "is a file"},
		"table: pack nothing":        {[]string{"table", "nav2d", "--pack", t.TempDir()}, exitMissing, "no cells"},
		"plot: ending":               {[]string{"plot", "nav2d", "gamma", t.TempDir(), "-o", "gamma.jpg"}, exitUsage, ".png or .svg"},
		"plot: animation":            {[]string{"plot", "nav2d", "methods", "--animation", "a.mp4"}, exitUsage, ".gif or .html"},
		"plot: methods":              {[]string{"plot", "nav2d", "methods", "-o", "a.pdf"}, exitUsage, ".png or .svg"},
		"plot: onto a folder":        {[]string{"plot", "nav2d", "gamma", t.TempDir(), "-o", t.TempDir() + "/../"}, exitUsage, "want a name ending in .png or .svg"},
		"data gen: contexts":         {[]string{"data", "gen", "empty", "--contexts", "-1"}, exitUsage, "contexts"},
		"data gen: none":             {[]string{"data", "gen", "empty", "--contexts", "0"}, exitUsage, "--contexts is 0"},
		"data gen: too many":         {[]string{"data", "gen", "empty", "--per-context", "999999999"}, exitUsage, "--per-context is 999999999"},
		"data gen: into a file":      {[]string{"data", "gen", "empty", "--contexts", "1", "-o", file}, exitUsage, "is a file"},
		"data info: only a file":     {[]string{"data", "info", file}, exitUsage, "name what the demonstrations are of"},
		"data info: nothing":         {[]string{"data", "info"}, exitUsage, "highways"},
		"train: into a file":         {[]string{"train", "nav2d", "empty", "-o", file}, exitUsage, "is a file"},
		"train: no map":              {[]string{"train", "nav2d", "moon"}, exitUsage, "highways"},
		"toy: pairs":                 {[]string{"toy", "--pairs", "999999999999"}, exitUsage, "--pairs"},
		"toy: workers":               {[]string{"toy", "--workers", "1000000"}, exitUsage, "--workers"},
		"toy: gamma":                 {[]string{"toy", "--gamma", "1e38"}, exitUsage, "--gamma"},
		"toy: into a file":           {[]string{"toy", "-o", file}, exitUsage, "is a file"},
		"bench projection: no paths": {[]string{"bench", "projection", "--paths", "-1"}, exitUsage, "--paths"},
		"bench plan: samples":        {[]string{"bench", "plan", "--samples", "999999999"}, exitUsage, "samples"},
		"bench push: pairs":          {[]string{"bench", "push", "--pairs", "-1"}, exitUsage, "pairs"},
		"bench toy: pairs":           {[]string{"bench", "toy", "--pairs", "0"}, exitUsage, "--pairs"},
	} {
		code, stdout, stderr := invoke(t, c.args...)
		if code != c.code || !strings.Contains(stderr, c.message) || stdout != "" {
			t.Errorf("%s: exit code %d, %q, %q, want %d, %q", name, code, stderr, stdout, c.code, c.message)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("%v, %v are left", left, err)
	}
}

// trajectories writes demonstrations of the empty map with all positions at (x, 0).
func trajectories(t *testing.T, name string, x float32) string {
	t.Helper()
	data := make([]float32, 4*64*4)
	for i := 0; i < len(data); i += 4 {
		data[i] = x + float32(i%3)/10
		data[i+2], data[i+3] = float32(i%7)-3, float32(i%5)-2 // velocities
		data[i+1] = float32(i%9)/10 - 0.4
	}
	a, err := dataset.NewArray("trajectories", []int{4, 64, 4}, data)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if strings.HasSuffix(name, ".npz") {
		err = dataset.WriteNPZ(path, a)
	} else {
		var f *os.File
		if f, err = os.Create(path); err == nil {
			defer f.Close()
			err = dataset.WriteNPY(f, a)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTrainChecksPositions refuses demonstrations that lie far outside of the map and
// names the first; a single array is read as well as an archive.
func TestTrainChecksPositions(t *testing.T) {
	for _, name := range []string{"far.npz", "far.npy"} {
		code, _, stderr := invoke(t, "train", "nav2d", "empty", "--data", trajectories(t, name, 300), "--steps", "1", "-o", t.TempDir())
		if code != exitUsage || !strings.Contains(stderr, "waypoint 0 of trajectory 0 lies at (300,") || !strings.Contains(stderr, name) {
			t.Errorf("%s: exit code %d, %q", name, code, stderr)
		}
	}
	dir := t.TempDir()
	must(t, "train", "nav2d", "empty", "--data", trajectories(t, "near.npy", 0.5), "--steps", "2", "--batch", "2", "-o", dir)
	must(t, "data", "info", "empty", trajectories(t, "near.npy", 0.5))
	code, _, stderr := invoke(t, "train", "pusht", "--data", trajectories(t, "one.npz", 0.5), "-o", dir)
	if code == exitOK || !strings.Contains(stderr, "episode_ends") {
		t.Errorf("trajectories for pusht: exit code %d, %q", code, stderr)
	}
}

// TestTrainNamesConstantData: a channel without a range cannot be normalised, and the
// message says of which file.
func TestTrainNamesConstantData(t *testing.T) {
	a, err := dataset.NewArray("trajectories", []int{2, 64, 4}, make([]float32, 2*64*4))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "still.npz")
	if err := dataset.WriteNPZ(path, a); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := invoke(t, "train", "nav2d", "empty", "--data", path, "--steps", "1", "-o", t.TempDir())
	if code != exitUsage || !strings.Contains(stderr, "still.npz") || !strings.Contains(stderr, "channel 0") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestTrainGoesOnLonger asks a finished training for more steps: its warm-up, which
// would be longer now, is over. The manifest covers the training and its data.
func TestTrainGoesOnLonger(t *testing.T) {
	dir, data := t.TempDir(), trajectories(t, "d.npz", 0.5)
	train := func(steps string) {
		t.Helper()
		must(t, "train", "nav2d", "empty", "--data", data, "--steps", steps, "--batch", "1", "-o", dir)
	}
	train("5")
	train("10")
	text, err := os.ReadFile(filepath.Join(dir, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	var m manifest.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	want, err := manifest.DigestFile(data)
	if err != nil || m.Inputs["data"].SHA256 != want || m.Status != manifest.Finished || !(m.Seconds > 0.01) {
		t.Errorf("manifest %+v, %v, want the digest %s of the data and the time of the steps", m, err, want)
	}
}

// TestDataGenRefusesAnotherSet is a mistake of the caller.
func TestDataGenRefusesAnotherSet(t *testing.T) {
	dir := t.TempDir()
	must(t, "data", "gen", "empty", "--contexts", "1", "-o", dir)
	code, _, stderr := invoke(t, "data", "gen", "empty", "--contexts", "2", "-o", dir)
	if code != exitUsage || !strings.Contains(stderr, "holds another set") {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestEvalToy evaluates the special cases, goes on by seeds, packs and prints them.
func TestEvalToy(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "toy")
	for _, seeds := range []string{"1", "2"} {
		must(t, "eval", "toy", "--seeds", seeds, "--samples", "500", "-o", dir)
	}
	text := must(t, "table", "toy", dir)
	if !strings.Contains(text, "pcd-pd") || !strings.Contains(text, "ours, 2 seeds") || !strings.Contains(text, "7.97e-03") {
		t.Errorf("table:\n%s", text)
	}
	must(t, "table", "toy", dir, "--pack")
	if packed := must(t, "table", "toy", dir+".jsonl.gz"); packed != text {
		t.Errorf("packed, the table is\n%s", packed)
	}
	code, _, stderr := invoke(t, "eval", "toy", "--seeds", "2", "--samples", "400", "-o", dir)
	if code != exitUsage || !strings.Contains(stderr, "samples: 500 instead of 400") {
		t.Errorf("other settings: exit code %d, %q", code, stderr)
	}
}

// TestTableNamesWhatIsMissing computes one of two shards.
func TestTableNamesWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JOB_COMPLETION_INDEX", "1")
	t.Setenv(experiment.ShardCountVariable, "2")
	must(t, "eval", "toy", "--seeds", "1", "--samples", "100", "--shard", "auto", "-o", dir)
	code, _, stderr := invoke(t, "table", "toy", dir)
	if code != exitOK || stderr != "2 cells are missing or not finished; the same \"pcd eval\" goes on with them:\n  baseline\n  pcd-cg\n" {
		t.Errorf("exit code %d, %q", code, stderr)
	}
}

// TestGammaFigureFitsAScreen draws the landed cells: one map, unless others are asked
// for.
func TestGammaFigureFitsAScreen(t *testing.T) {
	in := landedPath(t, "nav2d-gamma")
	size := func(args ...string) (int, int) {
		t.Helper()
		out := filepath.Join(t.TempDir(), "gamma.png")
		must(t, slices.Concat([]string{"plot", "nav2d", "gamma", in, "-o", out}, args)...)
		f, err := os.Open(out)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		c, err := png.DecodeConfig(f)
		if err != nil {
			t.Fatal(err)
		}
		return c.Width, c.Height
	}
	if w, h := size(); w > 1600 || h > 2000 {
		t.Errorf("the figure has %d × %d pixels", w, h)
	}
	if w, h := size("--rows", "all", "--measures", "all"); w < 2000 || h < 3000 {
		t.Errorf("the figure of all has %d × %d pixels", w, h)
	}
	code, _, stderr := invoke(t, "plot", "nav2d", "gamma", in, "--rows", "moon", "-o", filepath.Join(t.TempDir(), "g.svg"))
	if code != exitUsage || !strings.Contains(stderr, "conveyor") {
		t.Errorf("a map without results: exit code %d, %q", code, stderr)
	}
}
