package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/cost"
	"github.com/go-pcd/pcd/policy"
	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// coupled is the strength of the coupling, and keep the distance at which it begins, in metres.
const (
	coupled = 220
	keep    = 1.5 * apart
	plans   = 6 // that are made one after the other
)

// robot is an arm with its policy.
type robot struct {
	arm
	policy      *policy.Policy
	scale, zero [joints]float64 // from what the policy draws to radians
	limits      project.Exact   // of a plan, as the policy draws it
}

// newRobot finds how the policy scales angles, and the joint limits in its units: the widest whose
// angles, as they are commanded in float32, are within.
func newRobot(a arm, p *policy.Policy) (*robot, error) {
	r := &robot{arm: a, policy: p}
	for i := range joints {
		low, high := r.commanded(i, -1), r.commanded(i, 1)
		r.scale[i], r.zero[i] = (high-low)/2, (high+low)/2
	}
	var low, high []float64
	for range horizon {
		for i := range joints {
			low = append(low, r.bound(i, a.low[i], 1))
			high = append(high, r.bound(i, a.high[i], -1))
		}
	}
	var err error
	r.limits, err = project.NewBox(low, high)
	return r, err
}

// commanded returns the angle of a joint that a drawn number stands for.
func (r *robot) commanded(joint int, drawn float32) float64 {
	b := tensor.New(1, 1, joints)
	b.Data[joint] = drawn
	r.policy.Unnormalize(b, b)
	return float64(b.Data[joint])
}

// bound returns the drawn number next to an angle on the side that is allowed.
func (r *robot) bound(joint int, angle, inwards float64) float64 {
	x := float32((angle - r.zero[joint]) / r.scale[joint])
	for inwards*(r.commanded(joint, x)-angle) < 0 {
		x = math.Nextafter32(x, float32(math.Inf(int(inwards))))
	}
	return float64(x)
}

// angles returns the angles that drawn numbers stand for.
func (r *robot) angles(drawn []float32) []float64 {
	q := make([]float64, joints)
	for i, v := range drawn {
		q[i] = r.zero[i] + r.scale[i]*float64(v)
	}
	return q
}

// task is where two arms begin and where their hands should go: past one another.
type task struct {
	start [2][joints]float64
	place [2][2]float64
}

func newTasks(n int, seed uint64) (out []task) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range n {
		t := task{}
		for i, a := range arms {
			for t.start[i] = a.rest(r); !a.within(t.start[i]); {
				t.start[i] = a.rest(r)
			}
			t.place[i] = [2]float64{-math.Copysign(0.05+0.15*r.Float64(), a.base[0]), 0.4 + 0.3*r.Float64()}
		}
		out = append(out, t)
	}
	return out
}

// drive is what pairs of arms did: the angles at every step.
type drive struct {
	strength  float64
	angles    [][2][][joints]float64 // by task, arm and step
	certified bool
}

// driveAll drives the pairs of all tasks, planning anew when a plan is used up.
func driveAll(ctx context.Context, pair [2]*robot, tasks []task, strength float64) (*drive, error) {
	d := &drive{strength: strength, angles: make([][2][][joints]float64, len(tasks)), certified: true}
	for k, t := range tasks {
		for i, q := range t.start {
			d.angles[k][i] = append(d.angles[k][i], q)
		}
	}
	for n := range plans {
		res, err := d.plan(ctx, pair, tasks, uint64(n))
		if err != nil {
			return nil, err
		}
		d.certified = d.certified && res.Certificate.Certified
		for i, r := range pair {
			actions := res.Samples[i].Clone()
			r.policy.Unnormalize(actions, actions)
			for k := range tasks {
				for h := range executed {
					d.angles[k][i] = append(d.angles[k][i], read(actions.Sample(k)[h*joints:]))
				}
			}
		}
	}
	return d, nil
}

// plan draws the next plans of all pairs together.
func (d *drive) plan(ctx context.Context, pair [2]*robot, tasks []task, seed uint64) (*pcd.Result, error) {
	var problem pcd.Problem
	for i, r := range pair {
		var seen [][]policy.Observation
		for k, t := range tasks {
			state := make([]float32, joints)
			write(state, d.angles[k][i][len(d.angles[k][i])-1])
			place := []float32{float32(t.place[i][0]), float32(t.place[i][1])}
			seen = append(seen, []policy.Observation{{Vectors: map[string][]float32{"observation.state": state, "observation.environment_state": place}}})
		}
		condition, err := r.policy.Condition(ctx, seen...)
		if err != nil {
			return nil, err
		}
		model, err := r.policy.Bind(condition)
		if err != nil {
			return nil, err
		}
		problem.Variables = append(problem.Variables, pcd.Variable{Name: r.name, Model: model, Project: r.limits})
	}
	problem.Couplings = []pcd.Coupling{{Name: "hands", Cost: hands{pair, cost.Hinge{Range: keep}}, Strength: d.strength, Scale: pcd.ByNoiseRate, At: pcd.AtEstimate}}
	var err error
	if problem.Dynamics, err = pair[0].policy.Dynamics(policy.Sampling{}); err != nil {
		return nil, err
	}
	return pcd.Sample(ctx, problem, pcd.Options{Samples: len(tasks), Seed: seed})
}

// distances returns how far the hands of a task were from one another, by step.
func (d *drive) distances(k int) (out []float64) {
	for h := range d.angles[k][0] {
		a, b := arms[0].hand(d.angles[k][0][h][:]), arms[1].hand(d.angles[k][1][h][:])
		out = append(out, math.Hypot(a[0]-b[0], a[1]-b[1]))
	}
	return out
}

// summary says how near hands came to one another and to their places, and judges the angles that
// were commanded by the limits alone.
func (d *drive) summary(tasks []task) string {
	near, off, excess, touching := 0, 0.0, math.Inf(-1), 0
	for k, t := range tasks {
		if slices.Min(d.distances(k)) < apart {
			near++
		}
		for i, a := range arms {
			steps := d.angles[k][i]
			h := a.hand(steps[len(steps)-1][:])
			off += math.Hypot(h[0]-t.place[i][0], h[1]-t.place[i][1]) / float64(2*len(tasks))
			for _, q := range steps[1:] {
				for j, v := range q {
					e := max(a.low[j]-v, v-a.high[j])
					excess = max(excess, e)
					if e > -1e-6 {
						touching++
					}
				}
			}
		}
	}
	return fmt.Sprintf("strength %3g: hands nearer than %g m in %d of %d pairs, %.3f m from their places at the end; joint limits kept: %v (certified: %v), %d angles lie on one",
		d.strength, apart, near, len(tasks), off, excess <= 0, d.certified, touching)
}
