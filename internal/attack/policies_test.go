package attack

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/internal/experiment/imitation"
	"github.com/go-pcd/pcd/internal/lerobot"
	"github.com/go-pcd/pcd/policy"
)

// The folders of policies and of data sets that are changed.
const (
	policies   = "../../policy/testdata/lerobot"
	dataSets   = "../../internal/lerobot/testdata"
	statistics = "policy_preprocessor_step_3_normalizer_processor.safetensors"
)

func init() {
	maps.Copy(doors, map[string]door{
		"policy-2024":       {100, once(fileOf(policies+"/a_env", "config.json")), JSON, inFolder(policies+"/a_env", "config.json", openPolicy)},
		"policy-2025":       {100, once(fileOf(policies+"/b_env", "model.safetensors")), Safetensors, inFolder(policies+"/b_env", "model.safetensors", openPolicy)},
		"policy":            {150, once(fileOf(policies+"/c_quantiles", "config.json")), JSON, inFolder(policies+"/c_quantiles", "config.json", openPolicy)},
		"policy-processor":  {100, once(fileOf(policies+"/c_quantiles", "policy_preprocessor.json")), JSON, inFolder(policies+"/c_quantiles", "policy_preprocessor.json", openPolicy)},
		"policy-statistics": {100, once(fileOf(policies+"/c_quantiles", statistics)), Safetensors, inFolder(policies+"/c_quantiles", statistics, openPolicy)},
		"recording":         {200, once(recordings), JSON, openRecording},
		"recorded-picture":  {150, once(pictures), Bytes, openPicture},
		"command-limits":    {200, once(limits), JSON, opened("limits.json", openLimits)},
		"frames-info":       {100, once(fileOf(dataSets+"/v3", "meta/info.json")), JSON, inFolder(dataSets+"/v3", "meta/info.json", openFrames)},
		"frames":            {100, once(fileOf(dataSets+"/v3", "data/chunk-000/file-000.parquet")), Bytes, inFolder(dataSets+"/v3", "data/chunk-000/file-000.parquet", openFrames)},
	})
}

// fileOf is a corpus of one file of a folder.
func fileOf(dir, name string) func() [][]byte {
	return func() [][]byte {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
		return [][]byte{b}
	}
}

// inFolder opens a copy of a folder with a file changed.
func inFolder(from, name string, open func(dir string) error) func(string, []byte) error {
	return func(dir string, file []byte) error {
		root := filepath.Join(dir, "folder")
		path := filepath.Join(root, name)
		if err := errors.Join(os.CopyFS(root, os.DirFS(from)), os.Remove(path), os.WriteFile(path, file, 0o644)); err != nil {
			return err
		}
		defer os.RemoveAll(root)
		return open(root)
	}
}

// openPolicy opens a policy and, if it is one, asks it for a plan.
func openPolicy(dir string) error {
	p, err := policy.Open(dir, policy.Options{Workers: 1})
	if err != nil {
		return err
	}
	c := p.Config()
	o := policy.Observation{Vectors: map[string][]float32{}, Images: map[string]policy.Image{}}
	for _, f := range c.Told() {
		if f.Type == policy.Visual {
			o.Images[f.Key] = policy.Image{Height: f.Shape[1], Width: f.Shape[2], Channels: f.Shape[0], Pix: make([]uint8, f.Size())}
		} else {
			o.Vectors[f.Key] = make([]float32, f.Size())
		}
	}
	a, err := policy.NewActor(p, policy.Sampling{Steps: 1}, nil)
	if err != nil {
		return err
	}
	_, err = a.Act(context.Background(), o)
	return err
}

// recordings are lists of observations.
func recordings() [][]byte {
	return [][]byte{[]byte(`{"observation.state": [1, 2.5], "observation.image": "seen.png"}`), []byte(`{"agent_pos": [1e-3], "pixels": "seen.png", "more": [1, 2, 3]}`)}
}

// pictures are files of a camera.
func pictures() [][]byte {
	m := image.NewRGBA(image.Rect(0, 0, 24, 16))
	for i := range m.Pix {
		m.Pix[i] = uint8(7 * i)
	}
	var a, b bytes.Buffer
	if err := errors.Join(png.Encode(&a, m), jpeg.Encode(&b, m, nil)); err != nil {
		panic(err)
	}
	return [][]byte{a.Bytes(), b.Bytes()}
}

func openRecording(dir string, file []byte) error { return readRecording(dir, file, pictures()[0]) }

func openPicture(dir string, file []byte) error { return readRecording(dir, recordings()[0], file) }

// readRecording reads all observations of a recording.
func readRecording(dir string, list, picture []byte) error {
	err := errors.Join(os.WriteFile(filepath.Join(dir, "observations.jsonl"), list, 0o644), os.WriteFile(filepath.Join(dir, "seen.png"), picture, 0o644))
	if err != nil {
		return err
	}
	r, err := policy.OpenRecording(dir, nil)
	for err == nil {
		_, err = r.Next()
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// limits are those of commands.
func limits() [][]byte {
	return [][]byte{[]byte(`{"min": [0, 0], "max": [512, 512], "groups": [[0, 1]], "speed": [20], "acceleration": [8]}`), []byte(`{"min": [-1], "max": [1e3], "speed": [0.5]}`)}
}

// openLimits keeps commands within limits, and wants them certified.
func openLimits(path string) error {
	l, err := policy.ReadLimits(path)
	if err != nil {
		return err
	}
	start := make([]float32, len(l.Min))
	for i := range start {
		start[i] = float32((l.Min[i] + l.Max[i]) / 2)
	}
	g, err := policy.NewGovernor(*l)
	if err != nil {
		return err
	}
	if err := g.Start(start); err != nil {
		return err
	}
	var commands []float32
	for k := range 8 {
		want, c := make([]float32, len(start)), make([]float32, len(start))
		for i := range want {
			want[i] = float32(1e30 * float64(1-2*(k/3%2)))
		}
		if err := g.Next(c, want); err != nil {
			return err
		}
		commands = append(commands, c...)
	}
	c, err := l.Certify(start, commands)
	if err == nil && !c.Certified {
		panic("commands exceed their limits")
	}
	return err
}

// openFrames reads what a policy learns from.
func openFrames(dir string) error {
	d, err := lerobot.Open(dir)
	if err != nil {
		return err
	}
	_, err = imitation.Read(d)
	return err
}
