package toy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/metric"
	"github.com/go-pcd/pcd/internal/plural"
)

// Spec says which cells an evaluation of the special cases has.
type Spec struct {
	Pairs   []string `json:"pairs"` // of groups that should have one law, see [ComparedPairs]
	Seeds   int      `json:"seeds"`
	First   uint64   `json:"first"`   // of the seeds
	Samples int      `json:"samples"` // per group
	Gamma   float64  `json:"gamma"`
}

// PublishedSpec returns the published protocol, with ten seeds instead of one.
func PublishedSpec() Spec {
	return Spec{Pairs: ComparedPairs(), Seeds: 10, Samples: verifySamples, Gamma: jointStrength}
}

// Cell is the comparison of one pair of groups, seed by seed.
type Cell struct {
	Pair    string  `json:"pair"`
	Seeds   int     `json:"seeds"`
	First   uint64  `json:"first"`
	Samples int     `json:"samples"`
	Gamma   float64 `json:"gamma"`
}

// Cells implements [experiment.Spec].
func (s Spec) Cells() ([]Cell, error) {
	var cells []Cell
	for _, pair := range s.Pairs {
		c := Cell{pair, s.Seeds, s.First, s.Samples, s.Gamma}
		if err := c.check(); err != nil {
			return nil, fmt.Errorf("toy: %w", err)
		}
		cells = append(cells, c)
	}
	return cells, nil
}

func (c Cell) check() error {
	if _, ok := published[c.Pair]; !ok {
		return fmt.Errorf("unknown pair %q; the pairs are %s", c.Pair, strings.Join(ComparedPairs(), ", "))
	}
	if err := CheckPairs(c.Samples); err != nil {
		return err
	}
	return errors.Join(experiment.CheckNumbers(SpecSeeds, float64(c.Seeds)), experiment.CheckNumbers(SpecSamples, float64(c.Samples)), experiment.CheckNumbers(SpecGamma, c.Gamma))
}

// Name implements part of [experiment.Cell].
func (c Cell) Name() string { return c.Pair }

// Sized implements part of [experiment.Cell]: seeds add up.
func (c Cell) Sized(like Cell) Cell {
	c.Seeds = like.Seeds
	return c
}

// Settings implements part of [experiment.Cell]: nothing in a cell is a mere name.
func (c Cell) Settings() (any, error) { return nil, nil }

// CellResult is what a cell gave so far. It grows seed by seed.
type CellResult struct {
	experiment.Header[Cell]
	Divergences []metric.Divergence `json:"divergences"` // by seed
}

// Progress implements part of [experiment.Result].
func (r *CellResult) Progress(of Cell) (done, total int) {
	return min(len(r.Divergences), of.Seeds), of.Seeds
}

// Check implements part of [experiment.Result].
func (r *CellResult) Check() error { return r.Cell.check() }

// New returns the experiment: the special cases against separate implementations of
// them, as in appendix C.1.
func New() *experiment.Experiment[Spec, Cell, *CellResult] {
	return &experiment.Experiment[Spec, Cell, *CellResult]{
		Name: "toy", Unit: "seeds",
		New: func() *CellResult { return new(CellResult) },
		Prepare: func(c Cell) (experiment.Work[*CellResult], error) {
			return experiment.Work[*CellResult]{Run: c.run}, nil
		},
		Tables: report,
	}
}

// run adds the seeds that a result lacks.
func (c Cell) run(ctx context.Context, r *CellResult, workers int, after func() error) error {
	for i := len(r.Divergences); i < c.Seeds; i++ {
		seed := c.First + uint64(i)
		row, err := VerifyPair(ctx, c.Pair, VerifyOptions{Samples: c.Samples, Seed: &seed, Strength: &c.Gamma, Workers: workers})
		if err != nil {
			return err
		}
		r.Divergences = append(r.Divergences, row.Divergence)
		if err := after(); err != nil {
			return err
		}
	}
	return nil
}

// measures are the columns of the table.
type measures struct {
	JS experiment.Stat `json:"js"`
	TV experiment.Stat `json:"tv"`
	L2 experiment.Stat `json:"l2"`
}

var columns = []experiment.Column[measures]{
	column("js", "JS (nats)", func(m measures) experiment.Stat { return m.JS }),
	column("tv", "TV", func(m measures) experiment.Stat { return m.TV }),
	column("l2", "L2", func(m measures) experiment.Stat { return m.L2 }),
}

func column(key, header string, of func(measures) experiment.Stat) experiment.Column[measures] {
	return experiment.Column[measures]{
		Key: key, Header: header, Of: func(m measures) []experiment.Stat { return []experiment.Stat{of(m)} },
		Overall: experiment.AverageMean, Scale: 1, Format: "%.2e", Difference: "%+.2e", Spread: true,
	}
}

// row compares one pair.
type row struct {
	Pair  string `json:"pair"`
	Seeds int    `json:"seeds"` // of ours
	experiment.Comparison[measures]
}

// report puts the means over seeds beside the published table of appendix C.1.
func report(results map[string]*CellResult) (experiment.Report, error) {
	view := experiment.NewView("Divergence of special cases", []string{"pair"}, columns)
	var rows []row
	for _, pair := range ComparedPairs() {
		line := row{Pair: pair}
		if r := results[pair]; r != nil && len(r.Divergences) > 0 {
			line.Seeds, line.Ours = len(r.Divergences), r.measures()
		}
		p := published[pair]
		experiment.Compare(&line.Comparison, measures{JS: experiment.Stat{Mean: p.JS}, TV: experiment.Stat{Mean: p.TV}, L2: experiment.Stat{Mean: p.L2}}, columns)
		experiment.AddRow(&view, []string{pair}, plural.Of(line.Seeds, "seed"), line.Comparison, columns)
		rows = append(rows, line)
	}
	return experiment.Report{Views: []experiment.View{view}, Data: rows}, nil
}

// measures returns the means over seeds.
func (r *CellResult) measures() *measures {
	over := func(of func(metric.Divergence) float64) experiment.Stat {
		var values []float64
		for _, d := range r.Divergences {
			values = append(values, of(d))
		}
		mean, variance := metric.Moments(values)
		interval := metric.ClusteredMean(values)
		return experiment.Stat{Mean: mean, Std: math.Sqrt(variance), Lo: interval.Lo, Hi: interval.Hi}
	}
	return &measures{
		JS: over(func(d metric.Divergence) float64 { return d.JS }), TV: over(func(d metric.Divergence) float64 { return d.TV }),
		L2: over(func(d metric.Divergence) float64 { return d.L2 }),
	}
}
