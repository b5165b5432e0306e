package experiment

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/metric"
)

// Stat is a mean with the standard deviation over samples, as published, and the
// 95 % interval of the mean.
type Stat struct {
	Mean float64 `json:"mean"`
	Std  float64 `json:"std"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// StatOf returns an estimate as a table shows it.
func StatOf(e metric.Estimate) Stat {
	return Stat{Mean: e.Mean, Std: e.Std, Lo: e.Interval.Lo, Hi: e.Interval.Hi}
}

// Certain returns s without an interval: a certified rate is no estimate.
func (s Stat) Certain() Stat { return Stat{Mean: s.Mean, Std: s.Std, Lo: s.Mean, Hi: s.Mean} }

// Smallest returns the stat of the smallest mean; of equal ones the first.
func Smallest(stats []Stat) Stat {
	least := Stat{Mean: math.Inf(1)}
	for _, s := range stats {
		if s.Mean < least.Mean {
			least = s
		}
	}
	return least
}

// SmallestMean returns the smallest mean, which the paper's text tabulates.
func SmallestMean(stats []Stat) float64 { return Smallest(stats).Mean }

// AverageMean returns the mean of the means.
func AverageMean(stats []Stat) float64 {
	sum := 0.0
	for _, s := range stats {
		sum += s.Mean
	}
	return sum / float64(len(stats))
}

// PublishedRow is a row of a transcribed table: its fields in order, after those of
// the first row, which names them.
type PublishedRow []string

// ReadPublished reads a transcribed table that is part of the program. It panics
// when the table is broken.
func ReadPublished(table string) []PublishedRow {
	rows, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil {
		panic(err) // part of the program
	}
	out := make([]PublishedRow, 0, len(rows))
	for _, r := range rows[1:] {
		out = append(out, r)
	}
	return out
}

// Number returns a field that holds one number.
func (r PublishedRow) Number(field int) float64 { return r.numbers(field)[0] }

// Stats pairs a field of means with one of standard deviations. Published numbers
// have no interval.
func (r PublishedRow) Stats(means, stds int) []Stat {
	var out []Stat
	s := r.numbers(stds)
	for i, m := range r.numbers(means) {
		out = append(out, Stat{Mean: m, Std: s[i], Lo: m, Hi: m})
	}
	return out
}

// Stat is Stats for one member.
func (r PublishedRow) Stat(mean, std int) Stat { return r.Stats(mean, std)[0] }

func (r PublishedRow) numbers(field int) []float64 {
	var out []float64
	for _, f := range strings.Fields(r[field]) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			panic(err) // part of the program
		}
		out = append(out, v)
	}
	return out
}
