package schedule_test

import (
	"testing"

	"github.com/go-pcd/pcd/schedule"
)

// TestLinspaceRoundsAsNumPy wants the timesteps of NumPy's linspace where halves are to be rounded: its multiples of a
// part lie to one side of them. The values are NumPy's.
func TestLinspaceRoundsAsNumPy(t *testing.T) {
	for n, want := range map[int]map[int]float64{
		27: {0: 999, 13: 499, 26: 0}, 31: {15: 499}, 103: {17: 833}, 199: {33: 833, 121: 389}, 371: {15: 959, 35: 905, 195: 473}, 487: {27: 943, 459: 55},
	} {
		g, err := scaledLinear(t).Grid(schedule.GridOptions{Steps: n, Spacing: schedule.Linspace})
		if err != nil {
			t.Fatal(err)
		}
		for k, at := range want {
			if got := g.From(k).Timestep; got != at {
				t.Errorf("%d steps: timestep %d is %v, want %v", n, k, got, at)
			}
		}
	}
}

// TestInteriorOfAllTimesteps wants as many steps as the training has where the grid needs no further one: trailing, and
// spaced sigmas, which lie between the ends of the training whichever timesteps a spacing has.
func TestInteriorOfAllTimesteps(t *testing.T) {
	s := scaledLinear(t)
	for _, o := range []schedule.GridOptions{
		{Steps: 1000, Spacing: schedule.Trailing}, {Steps: 1000, Spacing: schedule.Linspace, Sigmas: schedule.Karras}, {Steps: 1000, Sigmas: schedule.Geometric, Offset: 1},
		{Steps: 999, Sigmas: schedule.Karras, Offset: 1}, {Steps: 999, Spacing: schedule.Linspace},
	} {
		o.Family = schedule.Interior
		g, err := s.Grid(o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		if first := g.From(0).Timestep; first != 999 || g.Len() != o.Steps {
			t.Errorf("%+v: %d levels from timestep %v, want %d from 999", o, g.Len(), first, o.Steps)
		}
	}
	for _, o := range []schedule.GridOptions{{Steps: 1000, Spacing: schedule.Linspace}, {Steps: 1000}, {Steps: 999, Offset: 1}} {
		o.Family = schedule.Interior
		if _, err := s.Grid(o); err == nil {
			t.Errorf("%+v: no error, and timesteps repeat or lie outside the training", o)
		}
	}
}

// TestWholeTimestepsOfSigmas wants what the library asks the network at for spaced sigmas under DPM-Solver: those of Karras are
// rounded, of the others fractions are cut off (680.67 becomes 680). The values are of its formulas in NumPy.
func TestWholeTimestepsOfSigmas(t *testing.T) {
	for sigmas, want := range map[schedule.Sigmas][]float64{
		schedule.Karras: {999, 786, 427, 59, 0}, schedule.Geometric: {999, 680, 233, 20, 0}, schedule.BetaQuantiles: {999, 966, 874, 634, 0},
	} {
		g, err := scaledLinear(t).Grid(schedule.GridOptions{Steps: 5, Family: schedule.Interior, Sigmas: sigmas})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range want {
			if got := g.From(k).Timestep; got != want {
				t.Errorf("sigmas by %v: timestep %d is %v, want %v", sigmas, k, got, want)
			}
		}
	}
}

// TestHalvedOddSteps wants the middle of a step over an odd number of timesteps to be rounded down, as the library visits it.
func TestHalvedOddSteps(t *testing.T) {
	g, err := scaledLinear(t).Grid(schedule.GridOptions{Steps: 8, Offset: 1, Halved: 3})
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{876, 813, 751, 688, 626, 563, 501, 376, 251, 126, 1} {
		if got := g.From(k).Timestep; got != want {
			t.Errorf("timestep %d is %v, want %v", k, got, want)
		}
	}
}
