package kernel

import (
	"sync"
	"time"
)

// Peak measures how many GFLOP/s the given number of goroutines reach together on
// fused multiply-adds (two operations each) that touch no memory, with the kind in
// force: the roof above the products. The fastest of several short rounds counts.
func Peak(threads int) float64 {
	const rounds, turns = 12, 200_000
	best := 0.0
	for range rounds {
		var wg sync.WaitGroup
		start := time.Now()
		for range threads {
			wg.Go(func() { peakRound(turns) })
		}
		wg.Wait()
		flops := float64(threads) * turns * flopsPerTurn()
		best = max(best, flops/time.Since(start).Seconds()/1e9)
	}
	return best
}

func flopsPerTurn() float64 {
	if active == Portable {
		return 2 * 8
	}
	return float64(2 * 2 * tileHeight[active] * (4 << active))
}

func peakRound(turns int) {
	if active == Portable {
		portablePeak(turns)
	} else {
		runPeak(turns)
	}
}

// sink keeps the result of portablePeak alive.
var sink float32

func portablePeak(turns int) {
	var a, b, c, d, e, f, g, h float32
	x, y := sink, sink
	for range turns {
		a = a*x + y
		b = b*x + y
		c = c*x + y
		d = d*x + y
		e = e*x + y
		f = f*x + y
		g = g*x + y
		h = h*x + y
	}
	if a+b+c+d+e+f+g+h != 0 {
		sink = a
	}
}
