package nav2d

import (
	"context"
	"runtime"
	"sync"

	"github.com/go-pcd/pcd/internal/parallel"
	"github.com/go-pcd/pcd/tensor"
)

// Channels is the number of channels of a demonstration: x, y, vx, vy.
const Channels = 4

// DemonstrationOptions says which demonstrations to generate. The zero value
// generates a complete training set.
type DemonstrationOptions struct {
	// Seed selects the whole set; 0 is a seed like any other.
	Seed uint64
	// First and Contexts are the range of contexts, pairs of start and goal. Sets
	// of adjacent ranges join to the set of the whole range. Zero contexts mean
	// 2500, or 10 000 on maps whose demonstrations follow from start and goal.
	First, Contexts int
	// PerContext is the number of trajectories per context; zero means 4, or 1 on
	// maps whose demonstrations follow from start and goal.
	PerContext int
	// Workers is the number of goroutines; zero means one per processor. It does
	// not change the result.
	Workers int
}

const (
	defaultContexts   = 2500
	defaultPerContext = 4
)

func (o DemonstrationOptions) withDefaults(m *Map) DemonstrationOptions {
	_, line := m.Pattern.(straightPattern)
	if o.PerContext == 0 && line {
		o.PerContext = 1
	} else if o.PerContext == 0 {
		o.PerContext = defaultPerContext
	}
	if o.Contexts == 0 && line {
		o.Contexts = defaultContexts * defaultPerContext
	} else if o.Contexts == 0 {
		o.Contexts = defaultContexts
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

func (o DemonstrationOptions) check() error {
	for _, v := range []struct {
		name  string
		value int
	}{{"First", o.First}, {"Contexts", o.Contexts}, {"PerContext", o.PerContext}, {"Workers", o.Workers}} {
		if v.value < 0 {
			return &optionError{Name: v.name, Value: v.value}
		}
	}
	return nil
}

// Demonstrations are collision-free trajectories of one robot that follow the
// pattern of a map.
type Demonstrations struct {
	// Trajectories is [n, Waypoints, Channels]: positions in the coordinates of
	// the map and velocities per second; on maps with the pattern [straightPattern] the
	// velocity is the difference between waypoints instead.
	Trajectories tensor.Batch
	// Contexts holds the number of the context of every trajectory, ascending.
	Contexts []int
	Report   DemonstrationReport
}

// Generate makes demonstrations for a map. A trajectory that is not free of
// collisions by [Map.PathFree] and at its waypoints, or does not adhere to the
// pattern, is drawn again up to 10 times and then left out.
//
// Progress, if not nil, is called after every context with the number of
// finished ones, from one goroutine at a time. A cancelled context stops
// generation and returns its error without demonstrations; to resume, generate
// by ranges.
func Generate(ctx context.Context, m *Map, opts DemonstrationOptions, progress func(done, total int)) (Demonstrations, error) {
	if err := opts.check(); err != nil {
		return Demonstrations{}, err
	}
	opts = opts.withDefaults(m)
	results := make([]contextResult, opts.Contexts)
	var mu sync.Mutex
	done := 0
	err := parallel.For(ctx, opts.Workers, opts.Contexts, func(_, i int) error {
		results[i] = demonstrate(m, opts, opts.First+i)
		mu.Lock()
		defer mu.Unlock()
		done++
		if progress != nil {
			progress(done, opts.Contexts)
		}
		return nil
	})
	if err != nil {
		return Demonstrations{}, err
	}
	return collect(m, opts, results)
}

// collect joins the results in the order of contexts.
func collect(m *Map, opts DemonstrationOptions, results []contextResult) (Demonstrations, error) {
	var d Demonstrations
	var attempts attempts
	var data []float32
	for i, r := range results {
		if r.err != nil {
			return Demonstrations{}, r.err
		}
		for range len(r.data) / (Waypoints * Channels) {
			d.Contexts = append(d.Contexts, opts.First+i)
		}
		data = append(data, r.data...)
		attempts.add(r.attempts)
	}
	var err error
	if d.Trajectories, err = tensor.Of(data, Waypoints, Channels); err != nil {
		return Demonstrations{}, err
	}
	d.Report = Describe(m, d.Trajectories)
	d.Report.Attempts = attempts
	return d, nil
}
