package main

import (
	"image/color"
	"os"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

var colours = [2]color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}}

// worst returns the task whose hands come nearest to one another without a coupling.
func worst(d *drive, tasks []task) (worst int) {
	least := 0.0
	for k := range tasks {
		nearest := slices.Min(d.distances(k))
		if k == 0 || nearest < least {
			worst, least = k, nearest
		}
	}
	return worst
}

// picture draws a pair alone and coupled, and the distances of their hands.
func picture(path string, drives []*drive, tasks []task) error {
	k := worst(drives[0], tasks)
	titles := []string{"each alone", "coupled"}
	panels := make([][]*plot.Plot, 1)
	for i, d := range drives {
		p, err := scene(d, tasks[k], k, titles[i])
		if err != nil {
			return err
		}
		panels[0] = append(panels[0], p)
	}
	p, err := distancePlot(drives, k, titles)
	if err != nil {
		return err
	}
	panels[0] = append(panels[0], p)
	const side = 4.2 * vg.Inch
	c := vgimg.NewWith(vgimg.UseWH(3*side, side), vgimg.UseDPI(96))
	for i, canvas := range plot.Align(panels, draw.Tiles{Rows: 1, Cols: 3, PadX: vg.Points(14), PadTop: 6, PadRight: 12, PadBottom: 4, PadLeft: 4}, draw.New(c))[0] {
		panels[0][i].Draw(canvas)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// scene draws the arms at the beginning, at the step when the hands are nearest and at the end.
func scene(d *drive, t task, k int, title string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "m", "m"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.9, 0.9, -0.4, 1.4
	distances := d.distances(k)
	near := slices.Index(distances, slices.Min(distances))
	for i, a := range arms {
		faint := color.NRGBA{colours[i].R, colours[i].G, colours[i].B, 70}
		var path plotter.XYs
		for _, q := range d.angles[k][i] {
			h := a.hand(q[:])
			path = append(path, plotter.XY{X: h[0], Y: h[1]})
		}
		if err := line(p, path, colours[i], 1.2, vg.Points(2)); err != nil {
			return nil, err
		}
		last := len(d.angles[k][i]) - 1
		for _, pose := range []struct {
			step   int
			colour color.Color
		}{{0, faint}, {last, faint}, {near, colours[i]}} {
			var chain plotter.XYs
			for _, at := range a.points(d.angles[k][i][pose.step][:]) {
				chain = append(chain, plotter.XY{X: at[0], Y: at[1]})
			}
			if err := line(p, chain, pose.colour, 2.5); err != nil {
				return nil, err
			}
		}
		mark, err := plotter.NewScatter(plotter.XYs{{X: t.place[i][0], Y: t.place[i][1]}})
		if err != nil {
			return nil, err
		}
		mark.GlyphStyle = draw.GlyphStyle{Color: colours[i], Radius: 5, Shape: draw.CrossGlyph{}}
		p.Add(mark)
	}
	return p, nil
}

// line adds a line to a plot.
func line(p *plot.Plot, at plotter.XYs, c color.Color, width float64, dashes ...vg.Length) error {
	l, err := plotter.NewLine(at)
	if err != nil {
		return err
	}
	l.LineStyle = draw.LineStyle{Color: c, Width: vg.Points(width), Dashes: dashes}
	p.Add(l)
	return nil
}

// distancePlot draws the distances of the hands over time.
func distancePlot(drives []*drive, k int, titles []string) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = "distance of the hands", "step", "m"
	p.Y.Min = 0
	p.Legend.Top = true
	for i, d := range drives {
		var at plotter.XYs
		for h, v := range d.distances(k) {
			at = append(at, plotter.XY{X: float64(h), Y: v})
		}
		l, err := plotter.NewLine(at)
		if err != nil {
			return nil, err
		}
		l.LineStyle = draw.LineStyle{Color: color.Black, Width: vg.Points(1.5)}
		if i == 0 {
			l.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(l)
		p.Legend.Add(titles[i], l)
	}
	return p, line(p, plotter.XYs{{X: 0, Y: apart}, {X: float64(plans * executed), Y: apart}}, color.RGBA{170, 0, 0, 255}, 0.8)
}
