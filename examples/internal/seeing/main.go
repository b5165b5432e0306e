// Seeing writes a data set of LeRobot in which only pictures say where to go, and drives policies
// that learned from it:
//
//	go run ./examples/internal/seeing -write pictures
//	go run ./examples/internal/seeing -write blank -blank
//	go run ./examples/internal/seeing -drive models/seeing
//
// The world is that of PushT, drawn as its camera sees it. An agent is told its own place and sees
// the window; what it does is to go to the block, wherever that lies. In the second data set it
// sees grey.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/env/pusht"
	"github.com/go-pcd/pcd/policy"
)

const (
	stateKey  = "observation.state"
	cameraKey = "observation.image"
	scenes    = 1500
	frames    = 8 // of the episode of a scene: the fewest that a plan of 16 is learned from
	drives    = 50
	trainSeed = 1
	driveSeed = 100000
)

func main() {
	write := flag.String("write", "", "folder of the data set to be written")
	blank := flag.Bool("blank", false, "write and show grey instead of pictures")
	drive := flag.String("drive", "", "folder of a policy to be driven")
	flag.Parse()
	var err error
	switch {
	case *write != "":
		err = writeData(*write, scenes, *blank)
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

// begin returns the world of a scene, whose block lies anywhere.
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

// result is how a policy does, in the mean over starts.
type result struct {
	off float64 // px from the place that is commanded to that of the block
	of  int
}

func (r result) String() string {
	return fmt.Sprintf("%d commands are off by %.0f px in the mean", r.of, r.off)
}

// driveAll lets a policy drive agents from starts that it has not seen.
func driveAll(ctx context.Context, dir string, n int, blank bool) (r result, err error) {
	p, err := policy.Open(dir, policy.Options{})
	if err != nil {
		return r, err
	}
	for i := range n {
		off, err := driveOne(ctx, p, uint32(driveSeed+i), blank)
		if err != nil {
			return r, err
		}
		r.off, r.of = r.off+off/float64(n), r.of+1
	}
	return r, nil
}

// driveOne returns how far the first command of a start is from the block.
func driveOne(ctx context.Context, p *policy.Policy, seed uint32, blank bool) (off float64, err error) {
	w, err := begin(seed)
	if err != nil {
		return 0, err
	}
	a, err := policy.NewActor(p, policy.Sampling{Scheduler: "DDIM", Steps: 10}, nil)
	if err != nil {
		return 0, err
	}
	s := w.State()
	command, err := a.Act(ctx, policy.Observation{
		Vectors: map[string][]float32{stateKey: {float32(s.Agent.X), float32(s.Agent.Y)}},
		Images:  map[string]policy.Image{cameraKey: {Height: pusht.PictureSize, Width: pusht.PictureSize, Channels: 3, Pix: shown(w, blank)}},
	})
	if err != nil {
		return 0, err
	}
	return s.Block.Position.Dist(geom.Vec2{X: float64(command[0]), Y: float64(command[1])}), nil
}
