package attack

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/dataset"
)

// base are arguments that keep a command short; the random ones come behind them and
// override them.
var base = map[string]string{
	"plan":             "--samples 2 --robots 2",
	"push":             "--pairs 1",
	"toy":              "--pairs 100",
	"data gen":         "--contexts 2",
	"train nav2d":      "--steps 2 --batch 2",
	"train pusht":      "--steps 2 --batch 2 --diffusion-steps 2 --data demonstrations.npz",
	"train policy":     "--steps 2 --batch 2 --diffusion-steps 2 --data frames",
	"eval nav2d":       "--trials 1 --samples 2 --robots 2 --maps empty --methods diffuser",
	"eval pusht":       "--conditions 1 --pairs 1 --methods dp",
	"bench toy":        "--pairs 100",
	"bench plan":       "--samples 2 --robots 2 --repeats 1",
	"bench push":       "--pairs 1 --plans 1 --repeats 1 --methods dp",
	"bench projection": "--paths 1",
	"bench nn":         "--repeats 1",
	"bench placement":  "--experiments toy --toy 50",
}

// reach are flags with which a command comes to look at the files that it is named,
// where those of base do not do.
var reach = map[string]string{
	"image generate": "--model images --sampling-steps 1", "image encode": "--model images", "image decode": "--model images",
	"pair": "--pairs 1 --sampling-steps 2", "bench pair": "--pairs 1 --sampling-steps 2 --repeats 1 --exemplars 2 --methods sd", "eval images": "--pairs 2 --seeds 1 --sampling-steps 2 --exemplars 2 --methods sd",
	"eval teams": "--trials 1 --maps empty --robots 2", "eval toy": "--samples 100 --seeds 1", "train images": "--size 32 --photos 16 --held-out 4 --steps 1 --batch 4",
	"data gen images": "--portraits 1", "plot nav2d methods": "--robots 2 --samples 2 --methods diffuser", "plot nav2d runtime": "", "bench nn": "--rounds 1 --networks sequences",
	"train nav2d": "--steps 2 --batch 2 --data moving.npz", "act": "--policy policy", "export": "-o out", "fit": "--contexts 4 --steps 1 --batch 2 --pairs 1",
	"train policy": "--steps 1 --batch 2 --diffusion-steps 2 --data frames", "image train-classifier": "--model images --images . --labels labels.csv --steps 1 --batch 2 --width 1 -o classifier",
}

// short returns arguments that keep a command short, or those of a verb above it.
func short(verb []string) []string {
	for n := len(verb); n > 0; n-- {
		name := strings.Join(verb[:n], " ")
		if flags := orElse(base[name], reach[name]); flags != "" {
			return strings.Fields(flags)
		}
	}
	return nil
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

// texts are what a flag or an argument may be given besides numbers and words.
var texts = []string{
	"scene.yaml", "trajectories.npz", "demonstrations.npz", "model.safetensors", "folder", "results", "missing", ".", "/dev/null", "/dev/full", "/proc/self/mem", "out", "picture.png", "picture.svg", "picture.bmp",
	"empty", "highways", "conveyor", "dropregion", "pusht", "nav2d", "all", "diffuser", "pcd-shd", "cd-lb", "mmd-cbs", "pp", "dp", "pcd-dpp-ps", "default", "paper", "mmd", "unscaled", "json", "markdown",
	"0/1", "1/2", "2/1", "-1/2", "0/0", "1/1000000000", "auto", "2,500", "0.1,Inf", "NaN", "1,2,3,4,5", "100,100,900,200,0", "1s", "1ns", "-1s", "9999999h", "python3",
}

// command is a verb of the program with its flags, as its help describes them.
type command struct {
	verb  []string
	usage string
	flags []option
}

type option struct{ name, kind string }

var (
	verbLine  = regexp.MustCompile(`(?m)^  ([a-z][a-z0-9-]*) +\S`)
	flagLine  = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([a-z0-9-]+)(?: ([a-z0-9]+))? {2,}`)
	usageLine = regexp.MustCompile(`(?m)^Usage:\n  pcd (.*)$`)
)

// spared are flags that are not tried: what --peer names is executed, --peer-onnx is looked at
// beside it, and the networks of --large need more memory than there is here.
var spared = []string{"help", "peer", "peer-onnx", "large"}

// helps are the help texts that the program was asked for, by the verb.
var helps = map[string]string{}

// help returns the help text of a verb.
func help(t *testing.T, verb []string) string {
	t.Helper()
	name := strings.Join(verb, " ")
	if helps[name] == "" {
		out, err := exec.Command(program, append(slices.Clone(verb), "--help")...).Output()
		if err != nil {
			t.Fatalf("pcd %s --help: %v", name, err)
		}
		helps[name] = string(out)
	}
	return helps[name]
}

// commands asks the program for its verbs.
func commands(t *testing.T, verb ...string) []command {
	t.Helper()
	text := help(t, verb)
	if _, verbs, ok := strings.Cut(text, "\nCommands:\n"); ok {
		verbs, _, _ = strings.Cut(verbs, "\n\n")
		var found []command
		for _, m := range verbLine.FindAllStringSubmatch(verbs, -1) {
			if m[1] != "help" {
				found = append(found, commands(t, append(slices.Clone(verb), m[1])...)...)
			}
		}
		return found
	}
	c := command{verb: verb}
	if m := usageLine.FindStringSubmatch(text); m != nil {
		c.usage = m[1]
	}
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(spared, m[1]) {
			c.flags = append(c.flags, option{m[1], m[2]})
		}
	}
	return []command{c}
}

// line returns a command line with unlikely flags and arguments.
func (c command) line(r *rand.Rand) []string {
	line := append(slices.Clone(c.verb), short(c.verb)...)
	for range len(strings.Fields(strings.ReplaceAll(c.usage, "[flags]", ""))) - len(c.verb) {
		if r.IntN(8) > 0 {
			line = append(line, pick(r, texts))
		}
	}
	for range r.IntN(4) {
		o := pick(r, c.flags)
		switch o.kind {
		case "": // true or false
			line = append(line, "--"+o.name)
		case "int", "uint", "uint32", "float":
			line = append(line, "--"+o.name+"="+pick(r, numbers))
		default:
			line = append(line, "--"+o.name+"="+value(r))
		}
	}
	return line
}

// value is a text for a flag: a list, one of the usual ones, or a word without the
// NUL that no system passes on.
func value(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return pick(r, numbers) + "," + pick(r, numbers)
	case 1:
		return strings.ReplaceAll(pick(r, words), "\x00", "")
	}
	return pick(r, texts)
}

// robotData is a data set of a robot.
const robotData = "../lerobot/testdata/v3"

// workplace returns a folder with the files that the arguments name.
func workplace(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string][]byte{
		"scene.yaml": files("../../examples", "warehouse.yaml")[0], "trajectories.npz": npzs()[1], "demonstrations.npz": npzs()[0], "model.safetensors": tinyModels()[0],
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "folder"), 0o755), os.CopyFS(filepath.Join(dir, "frames"), os.DirFS(robotData))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// while is how long a command may work before it is interrupted, and briefly how long one of unlikely
// flags, which ends at once or works for hours.
const (
	while   = time.Second
	briefly = 500 * time.Millisecond
)

// TestCommandLines runs the program with unlikely flags and arguments.
func TestCommandLines(t *testing.T) {
	all := commands(t)
	if len(all) < 20 {
		t.Fatalf("%d commands, want all", len(all))
	}
	dir := workplace(t)
	start, n, interrupts := time.Now(), 0, 0
	for ; goOn(start, n, 2*len(all)); n++ {
		c := all[n%len(all)]
		if !entire() { // some from all over
			c = all[n*len(all)/shareOf(2*len(all))]
		}
		line := c.line(Generator(*seed, uint64(n)))
		wrong, interrupted := execute(t, dir, briefly, line...)
		if interrupted {
			interrupts++
		}
		if wrong != "" {
			t.Errorf("seed %d, case %d: pcd %q: %s", *seed, n, line, wrong)
		}
	}
	t.Logf("%d command lines of %d commands, %d interrupted", n, len(all), interrupts)
}

// tooLarge are requests within the limits of their numbers that little memory has no
// room for.
var tooLarge = []string{
	"plan empty --samples 65536 --robots 4", "plan empty --samples 262144 --robots 1", "push --pairs 8192", "toy --pairs 20000000",
	"eval toy --samples 20000000 -o results", "eval nav2d --samples 65536 --robots 4 --maps empty -o results",
	"image generate --model images --sampling-steps 1 --images 8192 --width 512 --height 512 -o out", "image generate --model images --sampling-steps 1 --width 8192 --height 8192 -o out",
	"image encode --model images picture.png --size 8192 -o latents.npz",
	"eval pusht --preset pusht --conditions 1 --pairs 10000 -o results",
	"train nav2d empty --batch 4096 --data moving.npz -o out", "data gen empty --contexts 2 --per-context 100000 -o out",
}

// placeImages puts a small model of images and a picture into a folder.
func placeImages(t *testing.T, dir string) {
	t.Helper()
	const from = "../../latent/testdata/images/pcd_loop/"
	for to, content := range map[string][]byte{
		"unet/config.json": files(from, "unet_config.json")[0], "unet/diffusion_pytorch_model.safetensors": files(from, "unet0.safetensors")[0],
		"vae/config.json": files(from, "vae_config.json")[0], "vae/diffusion_pytorch_model.safetensors": files(from, "vae.safetensors")[0],
		"scheduler/scheduler_config.json": files(from, "scheduler_config.json")[0],
		"model_index.json":                []byte(`{"_class_name": "LDMPipeline", "unet": ["diffusers", "UNet2DConditionModel"], "vae": ["diffusers", "AutoencoderKL"], "scheduler": ["diffusers", "PNDMScheduler"]}`),
	} {
		path := filepath.Join(dir, "images", to)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, content, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	labels := "file,gender\n" // of both kinds also without the picture that is held out
	for i, name := range []string{"picture.png", "other.png", "third.png", "fourth.png"} {
		labels += name + []string{",male\n", ",female\n"}[i%2]
		if err := dataset.NewPicture(4, 4).WritePNG(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "labels.csv"), []byte(labels), 0o600); err != nil {
		t.Fatal(err)
	}
}

// placeMoving puts trajectories that can be learned from into a folder.
func placeMoving(t *testing.T, dir string) {
	t.Helper()
	moving := dataset.Array{Name: "trajectories", Shape: []int{2, 64, 4}, Data: make([]float32, 512)}
	for i := range moving.Data.([]float32) {
		moving.Data.([]float32)[i] = float32(i%7)/10 - 0.3
	}
	if err := dataset.WriteNPZ(filepath.Join(dir, "moving.npz"), moving); err != nil {
		t.Fatal(err)
	}
}

// Requests that the memory has no room for are refused before they begin.
func TestMemoryIsAskedForFirst(t *testing.T) {
	dir := workplace(t)
	placeImages(t, dir)
	placeMoving(t, dir)
	for _, line := range tooLarge {
		var stderr strings.Builder
		c := capped(t.Context(), dir, program, strings.Fields(line)...)
		c.Stderr = &stderr
		err := c.Run()
		if wrong := verdict(err, "", stderr.String()); wrong != "" {
			t.Errorf("pcd %s: %s", line, wrong)
		} else if c.ProcessState.ExitCode() != 2 || !strings.Contains(stderr.String(), "of memory") {
			t.Errorf("pcd %s: exit code %d, %s, want 2 and how much memory it needs", line, c.ProcessState.ExitCode(), stderr.String())
		}
	}
}

// TestScenesAndResults sends changed files through the commands that use them.
func TestScenesAndResults(t *testing.T) {
	dir := workplace(t)
	results := filepath.Join(dir, "results")
	if wrong, _ := execute(t, dir, time.Minute, strings.Fields("eval nav2d --trials 1 --samples 2 --robots 2 --maps empty --methods diffuser,pcd-shd -o results")...); wrong != "" {
		t.Fatal(wrong)
	}
	if wrong, _ := execute(t, dir, time.Minute, strings.Fields("plan empty --samples 2 --robots 2 -o planned")...); wrong != "" {
		t.Fatal(wrong)
	}
	targets := append([]target{{filepath.Join(dir, "scene.yaml"), YAML, "plan scene.yaml --samples 1"},
		{filepath.Join(dir, "model.safetensors"), Safetensors, "plan empty --samples 1 --robots 2 --model model.safetensors"}},
		targetsBelow(t, results, "table nav2d results")...)
	start, n := time.Now(), 0
	for ; goOn(start, n, 40); n++ {
		r := Generator(*seed, uint64(n))
		x := targets[n%len(targets)]
		if wrong := x.try(t, r, dir); wrong != "" {
			t.Errorf("seed %d, case %d: %s for pcd %s: %s", *seed, n, filepath.Base(x.path), x.line, wrong)
		}
	}
	t.Logf("%d changed files of %d through commands", n, len(targets))
}

// target is a file that a command reads.
type target struct {
	path   string
	mutate Mutator
	line   string
}

// targetsBelow lists the JSON files that an evaluation wrote.
func targetsBelow(t *testing.T, dir, line string) []target {
	t.Helper()
	var found []target
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	for _, path := range paths {
		found = append(found, target{path, JSON, line}, target{path, JSON, strings.Replace(line, "table nav2d", "eval nav2d --trials 1 --samples 2 --robots 2 --maps empty --methods diffuser,pcd-shd -o", 1)})
	}
	return found
}

// try changes the file, runs the command and restores the file.
func (x target) try(t *testing.T, r *rand.Rand, dir string) string {
	t.Helper()
	whole, err := os.ReadFile(x.path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := os.WriteFile(x.path, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}()
	if err := os.WriteFile(x.path, x.mutate(r, whole), 0o644); err != nil {
		t.Fatal(err)
	}
	wrong, _ := execute(t, dir, while, strings.Fields(x.line)...)
	return wrong
}
