package pusht

import "math"

// Recording is what happened in the episodes of a [Vector]. Arrays are row-major.
type Recording struct {
	Environments int
	Steps        int   // actions of the longest possible episode
	Chunk        int   // actions per chunk
	Chunks       int   // chunks recorded
	Length       []int // actions that each environment executed

	// States is [environments, steps + 1, 5]; row 0 is the start, after the substep
	// that placing takes. Rewards is [environments, steps]. Both repeat their last
	// row after the end of an episode.
	States, Rewards []float64

	// Actions is [environments, steps, 2], with what was asked for after the end of
	// an episode; NaN where no chunk was asked for.
	Actions []float32

	// Observations is [environments, chunks, 2, 20]: what was seen when a chunk was
	// asked for; NaN where none was.
	Observations []float32
}

// chunks returns how many chunks an episode has room for.
func (r *Recording) chunks() int { return (r.Steps + r.Chunk - 1) / r.Chunk }

func (r *Recording) allocate(n int, o VectorOptions) {
	r.Environments, r.Steps, r.Chunk = n, o.EpisodeSteps, o.ActionSteps
	r.Length = make([]int, n)
	r.States = make([]float64, n*(r.Steps+1)*5)
	r.Rewards = make([]float64, n*r.Steps)
	r.Actions = make([]float32, n*r.Steps*2)
	r.Observations = make([]float32, n*r.chunks()*ObservationSteps*ObservationSize)
}

func (r *Recording) clear() {
	r.Chunks = 0
	clear(r.Length)
	clear(r.States)
	clear(r.Rewards)
	for _, a := range [][]float32{r.Actions, r.Observations} {
		for i := range a {
			a[i] = float32(math.NaN())
		}
	}
}

func (r *Recording) state(environment, row int, s State) {
	a := s.Array()
	copy(r.States[(environment*(r.Steps+1)+row)*5:], a[:])
}

// step records what the action number step led to.
func (r *Recording) step(environment, step int, reward float64, s State) {
	r.Rewards[environment*r.Steps+step] = reward
	r.state(environment, step+1, s)
	r.Length[environment] = step + 1
}

// chunk records what a policy saw and asked for.
func (r *Recording) chunk(environment int, actions []float32, seen *[ObservationSteps][ObservationSize]float32) {
	if r.Chunks >= r.chunks() {
		return // nothing is executed any more
	}
	first := r.Chunks * r.Chunk
	room := min(r.Chunk, r.Steps-first)
	copy(r.Actions[(environment*r.Steps+first)*2:], actions[:2*room])
	for j, o := range seen {
		copy(r.Observations[((environment*r.chunks()+r.Chunks)*ObservationSteps+j)*ObservationSize:], o[:])
	}
}

// pad repeats the last row of an environment to the end.
func (r *Recording) pad(environment int) {
	n := r.Length[environment]
	states := r.States[environment*(r.Steps+1)*5 : (environment+1)*(r.Steps+1)*5]
	for i := 5 * (n + 1); i < len(states); i++ {
		states[i] = states[i-5]
	}
	rewards := r.Rewards[environment*r.Steps : (environment+1)*r.Steps]
	for i := max(n, 1); i < len(rewards); i++ {
		rewards[i] = rewards[i-1]
	}
}

// Recording returns what has happened since the last [Vector.Reset]. The arrays
// belong to the vector and change with it.
func (v *Vector) Recording() *Recording {
	for i := range v.episodes {
		v.record.pad(i)
	}
	return &v.record
}
