// Arms couples two robots, each with a diffusion policy of its own: planar arms whose hands
// pass one another in the space between them.
//
//	go run ./examples/internal/arms [-steps 800] [-o arms.png]
//
// It makes demonstrations of reaching, trains a policy for either arm (a minute on two cores),
// and drives pairs of them twice from the same noise: each alone, and with a cost on the
// distance of their hands, which neither policy knows. Joint limits that are tighter than
// those of the demonstrations hold by projection, certified in the angles that are commanded.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
)

// apart is how far the hands should stay from one another, in metres.
const apart = 0.2

func main() {
	steps := flag.Int("steps", 800, "training steps of each policy")
	scenes := flag.Int("scenes", 32, "pairs that are driven")
	out := flag.String("o", "arms.png", "picture of a pair")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *steps, *scenes, *out); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, steps, scenes int, out string) error {
	var pair [2]*robot
	for i, a := range arms {
		p, err := learn(ctx, a, steps, uint64(i+1))
		if err != nil {
			return err
		}
		if pair[i], err = newRobot(a, p); err != nil {
			return err
		}
	}
	tasks := newTasks(scenes, 7)
	var drives []*drive
	for _, strength := range []float64{0, coupled} {
		d, err := driveAll(ctx, pair, tasks, strength)
		if err != nil {
			return err
		}
		fmt.Println(d.summary(tasks))
		drives = append(drives, d)
	}
	if err := picture(out, drives, tasks); err != nil {
		return err
	}
	fmt.Println("picture:", out)
	return nil
}
