// Unlearned makes a policy of PushT that has not learned anything, with the sizes and the file
// layout of lerobot/diffusion_pusht, and a recording for it to act on:
//
//	go run ./examples/internal/unlearned diffusion_pusht recording
//
// Its weights are drawn at random: it takes the memory and the time of the published policy, and
// shows what commands print, where that cannot be fetched.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"log"
	"os"
	"path/filepath"

	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/policy"
)

const (
	state   = "observation.state"
	camera  = "observation.image"
	moments = 12 // of the recording
	side    = 96 // of a picture, in pixels
)

// published are the sizes of lerobot/diffusion_pusht.
var published = policy.Config{
	Inputs:           []policy.Feature{{Key: camera, Type: policy.Visual, Shape: []int{3, side, side}}, {Key: state, Type: policy.State, Shape: []int{2}}},
	Action:           policy.Feature{Key: "action", Type: policy.Action, Shape: []int{2}},
	Modes:            map[policy.FeatureType]policy.Mode{policy.Visual: policy.MeanStd, policy.State: policy.MinMax, policy.Action: policy.MinMax},
	ObservationSteps: 2, Horizon: 16, ActionSteps: 8, Backbone: "resnet18", Crop: [2]int{84, 84}, GroupNorm: true, Keypoints: 32,
	DownDims: []int{512, 1024, 2048}, Kernel: 5, Groups: 8, TimeDim: 128,
	Diffusion: policy.Diffusion{Scheduler: "DDPM", Steps: 100, Beta: "squaredcos_cap_v2", BetaStart: 1e-4, BetaEnd: 0.02, Clip: 1, Inference: 100},
}

// statistics are those of the published data.
var statistics = map[string]policy.Statistics{
	camera:   {Low: []float32{0.5, 0.5, 0.5}, High: []float32{0.5, 0.5, 0.5}},
	state:    {Low: []float32{13.456424, 32.938293}, High: []float32{496.14618, 510.9579}},
	"action": {Low: []float32{12, 25}, High: []float32{511, 511}},
}

func main() {
	small := flag.Bool("small", false, "a tenth of the widths: seconds instead of a gigabyte")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("name the folders of the policy and of the recording")
	}
	if err := run(flag.Arg(0), flag.Arg(1), *small); err != nil {
		log.Fatal(err)
	}
}

func run(folder, recording string, small bool) error {
	c := published
	if small {
		c.DownDims = []int{48, 96, 192}
	}
	p, err := policy.New(c, statistics, noise.New(1), policy.Options{})
	if err != nil {
		return err
	}
	if err := errors.Join(p.Save(folder), record(recording)); err != nil {
		return err
	}
	fmt.Printf("%s: a policy of %d parameters\n%s: %d observations\n", folder, p.Shape().Parameters, recording, moments)
	return nil
}

// record writes observations of an agent that moves across an empty window.
func record(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var list []byte
	for i := range moments {
		name := fmt.Sprintf("%06d.png", i)
		x, y := 200+6*float64(i), 300-3*float64(i)
		line, err := json.Marshal(map[string]any{state: []float64{x, y}, camera: name})
		if err != nil {
			return err
		}
		list = append(append(list, line...), '\n')
		if err := see(filepath.Join(dir, name), int(x*side/512), int(y*side/512)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, "observations.jsonl"), list, 0o666)
}

// see draws the agent on white.
func see(path string, x, y int) error {
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	for i := range side * side {
		c := color.RGBA{255, 255, 255, 255}
		if dx, dy := i%side-x, i/side-y; dx*dx+dy*dy < 9 {
			c = color.RGBA{65, 105, 225, 255}
		}
		m.Set(i%side, i/side, c)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(png.Encode(f, m), f.Close())
}
