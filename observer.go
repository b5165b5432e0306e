package pcd

import "github.com/go-pcd/pcd/tensor"

// Observer watches a run. It cannot change samples; an error from it stops the
// run with the samples of that step.
type Observer interface {
	Step(info StepInfo) error
}

// ObserverFunc is a function as an [Observer].
type ObserverFunc func(info StepInfo) error

// Step calls f.
func (f ObserverFunc) Step(info StepInfo) error { return f(info) }

// StepInfo describes a finished step.
type StepInfo struct {
	Step  int // number of the step, counting down to 0
	Done  int // steps finished
	Total int // steps of the run
	// Seconds is where the time of all finished steps went.
	Seconds Seconds
	states  []tensor.Batch
}

// Samples returns a copy of the state of a variable after the step.
func (s StepInfo) Samples(variable int) tensor.Batch { return s.states[variable].Clone() }
