package nav2d

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/experiment"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
	"github.com/go-pcd/pcd/plan"
)

// CellResult is what a cell gave so far. It grows trial by trial.
type CellResult struct {
	experiment.Header[Cell]
	Trials   int                 `json:"trials"`   // that are done
	Measures map[string]Measures `json:"measures"` // by speed limit
	// CertifiedTrials counts the trials whose samples were all certified.
	CertifiedTrials int              `json:"certified_trials"`
	MaxViolation    experiment.Worst `json:"max_violation"` // worst step of all trials; 0 or less when certified
	// Searches counts the ways in which searches ended.
	Searches map[plan.SearchStatus]int `json:"searches,omitempty"`

	Seconds pcd.Seconds `json:"seconds"` // of all trials together

	Tally map[string]*navmetric.Tally `json:"tally"` // by speed limit: what Measures summarise, to go on from
}

// Measures are the columns of the published tables, and some more.
type Measures struct {
	SU           experiment.Stat   `json:"su"`
	RS           experiment.Stat   `json:"rs"`
	CS           []experiment.Stat `json:"cs"`
	DA           []experiment.Stat `json:"da"`
	ObstacleSafe experiment.Stat   `json:"obstacle_safe"`
	Feasible     experiment.Stat   `json:"feasible"`
}

func measures(s navmetric.Summary) Measures {
	stat := experiment.StatOf
	m := Measures{SU: stat(s.Success), RS: stat(s.Safe), ObstacleSafe: stat(s.Clear), Feasible: stat(s.Feasible)}
	for i := range s.WithinLimit {
		m.CS = append(m.CS, stat(s.WithinLimit[i]))
		m.DA = append(m.DA, stat(s.Adherence[i]))
	}
	return m
}

// Progress implements part of [experiment.Result].
func (r *CellResult) Progress(of Cell) (done, total int) { return min(r.Trials, of.Trials), of.Trials }

// Certified reports whether the method projects and every sample of every trial was
// found to keep its limits.
func (r *CellResult) Certified() bool {
	return r.Cell.Method.Projected() && r.CertifiedTrials == r.Trials
}

// Limit returns the measures at a speed limit.
func (r *CellResult) Limit(limit float64) (Measures, bool) {
	m, ok := r.Measures[limitKey(limit)]
	return m, ok
}

func limitKey(limit float64) string { return strconv.FormatFloat(limit, 'g', -1, 64) }

// add adds the result of the next trial.
func (r *CellResult) add(p *plan.Result) {
	r.Trials++
	if r.Tally == nil {
		r.Measures, r.Tally = map[string]Measures{}, map[string]*navmetric.Tally{}
	}
	for _, limit := range r.Cell.Limits {
		key := limitKey(limit)
		if r.Tally[key] == nil {
			r.Tally[key] = new(navmetric.Tally)
		}
		r.Tally[key].Add(p.Judged, slices.Repeat([]float64{limit}, r.Cell.Robots))
		r.Measures[key] = measures(r.Tally[key].Summary())
	}
	if s := p.Search; s != nil {
		if r.Searches == nil {
			r.Searches = map[plan.SearchStatus]int{}
		}
		r.Searches[s.Status]++
	}
	if p.SampleLimits.Certified {
		r.CertifiedTrials++
	}
	r.MaxViolation.Add(p.SampleLimits.MaxViolation)
	r.Seconds.Add(p.Seconds)
}

// Check implements part of [experiment.Result].
func (r *CellResult) Check() error {
	if err := r.Cell.check(); err != nil {
		return err
	}
	done := float64(r.Trials)
	if err := experiment.CheckBounds(
		experiment.Bound{Name: "trials", Value: done, High: mostTrials},
		experiment.Bound{Name: "certified_trials", Value: float64(r.CertifiedTrials), High: done},
	); err != nil || r.Trials == 0 {
		return err
	}
	for _, limit := range r.Cell.Limits {
		if err := r.checkLimit(limitKey(limit)); err != nil {
			return fmt.Errorf("at limit %g: %w", limit, err)
		}
	}
	return nil
}

// checkLimit checks what there is of a limit.
func (r *CellResult) checkLimit(key string) error {
	m, t, robots := r.Measures[key], r.Tally[key], r.Cell.Robots
	switch {
	case len(m.CS) != robots || len(m.DA) != robots:
		return fmt.Errorf("measures of %d robots, want %d", min(len(m.CS), len(m.DA)), robots)
	case t == nil:
		return fmt.Errorf("there is no tally")
	case t.Trials != r.Trials || len(t.FirstFeasible) != r.Trials:
		return fmt.Errorf("a tally of %d trials, want %d", t.Trials, r.Trials)
	case t.Robots != robots || len(t.WithinLimit) != robots || len(t.Adherence) != robots:
		return fmt.Errorf("a tally of %d robots, want %d", t.Robots, robots)
	}
	return nil
}

// check returns an error for a cell that no evaluation has.
func (c Cell) check() error {
	if _, err := nav2d.MapByName(c.Map); err != nil {
		return err
	}
	if _, err := plan.ParseMethod(string(c.Method)); err != nil {
		return err
	}
	if len(c.Limits) == 0 {
		return fmt.Errorf("it has no limits")
	}
	if err := experiment.CheckPositive("limits", c.Limits...); err != nil {
		return err
	}
	return errors.Join(experiment.CheckNumbers(SpecRobots, float64(c.Robots)), experiment.CheckNumbers(SpecTrials, float64(c.Trials)), experiment.CheckNumbers(SpecSamples, float64(c.Samples)))
}
