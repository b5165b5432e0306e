package plan

import (
	"context"
	"fmt"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/dataset"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/noise"
	"github.com/go-pcd/pcd/plan/internal/mmd"
	"github.com/go-pcd/pcd/tensor"
)

// mpd is the low-level planner of the search methods: it samples one robot, guided
// away from obstacles and out of its constraints, with start and goal held from
// the first step to the last, and smooths what comes out.
//
// Whether a path is free, and what it costs, is judged before it is smoothed, as
// in the reference.
//
// Source: Carvalho et al., "Motion Planning Diffusion" (IROS 2023), as used by
// Shaoul et al., "Multi-Robot Motion Planning with Diffusion Models" (ICLR 2025).
type mpd struct {
	team     Team
	settings Settings
	samples  int
	noise    noise.Source
	workers  int
	progress func(done, total int) // of the first plans of all robots; may be nil
	filter   *savitzkyGolay
	seconds  pcd.Seconds // of all plans
}

// The constants of the reference.
const (
	searchObstacleWeight = 0.1 // on all maps
	// warmStep is the noise level to which a seed is diffused; the steps below it
	// are then undone.
	warmStep = 3
)

// newMPD returns the planner of a search for a team. It works in map units,
// whatever those of the task.
func newMPD(t Team, o Options) *mpd {
	t.Frame = nav2d.Frame{}
	m := &mpd{
		team: t, settings: o.Settings, samples: o.Samples, noise: o.Noise, workers: o.Workers,
		progress: o.Progress, filter: newSavitzkyGolay(smoothingWindow),
	}
	if m.noise == nil {
		m.noise = noise.New(o.Seed)
	}
	return m
}

// Plan implements [lowLevel].
func (m *mpd) Plan(ctx context.Context, r mmd.Request) (*mmd.Batch, error) {
	p, err := m.problem(r)
	if err != nil {
		return nil, err
	}
	o := pcd.Options{Samples: m.samples, Workers: m.workers, Noise: m.source(r)}
	if m.progress != nil && r.Replan == 0 {
		o.Observer = pcd.ObserverFunc(func(i pcd.StepInfo) error {
			m.progress(r.Robot*i.Total+i.Done, len(m.team.Robots)*i.Total)
			return nil
		})
	}
	res, err := pcd.Sample(ctx, p, o)
	if res != nil {
		m.spent(res.Seconds)
	}
	if err != nil {
		return nil, fmt.Errorf("plan: %s: %w", m.team.Robots[r.Robot].Name, err)
	}
	return m.finish(r.Robot, res.Samples[0]), nil
}

// problem returns the sampling problem of a request.
func (m *mpd) problem(r mmd.Request) (pcd.Problem, error) {
	solo := m.team
	solo.Robots = solo.Robots[r.Robot : r.Robot+1]
	held := m.settings
	held.PinGoal = true
	v, err := solo.variable(solo.Robots[0], false, held)
	if err != nil {
		return pcd.Problem{}, err
	}
	ddpm := pcd.DDPM{Schedule: solo.Robots[0].Model.schedule, Clip: 1, NoiseScale: m.settings.NoiseScale}
	p := pcd.Problem{Dynamics: ddpm, BeforeNoise: heldMeans{v}}
	if r.Seed != nil && ddpm.Steps() > warmStep {
		p.Dynamics = lastSteps{ddpm, warmStep}
		v.Init = pcd.Values(m.diffuse(r, ddpm))
	}
	p.Variables = []pcd.Variable{v}
	obstacles, boundary := solo.obstacles(false) // the weight of the search is that of the hinge
	p.Couplings = []pcd.Coupling{
		solo.guidance("obstacles", obstacles, searchObstacleWeight, m.settings),
		solo.guidance("boundary", boundary, searchObstacleWeight, m.settings),
	}
	atWaypoints := m.settings
	atWaypoints.Between = 0 // a constraint is about numbered waypoints
	for k, c := range r.Constraints {
		of := c.Cost(solo.Robots[0].Model.Waypoints())
		p.Couplings = append(p.Couplings, solo.guidance(fmt.Sprint("constraint ", k), of, c.Weight(), atWaypoints))
	}
	return p, nil
}

// lastSteps are the last steps of other dynamics.
type lastSteps struct {
	pcd.Dynamics
	steps int
}

// Steps implements [pcd.Dynamics].
func (d lastSteps) Steps() int { return d.steps }

// String implements [pcd.Dynamics].
func (d lastSteps) String() string {
	return fmt.Sprintf("last %d steps of %v", d.steps, d.Dynamics)
}

// diffuse returns the seed of a request, normalised and noised. The noise is that
// of an initial state, which a warm start does not need.
func (m *mpd) diffuse(r mmd.Request, d pcd.DDPM) tensor.Batch {
	x := tensor.New(r.Seed.States.N, r.Seed.States.Shape...)
	m.team.Robots[r.Robot].Model.Limits.Normalize(x, r.Seed.States)
	eps := tensor.New(x.N, x.Shape...)
	m.source(r).Normal(eps.Data, eps.Size(), noise.Address{})
	d.Schedule.At(warmStep).Diffuse(x.Data, x.Data, eps.Data)
	return x
}

// source returns the noise of a request. Robots and replans have their own, so
// that a path depends on nothing but its request; the first plan of a robot has
// the noise that the joint methods give it.
func (m *mpd) source(r mmd.Request) noise.Source {
	draws := m.team.Robots[r.Robot].Model.schedule.Len() + 1
	return shifted{m.noise, noise.Address{Variable: r.Robot, Draw: r.Replan * draws}}
}

// shifted is another source from an address on.
type shifted struct {
	noise.Source
	by noise.Address
}

// Normal implements [noise.Source].
func (s shifted) Normal(dst []float32, size int, at noise.Address) {
	at.Variable += s.by.Variable
	at.Draw += s.by.Draw
	s.Source.Normal(dst, size, at)
}

// finish brings samples to map units, judges and smooths them.
func (m *mpd) finish(robot int, x tensor.Batch) *mmd.Batch {
	r := m.team.Robots[robot]
	rule := m.settings.clip()
	if rule == dataset.ClipBatch {
		rule = batchRule([]tensor.Batch{x})
	}
	r.Model.Limits.Unnormalize(x, x, rule)
	b := &mmd.Batch{States: tensor.New(x.N, x.Shape...), Best: -1}
	cheapest := math.Inf(1)
	var path []geom.Vec2
	for k := range x.N {
		path = geom.Points(path, x.Sample(k), channels)
		if m.team.Map.PathFree(path, r.Radius) {
			b.Free = append(b.Free, k)
			if c := geom.Length(path) + velocityChange(x.Sample(k)); c < cheapest {
				b.Best, cheapest = k, c
			}
		}
		smooth(m.filter, b.States.Sample(k), x.Sample(k), channels)
	}
	if m.settings.PinGoal {
		m.team.restoreEnds(b.States, r)
	}
	return b
}

// velocityChange returns how much the velocity changes along a trajectory.
func velocityChange(s []float32) float64 {
	sum := 0.0
	for at := channels; at < len(s); at += channels {
		sum += math.Hypot(float64(s[at+2])-float64(s[at-channels+2]), float64(s[at+3])-float64(s[at-channels+3]))
	}
	return sum
}

// spent adds the time of one plan.
func (m *mpd) spent(s pcd.Seconds) {
	m.seconds.Model += s.Model
	m.seconds.Coupling += s.Coupling
	m.seconds.Projection += s.Projection
	m.seconds.Other += s.Other
}
