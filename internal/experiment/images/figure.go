package images

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/go-pcd/pcd/internal/experiment"
	"github.com/go-pcd/pcd/internal/render"
)

// figures are those that results can be drawn as.
var figures = []experiment.Figure[*CellResult]{
	{Name: "gamma", Short: "Measures against the coupling strength", Draw: grid("γ", placeByGamma,
		`no cell has a strength of its own: run "pcd eval images --methods pcd --gammas 12.5,37.5,62.5,87.5,112.5,125" first`)},
	{Name: "noise", Short: "Measures against the factor of the noise", Draw: grid("k", placeByNoise,
		`no cell has a noise of its own: run "pcd eval images --methods sd-p --noise-scales 1,2,5,10,20" first`)},
	{Name: "weights", Short: "Where images lie between two exemplars", Draw: weightsFigure},
}

// grid draws every measure against x, as the published ablations.
func grid(x string, place func(*CellResult) (experiment.Place, bool), empty string) func(map[string]*CellResult, experiment.FigureOptions) (*render.Figure, error) {
	g := experiment.Grid[*CellResult]{X: x, Columns: 3, Place: place, Empty: empty}
	for _, m := range []struct {
		key, name string
		rate      bool
	}{
		{"xor", "XOR", true}, {"gender", "M and F, mean", true}, {"se_similarity", "SE-CLIP", false}, {"se_distance", "SE-LPIPS", false},
		{"se_frechet", "SE-FID", false}, {"is_distance", "IS-LPIPS", false}, {"weight_spread", "spread of λ", false},
	} {
		g.Measures = append(g.Measures, experiment.Measure[*CellResult]{Key: m.key, Name: m.name, Rate: m.rate, Of: func(r *CellResult) (experiment.Stat, bool) {
			all, ok := r.Measures()
			if stats := column(m.key).Of(all); ok && len(stats) > 0 {
				s := averaged(stats)
				if !known(s) {
					s = s.Certain()
				}
				return s, true
			}
			return experiment.Stat{}, false
		}})
	}
	return func(results map[string]*CellResult, o experiment.FigureOptions) (*render.Figure, error) {
		named := g
		named.Measures = slices.Clone(g.Measures)
		for i, m := range named.Measures {
			named.Measures[i].Name = byNetwork(m.Key, m.Name, results)
		}
		return named.Draw(results, o)
	}
}

// byNetwork names a measure with the judge where it was the judge's.
func byNetwork(key, name string, results map[string]*CellResult) string {
	for _, r := range results {
		by := map[string]string{"se_similarity": r.Networks.Similarity, "se_distance": r.Networks.Distance, "is_distance": r.Networks.Distance, "se_frechet": r.Networks.Frechet}[key]
		if by == ByJudge {
			return name + ", by the judge"
		}
	}
	return name
}

func placeByGamma(r *CellResult) (experiment.Place, bool) {
	c := r.Cell
	return place(r, c.NoiseScale, "k", c.Gamma), c.Gamma != 0 && len(r.Batches) > 0
}

func placeByNoise(r *CellResult) (experiment.Place, bool) {
	c := r.Cell
	return place(r, c.Gamma, "γ", c.NoiseScale), c.NoiseScale != 0 && len(r.Batches) > 0
}

// place places a result on the line of its method and exemplars, and of another number
// if it has one of its own.
func place(r *CellResult, other float64, name string, x float64) experiment.Place {
	p := experiment.Place{Method: string(r.Cell.Method) + r.Cell.Same.note(), Variant: fmt.Sprintf("M = %d", r.Cell.Exemplars), X: x}
	if other != 0 {
		p.Variant += fmt.Sprintf(", %s = %g", name, other)
	}
	return p
}

// weightsFigure draws the sorted weights of the first of two exemplars: a step from 0 to
// 1 for images that are one exemplar or the other, a flat line for images that are all
// the same.
func weightsFigure(results map[string]*CellResult, _ experiment.FigureOptions) (*render.Figure, error) {
	var axes []render.Axes
	var curves [][]render.Curve
	for k, g := range members {
		var set []render.Curve
		for _, name := range slices.Sorted(maps.Keys(results)) {
			r := results[name]
			if r.Cell.Exemplars != 2 || !r.Cell.Method.Projected() || len(r.Batches) == 0 {
				continue
			}
			set = append(set, weightsCurve(title(r), r, k))
		}
		axes = append(axes, render.Axes{Title: g.String(), X: "share of the images", Y: "weight of the first exemplar", YRange: [2]float64{-0.02, 1.02}})
		curves = append(curves, set)
	}
	if len(curves[0]) == 0 {
		return nil, &experiment.SpecError{Err: errors.New(`no cell projects on two exemplars: run "pcd eval images --exemplars 2 --methods sd-p,pcd" first`)}
	}
	return render.CurveGrid(len(members), axes, curves), nil
}

// weightsCurve returns the sorted weights of the first exemplar of a member.
func weightsCurve(name string, r *CellResult, k int) render.Curve {
	var w []float64
	for _, b := range r.Batches {
		for _, p := range b.Pairs {
			w = append(w, float64(p.Weights[k][0]))
		}
	}
	slices.Sort(w)
	c := render.Curve{Name: name, Y: w}
	for i := range w {
		c.X = append(c.X, (float64(i)+0.5)/float64(len(w)))
	}
	return c
}
