package pcd

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-pcd/pcd/project"
	"github.com/go-pcd/pcd/tensor"
)

// Result is what a run gives: samples never come without their status,
// statistics and certificate.
type Result struct {
	Samples          []tensor.Batch // one batch per variable, in the problem's order
	Status           Status
	Steps            int              // steps finished
	Accepted         int              // of them, those that the acceptor left uncoupled
	Projections      []project.Report // per variable: all its projections together
	JointProjections []project.Report // per constraint of several variables, likewise
	Certificate      Certificate
	Seconds          Seconds
}

// result judges and counts what a run that ended with err left.
func (r *run) result(err error) *Result {
	out := &Result{Samples: r.states, Steps: r.done, Accepted: r.accepted, Status: r.status(err)}
	out.Projections = make([]project.Report, len(r.problem.Variables))
	out.JointProjections = make([]project.Report, len(r.problem.Constraints))
	for _, w := range r.workers {
		for i, report := range w.reports {
			out.Projections[i] = out.Projections[i].Merge(report)
		}
		for i, report := range w.joint {
			out.JointProjections[i] = out.JointProjections[i].Merge(report)
		}
	}
	out.Certificate = r.problem.certify(r.states)
	out.Certificate.limited(out.Projections, out.JointProjections)
	out.Seconds = r.seconds()
	return out
}

// status names the outcome of a run that ended with err.
func (r *run) status(err error) Status {
	switch {
	case err == nil:
		return Complete
	case r.observed != nil:
		return Stopped
	case r.interrupted(err):
		return Interrupted
	default:
		return Failed
	}
}

// Status says how a run ended.
type Status int

// The ways to end.
const (
	Complete    Status = iota
	Interrupted        // the context was cancelled
	Stopped            // the observer returned an error
	Failed             // a model, cost or projector returned an error
)

var statusNames = [...]string{"complete", "interrupted", "stopped", "failed"}

// String returns the name of the status.
func (s Status) String() string {
	if s < 0 || int(s) >= len(statusNames) {
		return fmt.Sprintf("Status(%d)", int(s))
	}
	return statusNames[s]
}

// Seconds says where the time of a run went. Total is wall-clock time, the parts
// are busy time summed over the goroutines.
type Seconds struct {
	Model      float64 `json:"model"`    // evaluating models, and their vector-Jacobian products
	Coupling   float64 `json:"coupling"` // costs and transforms
	Projection float64 `json:"projection"`
	Other      float64 `json:"other"` // noise, conditions, arithmetic
	Total      float64 `json:"total"`
}

// Divided returns the wall-clock time, divided as the busy time is: the parts add
// up to Total.
func (s Seconds) Divided() Seconds {
	busy := s.Model + s.Coupling + s.Projection + s.Other
	if busy == 0 {
		return Seconds{Other: s.Total, Total: s.Total}
	}
	f := s.Total / busy
	return Seconds{Model: f * s.Model, Coupling: f * s.Coupling, Projection: f * s.Projection, Other: f * s.Other, Total: s.Total}
}

// Add adds the parts and the total of another run.
func (s *Seconds) Add(o Seconds) {
	s.Model += o.Model
	s.Coupling += o.Coupling
	s.Projection += o.Projection
	s.Other += o.Other
	s.Total += o.Total
}

// seconds returns where the time went until now.
func (r *run) seconds() (s Seconds) {
	for _, w := range r.workers {
		s.Add(w.spent)
	}
	s.Total = time.Since(r.start).Seconds()
	return s
}

// stopwatch divides the time of a goroutine.
type stopwatch struct {
	spent Seconds
	part  *float64 // of spent, that the time since last belongs to
	last  time.Time
}

// during runs f and counts its time for a part of spent, but what f counts for others.
func (w *stopwatch) during(part *float64, f func() error) error {
	outer := w.part
	w.lap(part)
	err := f()
	w.lap(outer)
	return err
}

// lap counts the time since the last one, and goes on with another part.
func (w *stopwatch) lap(next *float64) {
	now := time.Now()
	if w.part != nil {
		*w.part += now.Sub(w.last).Seconds()
	}
	w.part, w.last = next, now
}

// Certificate says whether the samples satisfy their constraints, judged by the
// sets in the stored float32 after the run.
type Certificate struct {
	// Certified is true when there is a constraint and no sample violates any.
	Certified    bool
	MaxViolation float64          // worst violation of any constraint; 0 or less when certified
	Variables    []SetCertificate // of each variable's own set
	Constraints  []SetCertificate // of the sets of several variables
}

// SetCertificate is the part of a [Certificate] of one set.
type SetCertificate struct {
	Name         string  // of the variable or constraint
	Constrained  bool    // false for a variable without a set
	MaxViolation float64 // in the units of the set
	Worst        int     // sample number of the worst violation
	Limited      bool    // a projection onto it stopped at its iteration limit
}

// Err returns an [UncertifiedError] for the worst constraint that is violated, or
// nil.
func (c Certificate) Err() error {
	var worst *UncertifiedError
	for _, v := range slices.Concat(c.Variables, c.Constraints) {
		if v.Constrained && !(v.MaxViolation <= 0) && (worst == nil || v.MaxViolation > worst.Violation) {
			worst = &UncertifiedError{Set: v.Name, Sample: v.Worst, Violation: v.MaxViolation, Limited: v.Limited}
		}
	}
	if worst == nil {
		return nil
	}
	return worst
}

// certify judges samples by the sets of a problem.
func (p Problem) certify(samples []tensor.Batch) Certificate {
	var c Certificate
	for i, x := range samples {
		s := SetCertificate{Name: p.variableName(i), Constrained: p.Variables[i].Project != nil}
		if s.Constrained {
			all := make([]float64, x.N)
			p.Variables[i].Project.Violation(all, x)
			s.MaxViolation, s.Worst = worst(all, x.First)
		}
		c.Variables = append(c.Variables, s)
	}
	for i, k := range p.Constraints {
		var x []tensor.Batch
		for _, v := range p.arguments(k.Variables) {
			x = append(x, samples[v])
		}
		all := make([]float64, x[0].N)
		k.Project.Violation(all, x)
		s := SetCertificate{Name: p.constraintName(i), Constrained: true}
		s.MaxViolation, s.Worst = worst(all, x[0].First)
		c.Constraints = append(c.Constraints, s)
	}
	c.summarise()
	return c
}

// limited notes which projections stopped at their iteration limit.
func (c *Certificate) limited(variables, constraints []project.Report) {
	for i, r := range variables {
		c.Variables[i].Limited = r.Status == project.IterationLimit
	}
	for i, r := range constraints {
		c.Constraints[i].Limited = r.Status == project.IterationLimit
	}
}

// summarise fills the verdict over all sets.
func (c *Certificate) summarise() {
	constrained, violated := false, false
	for _, s := range slices.Concat(c.Variables, c.Constraints) {
		if !s.Constrained {
			continue
		}
		if !constrained || !(s.MaxViolation <= c.MaxViolation) {
			c.MaxViolation = s.MaxViolation
		}
		constrained = true
		violated = violated || !(s.MaxViolation <= 0)
	}
	c.Certified = constrained && !violated
}

// worst returns the largest violation and its sample number. NaN is worst.
func worst(all []float64, first int) (violation float64, sample int) {
	at := 0
	for k, v := range all {
		if !(v <= all[at]) {
			at = k
		}
	}
	return all[at], first + at
}
