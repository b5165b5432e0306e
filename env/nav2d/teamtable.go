package nav2d

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/spelling"
)

// tableError says what is wrong with a table of robots.
type tableError struct {
	File    string
	Line    int // from 1
	Message string
}

func (e *tableError) Error() string {
	return fmt.Sprintf("nav2d: %s, line %d: %s", e.File, e.Line, e.Message)
}

// teamColumns are those that a table of robots may have.
var teamColumns = []string{"name", "start", "goal", "start_x", "start_y", "goal_x", "goal_y", "radius", "speed", "acceleration", "model"}

// maxTeamRobots bounds the robots of a table.
const maxTeamRobots = 1 << 16

// AddTeam adds the robots of a table (CSV, RFC 4180, UTF-8), one in each row. Its header
// names the columns, of which start and goal are wanted, as names of places or as start_x,
// start_y, goal_x, goal_y. Radius, speed and acceleration that a row leaves out are those
// of the team of the scene. Its errors name the line.
func (s *Scene) AddTeam(name string, data []byte) error {
	t := teamTable{file: name, defaults: s.Team}
	if t.defaults == nil {
		t.defaults = &Team{}
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.TrimLeadingSpace, r.ReuseRecord, r.Comment = true, true, '#'
	for {
		row, err := r.Read()
		if err == io.EOF {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return &tableError{name, syntax.Line, syntax.Err.Error()}
		} else if err != nil {
			return err
		}
		t.line, _ = r.FieldPos(0)
		if t.columns == nil {
			if err := t.header(row); err != nil {
				return err
			}
			continue
		}
		if n := t.defaults.Count; n > 0 && len(t.robots) == n {
			break
		}
		if err := t.add(row); err != nil {
			return err
		}
	}
	if len(t.robots) < max(t.defaults.Count, 1) {
		return &tableError{name, max(t.line, 1), fmt.Sprintf("it has %d robots, want %d", len(t.robots), max(t.defaults.Count, 1))}
	}
	s.Robots = append(s.Robots, t.robots...)
	return nil
}

// teamTable is a table of robots that is read.
type teamTable struct {
	file     string
	line     int
	columns  map[string]int
	defaults *Team
	robots   []Robot
}

func (t *teamTable) broken(format string, args ...any) error {
	return &tableError{t.file, t.line, fmt.Sprintf(format, args...)}
}

// header finds the columns.
func (t *teamTable) header(row []string) error {
	t.columns = map[string]int{}
	for k, name := range row {
		name = strings.ToLower(strings.TrimSpace(name))
		if !slices.Contains(teamColumns, name) {
			hint := ""
			if near := spelling.Nearest(name, teamColumns); near != "" {
				hint = fmt.Sprintf(" (did you mean %s?)", near)
			}
			return t.broken("column %.40q is not known%s; there are %s", name, hint, strings.Join(teamColumns, ", "))
		}
		if _, ok := t.columns[name]; ok {
			return t.broken("two columns are called %s", name)
		}
		t.columns[name] = k
	}
	for _, end := range []string{"start", "goal"} {
		_, named := t.columns[end]
		_, x := t.columns[end+"_x"]
		_, y := t.columns[end+"_y"]
		if !named && !(x && y) {
			return t.broken("no column %s, nor %s_x and %s_y", end, end, end)
		}
	}
	return nil
}

// add reads a row.
func (t *teamTable) add(row []string) error {
	if len(t.robots) == maxTeamRobots {
		return t.broken("more than %d robots", maxTeamRobots)
	}
	text := func(column string) string {
		if k, ok := t.columns[column]; ok {
			return strings.TrimSpace(row[k])
		}
		return ""
	}
	r := Robot{Name: text("name"), Model: text("model"), Radius: t.defaults.Radius, Speed: t.defaults.Speed, Acceleration: t.defaults.Acceleration}
	for _, n := range []struct {
		column string
		to     **float64
	}{{"radius", &r.Radius}, {"speed", &r.Speed}, {"acceleration", &r.Acceleration}} {
		if text(n.column) == "" {
			continue
		}
		v, err := strconv.ParseFloat(text(n.column), 64)
		if err != nil {
			return t.broken("%s is %.40q, want a number", n.column, text(n.column))
		}
		*n.to = &v
	}
	for _, end := range []struct {
		name string
		to   *Place
	}{{"start", &r.Start}, {"goal", &r.Goal}} {
		end.to.Name = text(end.name)
		for _, axis := range []string{"_x", "_y"} {
			number := text(end.name + axis)
			if number == "" {
				continue
			}
			v, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return t.broken("%s is %.40q, want a number", end.name+axis, number)
			}
			end.to.At = append(end.to.At, v)
		}
		if n := len(end.to.At); n == 1 || (n == 0) == (end.to.Name == "") {
			return t.broken("want the %s of a robot either as the name of a place or as x and y", end.name)
		}
	}
	t.robots = append(t.robots, r)
	return nil
}
