package maps

import (
	"fmt"
	"math"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
)

// similarity maps z to turn·z + shift, points taken as complex numbers.
type similarity struct{ turn, shift geom.Vec2 }

func (s similarity) at(p geom.Vec2) geom.Vec2 {
	return geom.Vec2{X: s.turn.X*p.X - s.turn.Y*p.Y, Y: s.turn.X*p.Y + s.turn.Y*p.X}.Add(s.shift)
}

func (s similarity) scale() float64 { return s.turn.Norm() }

// toMetres returns what brings a level to metres in the frame of the reference level.
func (l *levels) toMetres() (similarity, error) {
	if !l.flip {
		return similarity{turn: geom.Vec2{X: 1}}, nil
	}
	scale, err := l.measured(l.f.Reference)
	if err != nil || l.name == l.f.Reference {
		return similarity{turn: geom.Vec2{X: scale}}, err
	}
	fit, common, err := l.fiducials()
	switch {
	case err != nil:
		return fit, err
	case common < 2:
		if scale, err = l.measured(l.name); err != nil {
			return fit, broken(l.file, "level %s has %d fiducials in common with the reference level %s, want two, and no measurement: its scale is not known",
				quote.Text(l.name), common, quote.Text(l.f.Reference))
		}
		l.notes = append(l.notes, fmt.Sprintf("level %s shares fewer than two fiducials with the reference level: it is scaled by its own measurements, and not moved", quote.Text(l.name)))
		return similarity{turn: geom.Vec2{X: scale}}, nil
	}
	return similarity{turn: fit.turn.Scale(scale), shift: fit.shift.Scale(scale)}, nil
}

// measured returns metres per pixel of a level: the mean over its measurements.
func (l *levels) measured(level string) (float64, error) {
	of, err := l.vertices(level)
	if err != nil {
		return 0, err
	}
	sum, entries := 0.0, l.f.Levels[level].Measurements
	for k, entry := range entries {
		ends, err := l.pair("measurement", k, entry, of)
		if err != nil {
			return 0, err
		}
		named, _ := entry[len(entry)-1].(map[string]any)
		metres, ok := number(parameter(named, "distance"))
		pixels := of[ends[0]].at.Dist(of[ends[1]].at)
		if !ok || !(metres > 0) || !(pixels > 0) {
			return 0, broken(l.file, "measurement %d of level %s: %s metres for %.4g pixels, want both positive", k, quote.Text(level), shown(parameter(named, "distance")), pixels)
		}
		sum += metres / pixels
	}
	if len(entries) == 0 {
		return 0, broken(l.file, "level %s has no measurement: how long a pixel is in metres is not known; measure a length in the traffic editor", quote.Text(level))
	}
	return sum / float64(len(entries)), nil
}

// fiducials returns the similarity that brings the fiducials of the level nearest to those
// of equal name of the reference level, in the sense of least squares, and their number.
//
// Source: Umeyama (1991) in two dimensions, where it is a regression of complex numbers.
func (l *levels) fiducials() (fit similarity, common int, err error) {
	at := func(level string) (map[string]geom.Vec2, error) {
		out := map[string]geom.Vec2{}
		for k, f := range l.f.Levels[level].Fiducials {
			if len(f) < 3 {
				return nil, broken(l.file, "fiducial %d of level %s has %d entries, want x, y and a name", k, quote.Text(level), len(f))
			}
			x, okX := number(f[0])
			y, okY := number(f[1])
			if !okX || !okY {
				return nil, broken(l.file, "fiducial %d of level %s has no numbers for x and y", k, quote.Text(level))
			}
			out[fmt.Sprint(f[2])] = geom.Vec2{X: x, Y: -y}
		}
		return out, nil
	}
	to, err := at(l.f.Reference)
	if err != nil {
		return fit, 0, err
	}
	from, err := at(l.name)
	if err != nil {
		return fit, 0, err
	}
	var meanFrom, meanTo geom.Vec2
	for name, p := range from {
		if q, ok := to[name]; ok {
			meanFrom, meanTo, common = meanFrom.Add(p), meanTo.Add(q), common+1
		}
	}
	if common < 2 {
		return fit, common, nil
	}
	meanFrom, meanTo = meanFrom.Scale(1/float64(common)), meanTo.Scale(1/float64(common))
	var product geom.Vec2
	square := 0.0
	for name, p := range from {
		if q, ok := to[name]; ok {
			p, q = p.Sub(meanFrom), q.Sub(meanTo)
			product = product.Add(geom.Vec2{X: p.Dot(q), Y: p.Cross(q)})
			square += p.Dot(p)
		}
	}
	fit.turn = product.Scale(1 / square)
	fit.shift = meanTo.Sub(fit.at(meanFrom))
	if !(fit.scale() > 0) || math.IsInf(fit.scale(), 0) {
		return fit, common, broken(l.file, "the fiducials of level %s do not say how it lies on the reference level", quote.Text(l.name))
	}
	return fit, common, nil
}
