package render

import (
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry is a sign with its meaning.
type legendEntry struct {
	text string
	sign func(c draw.Canvas, at vg.Point)
}

// legendSign is the width of a sign with the space around it.
const legendSign = 20 * vg.Length(1)

func legendStyle() draw.TextStyle { return label(7, text.XLeft, text.YCenter) }

// planLegend returns the legend of plans in rows of a width: robots, as long as
// they differ in colour or dashes, then starts, goals and the marks that occur.
func planLegend(views []PlanView, width vg.Length) (rows [][]legendEntry) {
	most := slices.MaxFunc(views, func(a, b PlanView) int { return len(a.Robots) - len(b.Robots) })
	entries := append(robotEntries(most), endEntries()...)
	var counts [markKinds]int
	for _, v := range views {
		for k, n := range tally(v.Samples[0].Marks) {
			counts[k] += n
		}
	}
	for k, n := range counts {
		if n > 0 {
			entries = append(entries, legendEntry{MarkKind(k).String(), func(c draw.Canvas, at vg.Point) { mark(c, MarkKind(k), at, 2.4) }})
		}
	}
	return legendRows(entries, width)
}

func robotEntries(v PlanView) (out []legendEntry) {
	if len(v.Robots) > identities {
		return nil
	}
	for i, name := range v.names() {
		out = append(out, legendEntry{fit(name, legendStyle(), 90), robotSign(i)})
	}
	return out
}

func endEntries() []legendEntry {
	glyph := func(shape draw.GlyphDrawer) func(draw.Canvas, vg.Point) {
		return func(c draw.Canvas, at vg.Point) {
			c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: 3, Shape: shape}, at)
		}
	}
	return []legendEntry{{"start", glyph(draw.RingGlyph{})}, {"goal", glyph(draw.SquareGlyph{})}}
}

// legendRows breaks entries into rows.
func legendRows(entries []legendEntry, width vg.Length) (rows [][]legendEntry) {
	used := width + 1
	for _, e := range entries {
		w := entryWidth(e)
		if used+w > width {
			rows, used = append(rows, nil), 0
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		used += w
	}
	return rows
}

func entryWidth(e legendEntry) vg.Length { return legendSign + legendStyle().Width(e.text) + 8 }

// drawLegendRows draws rows of entries in the lowest part of a figure.
func drawLegendRows(c draw.Canvas, foot vg.Length, rows [][]legendEntry) {
	for i, row := range rows {
		drawLegendRow(c, vg.Point{X: c.Min.X + planMargin, Y: c.Min.Y + foot - planLeading*(vg.Length(i)+0.5)}, row)
	}
}

// drawLegendRow draws entries from a point rightwards.
func drawLegendRow(c draw.Canvas, at vg.Point, row []legendEntry) {
	for _, e := range row {
		e.sign(c, vg.Point{X: at.X + legendSign/2 - 2, Y: at.Y})
		write(c, vg.Point{X: at.X + legendSign - 2, Y: at.Y}, e.text, legendStyle())
		at.X += entryWidth(e)
	}
}
