package messages

import (
	"encoding/csv"
	"io"
	"strconv"
)

// Columns are those of tables: seconds, a name, lengths, radians, and lengths per second and
// per second squared.
var Columns = []string{"t", "robot", "x", "y", "heading", "vx", "vy", "ax", "ay"}

// CSV writes a row per robot and time, by time. Robots that go straight from point to point
// have rows at their points and no velocities, which would have two values there.
func (m *Team) CSV(w io.Writer, rate float64) error {
	curved := m.Robots[0].Path.Curved()
	columns, times := Columns, m.Robots[0].Path.Times
	if curved {
		times = m.times(rate)
	} else {
		columns = columns[:5]
	}
	states := make([][]State, len(m.Robots))
	for i := range m.Robots {
		states[i] = m.Robots[i].States(times)
	}
	out := csv.NewWriter(w)
	if err := out.Write(columns); err != nil {
		return err
	}
	row := make([]string, len(columns))
	for k, t := range times {
		for i, r := range m.Robots {
			s := states[i][k]
			row[0], row[1] = number(t), r.Name
			values := []float64{s.X.X, s.X.Y, s.Heading, s.V.X, s.V.Y, s.A.X, s.A.Y}
			for n, value := range values[:len(columns)-2] {
				row[2+n] = number(value)
			}
			if err := out.Write(row); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// number returns the shortest text that is read as a number again.
func number(v float64) string { return strconv.FormatFloat(v+0, 'f', -1, 64) }
