package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-pcd/pcd/internal/jobs"
	"github.com/go-pcd/pcd/internal/jobs/queue"
	"github.com/go-pcd/pcd/internal/thorough"
)

// A job is a command that reads and writes in its own folder.
func TestCheckJob(t *testing.T) {
	for line, want := range map[string]string{
		"plan highways --robots 2":              "plan highways --robots 2 -o out --json",
		"plan scene.yaml --json":                "plan scene.yaml --json -o out",
		"eval nav2d --gammas 0.1,0.2":           "eval nav2d --gammas 0.1,0.2 -o out --json",
		"push --init 100,400,256,200,0.5":       "push --init 100,400,256,200,0.5 -o out --json",
		"data gen highways":                     "data gen highways -o out --json",
		"train nav2d empty --data d/x.npz":      "train nav2d empty --data d/x.npz -o out --json",
		"table nav2d results":                   "table nav2d results",
		"image assemble parts":                  "image assemble parts -o out --json",
		"":                                      "",
		"serve":                                 "",
		"eval":                                  "",
		"data import x":                         "",
		"data fetch":                            "",
		"weights convert a b":                   "",
		"plan -o elsewhere":                     "",
		"plan --output=elsewhere":               "",
		"table nav2d results --pack":            "",
		"plan --help":                           "",
		"plan highways extra":                   "",
		"plan --robot 3":                        "",
		"plan --samples 0":                      "",
		"plan /etc/passwd":                      "",
		"plan ../scene.yaml":                    "",
		"plan --model=/etc/passwd":              "",
		"plan --model /etc/passwd":              "",
		"pair --exemplars-a a.png,/etc/x":       "",
		`pair --exemplars-a "/etc/x"`:           "",
		"plan -- highways":                      "",
		"completion bash":                       "",
		"__complete plan":                       "",
		strings.Repeat("plan ", mostWords+1):    "",
		"plan " + strings.Repeat("x", 1<<13):    "",
		"eval nav2d --maps highways -o ../../x": "",
	} {
		words, err := checkJob(strings.Fields(line))
		var broken *jobs.SpecError
		if got := strings.Join(words, " "); got != want || want == "" && !errors.As(err, &broken) {
			t.Errorf("checkJob(%.60q) = %q, %v, want %q", line, got, err, want)
		}
	}
}

// startJobs returns a queue whose jobs are run by this test binary as the program.
func startJobs(t *testing.T) *queue.Queue {
	t.Helper()
	store, err := jobs.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(t.Context(), queue.Config{
		Store: store, Running: 2, Waiting: 20, Bytes: 1 << 30, Keep: time.Hour, Log: slog.New(slog.DiscardHandler),
		Check: checkJob, Follow: followJob,
		Command: func(words []string) *exec.Cmd {
			c := jobProcess(words)
			c.Args[0] = "pcd"
			return c
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := q.Close(t.Context()); err != nil && t.Context().Err() == nil {
			t.Error(err)
		}
	})
	return q
}

// finish submits a job, waits for its end and returns it.
func finish(t *testing.T, q *queue.Queue, s jobs.Spec) *jobs.Job {
	t.Helper()
	j, err := q.Submit(t.Context(), "", s)
	for err == nil && !j.State.Final() {
		time.Sleep(20 * time.Millisecond)
		j, err = q.Get(t.Context(), "", j.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// resultsOf returns the files that a job has written, by name.
func resultsOf(t *testing.T, q *queue.Queue, id string) map[string][]byte {
	t.Helper()
	r, err := q.Results(t.Context(), "", id)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files, err := r.Files()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, f := range files {
		file, err := r.Open(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		_, err = content.ReadFrom(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = content.Bytes()
	}
	return all
}

// untimed returns JSON without what was measured with a clock.
func untimed(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(without(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// without removes keys of times.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			if strings.Contains(k, "second") || strings.Contains(k, "time") || k == "machine" {
				delete(v, k)
				continue
			}
			v[k] = without(v[k])
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}

// The results of jobs are those of the commands, bit for bit: arrays, weights, and cells
// but for their times.
func TestJobsAreCommands(t *testing.T) {
	q := startJobs(t)
	t.Chdir(t.TempDir())
	demo := finish(t, q, jobs.Spec{Command: strings.Fields("data gen highways --contexts 16 --per-context 1")})
	must(t, "data", "gen", "highways", "--contexts", "16", "--per-context", "1", "-o", "demo")
	for name, c := range thorough.Named(map[string]struct {
		line   string
		inputs []jobs.Input
		files  []string
	}{
		"plan":  {"plan highways --robots 2 --samples 2 --seed 5", nil, []string{"samples.npz"}},
		"toy":   {"toy --pairs 50", nil, []string{"pairs.npz"}},
		"eval":  {"eval nav2d --maps highways --robots 2 --methods pcd-shd --vmax 0.7 --trials 1 --samples 2", nil, []string{"highways-n2-pcd-shd-v0.7-g0.2.json"}},
		"train": {"train nav2d highways --steps 3 --batch 4 --data demo/trajectories.npz", []jobs.Input{{Name: "demo", Job: demo.ID}}, []string{"model.safetensors"}},
	}, "plan", "eval") {
		j := finish(t, q, jobs.Spec{Command: strings.Fields(c.line), Inputs: c.inputs})
		if j.State != jobs.Done {
			t.Errorf("%s: %+v", name, j)
			continue
		}
		if err := os.RemoveAll(jobs.OutName); err != nil {
			t.Fatal(err)
		}
		must(t, append(strings.Fields(c.line), "-o", jobs.OutName, "--json")...)
		got := resultsOf(t, q, j.ID)
		for _, file := range c.files {
			want, err := os.ReadFile(filepath.Join(jobs.OutName, file))
			if err != nil {
				t.Fatal(err)
			}
			same := bytes.Equal(got[file], want)
			if filepath.Ext(file) == ".json" && got[file] != nil {
				same = untimed(t, got[file]) == untimed(t, want)
			}
			if !same {
				t.Errorf("%s: %s differs from that of the command", name, file)
			}
		}
	}
}

// A job goes on with the results of another, which stay: parts of the image model in one folder, an evaluation that grows.
func TestJobsGoOn(t *testing.T) {
	thorough.Test(t)
	q := startJobs(t)
	size := strings.Fields("--size 32 --photos 4 --held-out 2 --batch 2")
	first := finish(t, q, jobs.Spec{Command: append(strings.Fields("train images autoencoder --steps 1"), size...)})
	second := finish(t, q, jobs.Spec{Command: append(strings.Fields("train images denoiser --steps 1"), size...), Inputs: []jobs.Input{{Name: jobs.OutName, Job: first.ID}}})
	if first.State != jobs.Done || second.State != jobs.Done {
		t.Fatalf("%+v\n%+v", first, second)
	}
	t.Chdir(t.TempDir())
	for _, part := range []string{"autoencoder", "denoiser"} {
		must(t, append(append([]string{"train", "images", part, "--steps", "1", "-o", jobs.OutName}, size...), "--json")...)
	}
	before, after := resultsOf(t, q, first.ID), resultsOf(t, q, second.ID)
	for _, part := range []string{"autoencoder", "denoiser"} {
		name := part + "/model.safetensors"
		want, err := os.ReadFile(filepath.Join(jobs.OutName, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(after[name], want) {
			t.Errorf("%s differs from that of the commands", name)
		}
	}
	if len(before) == 0 || before["denoiser/model.safetensors"] != nil {
		t.Errorf("the first job has %d files, among them those of the second", len(before))
	}
	eval := strings.Fields("eval nav2d --maps highways --robots 2 --methods pcd-shd --vmax 0.7 --samples 2 --trials")
	one := finish(t, q, jobs.Spec{Command: append(eval, "1")})
	two := finish(t, q, jobs.Spec{Command: append(eval, "2"), Inputs: []jobs.Input{{Name: jobs.OutName, Job: one.ID}}})
	whole := finish(t, q, jobs.Spec{Command: append(eval, "2")})
	cell := "highways-n2-pcd-shd-v0.7-g0.2.json"
	if got, want := resultsOf(t, q, two.ID)[cell], resultsOf(t, q, whole.ID)[cell]; got == nil || untimed(t, got) != untimed(t, want) {
		t.Errorf("two trials after one are not two at once: %+v", two)
	}
}

// A scene of a job names files of its folder, and no others.
func TestJobsStayInTheirFolder(t *testing.T) {
	q := startJobs(t)
	secret := file(t, "secret.yaml", "image: x.pgm\n")
	for name, line := range map[string]string{
		"a map elsewhere":   "map: {file: " + secret + "}\n",
		"a map above":       "map: {file: ../../../jobs.db}\n",
		"a model elsewhere": "model: " + secret + "\n",
	} {
		scene := jobs.File{Name: "scene.yaml", Content: []byte(line + strings.TrimPrefix(twoRobots, "\n"))}
		j := finish(t, q, jobs.Spec{Command: []string{"plan", "scene.yaml"}, Files: []jobs.File{scene}})
		if j.State != jobs.Failed || j.ExitCode != exitUsage || !strings.Contains(j.Message, "outside the folder of the job") {
			t.Errorf("%s: %+v", name, j)
		}
	}
	good := finish(t, q, jobs.Spec{Command: []string{"plan", "scene.yaml", "--seed", "1"}, Files: []jobs.File{{Name: "scene.yaml", Content: []byte(twoRobots)}}})
	if names := resultsOf(t, q, good.ID); good.State != jobs.Done || names["plan.json"] == nil || slices.Contains(good.Command, "-o") {
		t.Errorf("%+v", good)
	}
}
