package turns

import (
	"sync"

	"github.com/go-pcd/pcd/geom"
)

// Robots take turns in many orders and times, in which the same ones stand at the same places again and
// again. Lines that were searched for among them are kept.

// Lines are the lines that are known of a run: of robots with the same ends, headings and map.
type Lines struct {
	mutex sync.Mutex
	known map[lineKey]knownLine
}

// NewLines returns none.
func NewLines() *Lines { return &Lines{known: map[lineKey]knownLine{}} }

// lineKey is what the line of a robot depends on.
type lineKey struct {
	robot    int
	radius   float64
	spot     bool   // it turns where it stands
	standing string // of each robot whether it stands at its goal, "" where nobody stands anywhere
}

type knownLine struct {
	line   []geom.Vec2
	leads  float64
	steers bool
}

// lineAmong is lineOf among the others as they stand. One that turns on the spot has no headings to keep on its way.
func (t Team) lineAmong(i int, radius float64, spot bool, ways [][]geom.Vec2) (line []geom.Vec2, leads float64, steers bool) {
	key := lineKey{i, radius, spot, standing(i, ways)}
	if t.Lines != nil {
		t.Lines.mutex.Lock()
		is, ok := t.Lines.known[key]
		t.Lines.mutex.Unlock()
		if ok {
			return is.line, is.leads, is.steers
		}
	}
	headings := t.Robots[i].Headings
	if spot {
		headings = [2]*float64{}
	}
	line, leads, steers = t.lineOf(i, headings, radius, t.among(i, ways))
	if t.Lines != nil {
		t.Lines.mutex.Lock()
		t.Lines.known[key] = knownLine{line, leads, steers}
		t.Lines.mutex.Unlock()
	}
	return line, leads, steers
}

// standing says who stands at a goal while robot i goes: those who have ways.
func standing(i int, ways [][]geom.Vec2) string {
	out := make([]byte, len(ways))
	for j, way := range ways {
		out[j] = '0'
		if way != nil && j != i {
			out[j] = '1'
		}
	}
	return string(out)
}
