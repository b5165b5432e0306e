package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/go-pcd/pcd"
	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/metric"
	"github.com/go-pcd/pcd/plan"
)

// planSummary is what "pcd plan" prints, in both forms.
type planSummary struct {
	Task        string             `json:"task"`
	Robots      int                `json:"robots"`
	Samples     int                `json:"samples"`
	Method      plan.Method        `json:"method"`
	Limit       float64            `json:"vmax"` // 0 when robots differ or have none
	Gamma       float64            `json:"gamma"`
	Seed        uint64             `json:"seed"`
	Trial       *int               `json:"trial,omitempty"`
	Preset      string             `json:"preset"`
	Metrics     planMetrics        `json:"metrics"`
	Certificate plan.Certificate   `json:"certificate"`
	Best        planBest           `json:"best"`
	Seconds     pcd.Seconds        `json:"seconds"`
	Search      *plan.SearchReport `json:"search,omitempty"`
	Files       []string           `json:"files"`
}

// planMetrics are the measures of the published tables, as rates in [0, 1].
type planMetrics struct {
	SU           float64   `json:"su"` // 1 when some joint sample is free of collisions
	RS           float64   `json:"rs"` // share of joint samples in which robots keep apart
	CS           []float64 `json:"cs"` // per robot: share of samples within the speed limit
	DA           []float64 `json:"da"` // per robot: adherence to the motion pattern
	ObstacleSafe float64   `json:"obstacle_safe"`
	Feasible     float64   `json:"feasible"` // share of joint samples that succeed within all limits
}

// planBest is the best joint sample with its trajectories.
type planBest struct {
	Sample        int                    `json:"sample"`
	Feasible      bool                   `json:"feasible"`
	Continuous    bool                   `json:"continuous"`     // nothing collides between waypoints either
	FirstFeasible int                    `json:"first_feasible"` // -1 for none
	Length        float64                `json:"length"`
	Separation    *float64               `json:"separation,omitempty"` // of two robots
	Clearance     *float64               `json:"clearance,omitempty"`  // from obstacles
	Trajectories  map[string][][]float32 `json:"trajectories"`         // waypoints (x, y, vx, vy) by robot
}

func newPlanBest(b plan.Best) planBest {
	return planBest{
		Sample: b.Sample, Feasible: b.Feasible, Continuous: b.Continuous, FirstFeasible: b.FirstFeasible, Length: b.Length,
		Separation: finite(b.Separation), Clearance: finite(b.Clearance), Trajectories: map[string][][]float32{},
	}
}

// finite returns nil for what JSON has no number for.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

func summarisePlan(task string, team plan.Team, o plan.Options, r *plan.Result) *planSummary {
	m := metric.SummariseNavigation([][]metric.NavSample{r.Judged}, r.Limits)
	s := &planSummary{
		Task: task, Robots: len(team.Robots), Samples: len(r.Judged), Method: o.Method, Gamma: o.Gamma, Seed: o.Seed,
		Preset: o.Settings.Name, Limit: commonLimit(r.Limits), Certificate: r.Certificate,
		Best: newPlanBest(r.Best), Seconds: r.Seconds.Divided(), Search: r.Search, Files: []string{},
		Metrics: planMetrics{SU: m.Success.Mean, RS: m.Safe.Mean, ObstacleSafe: m.Clear.Mean, Feasible: m.Feasible.Mean},
	}
	for i, robot := range team.Robots {
		s.Metrics.CS = append(s.Metrics.CS, m.WithinLimit[i].Mean)
		s.Metrics.DA = append(s.Metrics.DA, m.Adherence[i].Mean)
		x := r.Trajectories[i].Sample(r.Best.Sample)
		var way [][]float32
		for at := 0; at < len(x); at += nav2d.Channels {
			way = append(way, x[at:at+nav2d.Channels])
		}
		s.Best.Trajectories[robot.Name] = way
	}
	return s
}

// commonLimit returns the limit of all robots, 0 when they differ or have none.
func commonLimit(limits []float64) float64 {
	for _, l := range limits {
		if l != limits[0] || math.IsInf(l, 1) {
			return 0
		}
	}
	return limits[0]
}

func printPlan(w io.Writer, s *planSummary, asJSON bool) error {
	if asJSON {
		return printJSON(w, s)
	}
	fmt.Fprintf(w, "%s: %d robots, %d joint samples, %s", s.Task, s.Robots, s.Samples, s.Method)
	if s.Limit > 0 {
		fmt.Fprintf(w, ", speed limit %g", s.Limit)
	}
	fmt.Fprintf(w, ", preset %s\n", s.Preset)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	m := s.Metrics
	fmt.Fprintf(t, "robots keep apart\t%.1f %% of samples\n", 100*m.RS)
	fmt.Fprintf(t, "clear of obstacles\t%.1f %% of robots\n", 100*m.ObstacleSafe)
	fmt.Fprintf(t, "within the speed limit\t%s %% of samples, by robot\n", percentages(m.CS))
	fmt.Fprintf(t, "follow the motion pattern\t%s %%, by robot\n", percentages(m.DA))
	fmt.Fprintf(t, "all of that\t%.1f %% of samples\n", 100*m.Feasible)
	fmt.Fprintf(t, "speed certificate\t%s\n", verdict(s.Certificate))
	fmt.Fprintf(t, "best joint sample\t%s\n", describeBest(s.Best))
	if r := s.Search; r != nil {
		fmt.Fprintf(t, "search\t%s: %d conflicts after %d expansions and %d plans\n", r.Status, r.Conflicts, r.Expanded, r.Plans)
	}
	x := s.Seconds
	fmt.Fprintf(t, "time\t%.2f s: model %.2f, coupling %.2f, projection %.2f, other %.2f\n", x.Total, x.Model, x.Coupling, x.Projection, x.Other)
	if err := t.Flush(); err != nil {
		return err
	}
	for _, f := range s.Files {
		fmt.Fprintln(w, "wrote", f)
	}
	return nil
}

func percentages(v []float64) string {
	var parts []string
	for _, x := range v {
		parts = append(parts, fmt.Sprintf("%.1f", 100*x))
	}
	return strings.Join(parts, " / ")
}

func verdict(c plan.Certificate) string {
	if c.Certified {
		return fmt.Sprintf("certified for every sample; the fastest step stays %.2g below the limit", -c.MaxViolation)
	}
	if c.Robot == "" {
		return "no speed limit"
	}
	return fmt.Sprintf("none: %s exceeds its limit by %.3g in sample %d", c.Robot, c.MaxViolation, c.Sample)
}

func describeBest(b planBest) string {
	s := fmt.Sprintf("number %d, %.2f long in all", b.Sample, b.Length)
	if b.Separation != nil {
		s += fmt.Sprintf(", robots at least %.3f apart", *b.Separation)
	}
	switch {
	case !b.Feasible:
		return s + "; it collides or is too fast: try another --seed, more --samples or a stronger --gamma"
	case !b.Continuous:
		return s + "; it touches something between two waypoints"
	}
	return s
}
