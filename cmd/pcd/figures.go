package main

import (
	"fmt"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/plural"
	"github.com/go-pcd/pcd/internal/render"
	"github.com/go-pcd/pcd/tensor"
	"github.com/go-pcd/pcd/train"
)

// mapView returns what figures show of a map.
func mapView(m *nav2d.Map) render.MapView {
	return render.MapView{Bounds: m.Bounds, Obstacles: m.Obstacles}
}

// demonstrationFigure shows a hundred trajectories, evenly chosen.
func demonstrationFigure(m *nav2d.Map, x tensor.Batch, r nav2d.DemonstrationReport) *render.Figure {
	shown := min(100, x.N)
	paths := make([][]geom.Vec2, shown)
	for i := range paths {
		paths[i] = geom.Points(nil, x.Sample(i*x.N/shown), nav2d.Channels)
	}
	return render.Demonstrations(mapView(m), paths, m.Name,
		fmt.Sprintf("%d of %s; adherence to the pattern %.3f", shown, plural.Of(x.N, "trajectory"), r.Adherence))
}

// lossFigure shows the losses of a training.
func lossFigure(title string, metrics []train.Metrics) *render.Figure {
	training, validation := render.Curve{Name: "training", Faint: true}, render.Curve{Name: "held-out, averaged weights"}
	for _, m := range metrics {
		training.X, training.Y = append(training.X, float64(m.Step)), append(training.Y, m.Loss)
		if m.ValidationLoss != nil {
			validation.X, validation.Y = append(validation.X, float64(m.Step)), append(validation.Y, *m.ValidationLoss)
		}
	}
	return render.Curves(render.Axes{Title: title, X: "step", Y: "mean squared error of the noise", LogY: true}, training, validation)
}
