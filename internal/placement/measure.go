package placement

import (
	"context"
	"math"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/schedule"
	"github.com/go-pcd/pcd/tensor"
)

// Place is where projections act.
type Place string

// The places.
const (
	None     Place = "none"     // there are no projections
	State    Place = "state"    // noisy states after steps, as published
	Estimate Place = "estimate" // estimates of the clean samples before steps
)

// Places lists them in the order of the table.
var Places = []Place{None, State, Estimate}

// Measure is a number of an experiment over its samples.
type Measure struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	SE   float64 `json:"se"` // standard error of the mean
	N    int     `json:"n"`
}

// Row is what one placement gave.
type Row struct {
	Experiment string `json:"experiment"`
	Dynamics   string `json:"dynamics"`
	Steps      int    `json:"steps"`
	Place      Place  `json:"place"`
	Samples    int    `json:"samples"` // of all instances together
	// StatesOutside is how far states after steps but the last are outside of their sets, in
	// the units of the set: the mean over steps, samples and variables.
	StatesOutside float64 `json:"states_outside"`
	// SamplesOutside is the same of the samples, which is 0 after projections.
	SamplesOutside float64 `json:"samples_outside"`
	// Distance is the energy distance to samples of the same problem without projections,
	// by root of the dimension, mean of variables.
	Distance  float64   `json:"distance"`
	Measures  []Measure `json:"measures"`
	Certified bool      `json:"certified"`
	Seconds   float64   `json:"seconds"`
}

// instance is a problem of an experiment with what is measured of its samples: a number for
// each sample by name.
type instance struct {
	problem pcd.Problem
	samples int
	seed    uint64
	measure func(ctx context.Context, samples []tensor.Batch) (map[string][]float64, error)
}

// run samples an instance with projections at a place.
func (in instance) run(ctx context.Context, place Place, seed uint64, workers int) (*pcd.Result, float64, error) {
	p := in.problem
	p.Variables = append([]pcd.Variable(nil), p.Variables...)
	switch place {
	case None:
		p.Constraints = nil
		for i := range p.Variables {
			p.Variables[i].Project = nil
		}
	case Estimate:
		p.Cadence.At = pcd.AtEstimate
	}
	outside := 0.0
	watch := pcd.ObserverFunc(func(info pcd.StepInfo) error {
		if info.Step > 0 {
			outside += in.outside(func(i int) tensor.Batch { return info.Samples(i) }) / float64(info.Total-1)
		}
		return nil
	})
	r, err := pcd.Sample(ctx, p, pcd.Options{Samples: in.samples, Seed: seed, Workers: workers, Observer: watch})
	return r, outside, err
}

// outside returns how far values are outside of the sets of their variables in the mean.
func (in instance) outside(of func(i int) tensor.Batch) float64 {
	sum, n := 0.0, 0
	for i, v := range in.problem.Variables {
		if v.Project == nil {
			continue
		}
		x := of(i)
		violation := make([]float64, x.N)
		v.Project.Violation(violation, x)
		for _, u := range violation {
			sum += max(u, 0)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// energy returns the energy distance of two sets of samples, by root of the dimension. Source:
// Székely and Rizzo, "Energy statistics" (2013).
func energy(a, b tensor.Batch) float64 {
	return (2*apart(a, b) - apart(a, a) - apart(b, b)) / math.Sqrt(float64(a.Size()))
}

// apart returns the mean distance of the samples of two sets; of one set, of different ones.
func apart(a, b tensor.Batch) float64 {
	same := &a.Data[0] == &b.Data[0]
	sum, n := 0.0, 0
	for i := range a.N {
		for j := range b.N {
			if same && i == j {
				continue
			}
			d := 0.0
			for k, u := range a.Sample(i) {
				e := float64(u) - float64(b.Sample(j)[k])
				d += e * e
			}
			sum += math.Sqrt(d)
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// under returns a problem with other dynamics. Couplings that are scaled by what these do not
// have are scaled by what is the same under DDPM.
func under(p pcd.Problem, d pcd.Dynamics) pcd.Problem {
	p.Dynamics = d
	p.Couplings = append([]pcd.Coupling(nil), p.Couplings...)
	for i := range p.Couplings {
		if c := &p.Couplings[i]; c.Scale == pcd.ByNoiseRate && d.Transition(0, schedule.Epsilon).NoiseRate == 0 {
			c.Scale = pcd.ByPrediction
		}
	}
	return p
}

// summary returns the mean of numbers with its standard error.
func summary(name string, v []float64) Measure {
	m := Measure{Name: name, N: len(v)}
	for _, x := range v {
		m.Mean += x / float64(len(v))
	}
	for _, x := range v {
		m.SE += (x - m.Mean) * (x - m.Mean)
	}
	if len(v) > 1 {
		m.SE = math.Sqrt(m.SE / float64(len(v)-1) / float64(len(v)))
	}
	return m
}
