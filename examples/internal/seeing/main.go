// Seeing writes a data set of LeRobot in which only pictures say where to go, and drives policies
// that learned from it:
//
//	go run ./examples/internal/seeing -write pictures
//	go run ./examples/internal/seeing -write blank -blank
//	go run ./examples/internal/seeing -drive models/seeing
//
// The world is that of PushT, drawn as its camera sees it. An agent goes to the block, wherever it
// lies. It is told its own place, and sees the window; in the second data set it sees grey.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/policy"
)

const (
	stateKey  = "observation.state"
	cameraKey = "observation.image"
	stride    = 24 // px that the agent is told to go in a step
	frames    = 12 // of an episode
	episodes  = 400
	drives    = 50
	trainSeed = 1
	driveSeed = 1000
)

func main() {
	write := flag.String("write", "", "folder of the data set to be written")
	blank := flag.Bool("blank", false, "write and show grey instead of pictures")
	drive := flag.String("drive", "", "folder of a policy to be driven")
	flag.Parse()
	var err error
	switch {
	case *write != "":
		err = writeData(*write, episodes, *blank)
	case *drive != "":
		var r result
		if r, err = driveAll(context.Background(), *drive, drives, *blank); err == nil {
			fmt.Println(r)
		}
	default:
		log.Fatal("say -write or -drive")
	}
	if err != nil {
		log.Fatal(err)
	}
}

// begin returns the world of an episode, whose block lies anywhere.
func begin(seed uint32) (*pusht.World, error) {
	w := pusht.NewWorld()
	return w, w.Place(pusht.StartOfSeed(seed))
}

// shown returns what the camera sees, or grey.
func shown(w *pusht.World, blank bool) []uint8 {
	pixels := w.ObservePicture(nil)
	if blank {
		for i := range pixels {
			pixels[i] = 128
		}
	}
	return pixels
}

// toward is what a demonstration does: a step to the place of the block.
func toward(s pusht.State) geom.Vec2 {
	way := s.Block.Position.Sub(s.Agent)
	return s.Agent.Add(way.Scale(math.Min(1, stride/math.Max(way.Norm(), 1e-9))))
}

// result is how a policy does, in the mean.
type result struct {
	off     float64 // px from what is commanded to what a demonstration does there
	nearest float64 // px from the agent to the place of the block, when it is nearest
}

func (r result) String() string {
	return fmt.Sprintf("commands are off by %.1f px of %d, agents come as near as %.0f px", r.off, stride, r.nearest)
}

// driveAll lets a policy drive agents from starts that it has not seen.
func driveAll(ctx context.Context, dir string, n int, blank bool) (r result, err error) {
	p, err := policy.Open(dir, policy.Options{})
	if err != nil {
		return r, err
	}
	for i := range n {
		one, err := driveOne(ctx, p, uint32(driveSeed+i), blank)
		if err != nil {
			return r, err
		}
		r.off, r.nearest = r.off+one.off/float64(n), r.nearest+one.nearest/float64(n)
	}
	return r, nil
}

// driveOne drives the agent of one start.
func driveOne(ctx context.Context, p *policy.Policy, seed uint32, blank bool) (r result, err error) {
	w, err := begin(seed)
	if err != nil {
		return r, err
	}
	a, err := policy.NewActor(p, policy.Sampling{Scheduler: "DDIM", Steps: 10}, nil)
	if err != nil {
		return r, err
	}
	r.nearest = math.Inf(1)
	for range frames {
		s := w.State()
		command, err := a.Act(ctx, policy.Observation{
			Vectors: map[string][]float32{stateKey: {float32(s.Agent.X), float32(s.Agent.Y)}},
			Images:  map[string]policy.Image{cameraKey: {Height: pusht.PictureSize, Width: pusht.PictureSize, Channels: 3, Pix: shown(w, blank)}},
		})
		if err != nil {
			return r, err
		}
		target := geom.Vec2{X: float64(command[0]), Y: float64(command[1])}
		r.off += target.Dist(toward(s)) / frames
		if err := w.Step(target); err != nil {
			return r, err
		}
		s = w.State()
		r.nearest = min(r.nearest, s.Agent.Dist(s.Block.Position))
	}
	return r, nil
}
