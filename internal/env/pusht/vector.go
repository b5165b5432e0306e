package pusht

import (
	"context"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/parallel"
)

// Conventions of the policies of the task.
const (
	ObservationSteps = 2   // observations that a policy sees
	ActionSteps      = 8   // actions executed of each prediction
	EpisodeSteps     = 360 // actions after which an episode ends
)

// VectorOptions says how a [Vector] runs. The zero value is the published setting.
type VectorOptions struct {
	ActionSteps  int // actions per call of [Vector.Execute]; 0 means [ActionSteps]
	EpisodeSteps int // actions after which an episode ends; 0 means [EpisodeSteps]
	Workers      int // goroutines; 0 means as many as there are processors
	// Sights keeps what [Vector.Sights] returns.
	Sights bool
}

func (o VectorOptions) withDefaults() (VectorOptions, error) {
	for _, d := range []struct {
		name  string
		value *int
		zero  int
	}{
		{"ActionSteps", &o.ActionSteps, ActionSteps},
		{"EpisodeSteps", &o.EpisodeSteps, EpisodeSteps},
		{"Workers", &o.Workers, parallel.Workers(0)},
	} {
		if *d.value < 0 {
			return o, &OptionError{Option: d.name, Value: *d.value, Want: "0 for the default, or more"}
		}
		if *d.value == 0 {
			*d.value = d.zero
		}
	}
	return o, nil
}

// Vector is a batch of independent worlds that run an episode each. It is not safe
// for concurrent use; it uses several goroutines itself, and their number does not
// show in the results.
type Vector struct {
	options  VectorOptions
	episodes []episode
	record   Recording
	started  bool
}

// episode is one world and how far it has come.
type episode struct {
	world World
	steps int     // actions executed
	best  float64 // largest reward so far
	done  bool

	seen [ObservationSteps][ObservationSize]float32 // the last observations, oldest first

	watched bool // scenes are kept
	scenes  [ObservationSteps]scene
}

// NewVector returns a batch of n worlds. Call [Vector.Reset] before anything else.
func NewVector(n int, options VectorOptions) (*Vector, error) {
	if n <= 0 {
		return nil, &OptionError{Option: "n", Value: n, Want: "at least 1"}
	}
	options, err := options.withDefaults()
	if err != nil {
		return nil, err
	}
	v := &Vector{options: options, episodes: make([]episode, n)}
	v.record.allocate(n, options)
	return v, nil
}

// Len returns the number of environments.
func (v *Vector) Len() int { return len(v.episodes) }

// Reset starts an episode in every environment: environment i in starts[i], or in
// starts[0] if there is one only.
//
// If seeds is not nil, environment i first goes to the first [RandomStarts] of
// seeds[i], as in the published evaluation. What that start leaves behind, contacts
// and the velocity of a block pushed out of an overlap, can move the block by some
// pixels.
//
// It returns a [*StateError] or [*LengthError], having changed nothing, if a start
// cannot be used.
func (v *Vector) Reset(starts []State, seeds []uint32) error {
	n := len(v.episodes)
	if len(starts) != n && len(starts) != 1 {
		return &LengthError{What: "starts [environments]", Got: len(starts), Want: n}
	}
	if seeds != nil && len(seeds) != n {
		return &LengthError{What: "seeds [environments]", Got: len(seeds), Want: n}
	}
	for i, s := range starts {
		if err := s.check(i); err != nil {
			return err
		}
	}
	v.started = true
	v.record.clear()
	v.each(func(i int) {
		e := &v.episodes[i]
		*e = episode{watched: v.options.Sights}
		e.world.Clear()
		if seeds != nil {
			e.world.place(NewRandomStarts(seeds[i]).Next())
		}
		e.world.place(starts[min(i, len(starts)-1)])
		e.observe()
		e.seen[0], e.scenes[0] = e.seen[1], e.scenes[1]
		v.record.state(i, 0, e.world.State())
	})
	return nil
}

// observe appends an observation to those seen.
func (e *episode) observe() {
	var now [ObservationSize]float64
	e.world.Observe(now[:])
	e.seen[0] = e.seen[1]
	for k, x := range now {
		e.seen[1][k] = float32(x)
	}
	if e.watched {
		e.watch()
	}
}

// Observe writes the last two observations of every environment, in pixels, to
// dst, [environments, 2, 20], oldest first; a nil dst allocates. At the start both
// are the same, and after the end of an episode they stay.
func (v *Vector) Observe(dst []float32) []float32 {
	const size = ObservationSteps * ObservationSize
	if dst == nil {
		dst = make([]float32, len(v.episodes)*size)
	}
	for i := range v.episodes {
		for j, o := range v.episodes[i].seen {
			copy(dst[i*size+j*ObservationSize:], o[:])
		}
	}
	return dst
}

// Execute runs a chunk of actions in every environment: actions is
// [environments, ActionSteps, 2], targets of the agent in pixels. An environment
// stops within the chunk when its episode ends: when the task is done, or at
// EpisodeSteps. One whose episode has ended executes nothing; its actions are
// recorded all the same, as in the published evaluation.
//
// It returns a [*TargetError] or [*LengthError], having changed nothing, if an
// action cannot be used.
func (v *Vector) Execute(actions []float32) error {
	if !v.started {
		return ErrNotStarted
	}
	chunk := v.options.ActionSteps
	if want := len(v.episodes) * chunk * 2; len(actions) != want {
		return &LengthError{What: "actions [environments, ActionSteps, 2]", Got: len(actions), Want: want}
	}
	for i := 0; i < len(actions); i += 2 {
		if p := targetOf(actions[i:]); !reachable(p) {
			return &TargetError{Environment: i / 2 / chunk, Action: i / 2 % chunk, X: p.X, Y: p.Y}
		}
	}
	v.each(func(i int) {
		e, mine := &v.episodes[i], actions[2*i*chunk:2*(i+1)*chunk]
		v.record.chunk(i, mine, &e.seen)
		for k := 0; k < chunk && !e.done; k++ {
			e.step(targetOf(mine[2*k:]), v.options.EpisodeSteps, i, &v.record)
		}
	})
	v.record.Chunks++
	return nil
}

func targetOf(a []float32) geom.Vec2 { return geom.Vec2{X: float64(a[0]), Y: float64(a[1])} }

// step executes one action.
func (e *episode) step(target geom.Vec2, limit, environment int, record *Recording) {
	e.world.step(target)
	e.observe()
	coverage := e.world.Coverage()
	reward := Reward(coverage)
	record.step(environment, e.steps, reward, e.world.State())
	e.steps++
	e.best = max(e.best, reward)
	e.done = Done(coverage) || e.steps >= limit
}

// Done reports whether every episode has ended.
func (v *Vector) Done() bool {
	for i := range v.episodes {
		if !v.episodes[i].done {
			return false
		}
	}
	return true
}

// Score returns the largest reward of an episode so far.
func (v *Vector) Score(environment int) float64 { return v.episodes[environment].best }

// each calls f for every environment from several goroutines.
func (v *Vector) each(f func(i int)) {
	_ = parallel.For(context.Background(), v.options.Workers, len(v.episodes), func(_, i int) error {
		f(i)
		return nil
	})
}
