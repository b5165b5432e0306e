package render

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// robotColours are the colours of robots and curves. Any two can be told apart by
// readers with any kind of colour blindness; a test holds how well. They are those of
// Okabe and Ito, "Color Universal Design" (2008), as far as they are dark enough for
// thin lines on white, and darker ones of Tol's "Colour Schemes" (2021).
var robotColours = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {51, 34, 136, 255}, {204, 121, 167, 255},
	{86, 180, 233, 255}, {136, 34, 85, 255}, {0, 0, 0, 255}, {127, 0, 0, 255},
}

// robotDashes tell robots apart that share a colour.
var robotDashes = [][]vg.Length{nil, {5, 2.5}, {1.5, 2}, {6, 2, 1.5, 2}}

// robotMarkers are the signs on the paths of robots, for who sees no colour.
var robotMarkers = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.PlusGlyph{}}

// identities is the number of robots that differ in colour or dashes.
var identities = len(robotColours) * len(robotDashes)

// robotColour returns the colour of robot i; colours repeat.
func robotColour(i int) color.RGBA { return robotColours[i%len(robotColours)] }

// robotDash returns the dashes of robot i, nil for a solid line.
func robotDash(i int) []vg.Length { return robotDashes[i/len(robotColours)%len(robotDashes)] }

// robotStroke returns the line of robot i.
func robotStroke(i int, width vg.Length) draw.LineStyle {
	return stroke(robotColour(i), width, robotDash(i)...)
}

// robotMarker returns the sign of robot i.
func robotMarker(i int, radius vg.Length) draw.GlyphStyle {
	return draw.GlyphStyle{Color: robotColour(i), Radius: radius, Shape: robotMarkers[i%len(robotMarkers)]}
}
