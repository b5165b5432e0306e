package policy

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/noise"
)

// Actor drives one robot: it keeps the last observations, plans when no action is left, and
// gives one action for every observation. With limits, no command that it gives exceeds them.
// It is used by one goroutine at a time.
type Actor struct {
	policy   *Policy
	sampling Sampling
	governor *Governor // nil without limits
	history  []Observation
	queue    []float32 // actions that are planned and not given yet
	plans    int
}

// NewActor returns the actor of a robot that has not seen anything yet. limits may be nil;
// with them, [Actor.Start] says where the robot is, before the first [Actor.Act].
func NewActor(p *Policy, s Sampling, limits *Limits) (*Actor, error) {
	if _, err := p.Dynamics(s); err != nil {
		return nil, err
	}
	a := &Actor{policy: p, sampling: s}
	if limits == nil {
		return a, nil
	}
	if n := p.config.Action.Size(); limits.size() != n {
		return nil, &LimitError{"number of bounds", fmt.Sprint(limits.size()), fmt.Sprintf("%d, one for each number of an action", n)}
	}
	var err error
	a.governor, err = NewGovernor(*limits)
	return a, err
}

// Start forgets all observations and actions. at is where the commands of the robot are, in
// the units of actions, at rest; it may be nil without limits.
func (a *Actor) Start(at []float32) error {
	a.history, a.queue, a.plans = nil, nil, 0
	if a.governor == nil {
		return nil
	}
	return a.governor.Start(at)
}

// Act takes an observation, of which it keeps a copy, and returns the action to do next, in the units of the data set.
// The first observation stands for those before it. One that cannot be used is an
// [ObservationError] and is forgotten, also where an action is left that needs no plan. With
// limits and before [Actor.Start] there is a [LimitError], and no action.
func (a *Actor) Act(ctx context.Context, o Observation) ([]float32, error) {
	if a.governor != nil {
		if err := a.governor.started(); err != nil {
			return nil, err
		}
	}
	if err := a.policy.check(o); err != nil {
		return nil, err
	}
	o = a.policy.kept(o)
	steps := a.policy.config.ObservationSteps
	history := append(slices.Clone(a.history), o)
	for len(history) < steps {
		history = append(history, o)
	}
	history = history[len(history)-steps:]
	a.history = history // also where no plan can be made: the next observation has another history
	width := a.policy.config.Action.Size()
	if len(a.queue) == 0 {
		if err := a.plan(ctx, history); err != nil {
			return nil, err
		}
	}
	action := slices.Clone(a.queue[:width])
	a.queue = a.queue[width:]
	if a.governor == nil {
		return action, nil
	}
	return action, a.governor.Next(action, action)
}

// plan draws the next actions.
func (a *Actor) plan(ctx context.Context, history []Observation) error {
	condition, err := a.policy.Condition(ctx, history)
	if err != nil {
		return err
	}
	s := a.sampling
	s.Noise = a.noise()
	plan, err := a.policy.Plan(ctx, condition, s)
	if err != nil {
		return err
	}
	a.queue = slices.Clone(plan.Executed(0))
	a.plans++
	return nil
}

// noise returns what the next plan is drawn from. Every plan has noise of its own, also of a field that was given;
// any other source is told the same addresses again.
func (a *Actor) noise() noise.Source {
	field := noise.New(a.sampling.Seed)
	switch given := a.sampling.Noise.(type) {
	case nil:
	case noise.Field:
		field = given
	default:
		return given
	}
	return field.Sub(fmt.Sprintf("plan %d", a.plans))
}

// Plans returns how many plans have been drawn since the start.
func (a *Actor) Plans() int { return a.plans }
