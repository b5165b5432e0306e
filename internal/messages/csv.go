package messages

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
)

// columns are those of tables: seconds, a name, lengths, radians, and lengths per second and
// per second squared; and what they were made of, in the first row: whoever reads tables
// reads no comments in them.
var (
	columns     = []string{"t", "robot", "x", "y", "heading", "vx", "vy", "ax", "ay"}
	madeColumns = []string{"scene_sha256", "plan_sha256"}
)

// CSV writes a row per robot and time, by time. Robots that go straight from point to point
// have rows at their points and no velocities, which would have two values there.
func (m *Team) CSV(w io.Writer, rate float64) error {
	moving, times := len(columns), m.Robots[0].Path.Times
	if m.Curved() {
		times = m.times(rate)
	} else {
		moving = 5
	}
	head := slices.Clone(columns[:moving])
	if m.Made.Plan != "" {
		head = append(head, madeColumns...)
	}
	states := make([][]State, len(m.Robots))
	for i := range m.Robots {
		states[i] = m.Robots[i].States(times)
	}
	out := csv.NewWriter(w)
	if err := out.Write(head); err != nil {
		return err
	}
	row := make([]string, len(head))
	copy(row[moving:], []string{m.Made.Scene, m.Made.Plan})
	for k, t := range times {
		for i, r := range m.Robots {
			s := states[i][k]
			row[0], row[1] = number(t), r.Name
			values := []float64{s.X.X, s.X.Y, s.Heading, s.V.X, s.V.Y, s.A.X, s.A.Y}
			for n, value := range values[:moving-2] {
				row[2+n] = number(value)
			}
			if err := out.Write(row); err != nil {
				return err
			}
			clear(row[moving:])
		}
	}
	out.Flush()
	return out.Error()
}

// number returns the shortest text that is read as a number again.
func number(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }
