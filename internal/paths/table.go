package paths

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/geom"
)

// columns are the columns of a table that are read, by the names that people give them.
var columns = map[string]string{
	"t": "t", "time": "t", "timestamp": "t", "time_s": "t", "t_s": "t", "seconds": "t",
	"robot": "robot", "name": "robot", "agent": "robot", "id": "robot", "robot_id": "robot", "vehicle": "robot",
	"x": "x", "x_m": "x", "pos_x": "x", "y": "y", "y_m": "y", "pos_y": "y",
	"vx": "vx", "v_x": "vx", "vel_x": "vx", "vy": "vy", "v_y": "vy", "vel_y": "vy",
	"heading": "heading", "yaw": "heading", "theta": "heading",
	"ax": "ax", "a_x": "ax", "acc_x": "ax", "ay": "ay", "a_y": "ay", "acc_y": "ay",
	"scene_sha256": "scene", "plan_sha256": "plan",
}

// row is a row of a table.
type row struct {
	t, heading float64
	x, v, a    geom.Vec2
}

// readTable reads a table with a header and a row for each robot and time. With velocities
// robots are on the cubics through positions and velocities; with accelerations, too, knots
// between two rows are found again.
func readTable(name string, text []byte) (*File, error) {
	r := csv.NewReader(bytes.NewReader(text))
	r.TrimLeadingSpace, r.ReuseRecord, r.Comment = true, true, '#'
	if line, _, _ := bytes.Cut(text, []byte("\n")); bytes.Count(line, []byte(";")) > bytes.Count(line, []byte(",")) {
		r.Comma = ';'
	}
	var at map[string]int
	var made Claim
	rows := map[string][]row{}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			break
		}
		var syntax *csv.ParseError
		if errors.As(err, &syntax) {
			return nil, broken(name, syntax.Line, "%v", syntax.Err)
		} else if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		if at == nil {
			if at, err = header(fields); err != nil {
				return nil, broken(name, line, "%v", err)
			}
			continue
		}
		who := baseName(name)
		if k, ok := at["robot"]; ok {
			who = strings.TrimSpace(fields[k])
		}
		for c, to := range map[string]*string{"scene": &made.Scene, "plan": &made.Plan} {
			if k, ok := at[c]; ok && *to == "" {
				*to = strings.Clone(strings.TrimSpace(fields[k]))
			}
		}
		one, err := readRow(fields, at)
		if err != nil {
			return nil, broken(name, line, "%v", err)
		}
		rows[strings.Clone(who)] = append(rows[who], one)
	}
	f, err := tableFile(name, rows, at)
	if err == nil && made.Scene+made.Plan != "" {
		f.Claim = &made
	}
	return f, err
}

// header finds the columns.
func header(fields []string) (map[string]int, error) {
	at := map[string]int{}
	for k, f := range fields {
		if c := columns[strings.ToLower(strings.TrimSpace(f))]; c != "" {
			if _, ok := at[c]; ok {
				return nil, fmt.Errorf("two columns for %s", c)
			}
			at[c] = k
		}
	}
	for _, c := range []string{"t", "x", "y"} {
		if _, ok := at[c]; !ok {
			return nil, fmt.Errorf("no column %s: want a header with t, robot, x, y, and perhaps vx, vy", c)
		}
	}
	return at, nil
}

func readRow(fields []string, at map[string]int) (r row, err error) {
	r.heading = math.NaN()
	for c, to := range map[string]*float64{"t": &r.t, "heading": &r.heading, "x": &r.x.X, "y": &r.x.Y, "vx": &r.v.X, "vy": &r.v.Y, "ax": &r.a.X, "ay": &r.a.Y} {
		k, ok := at[c]
		if !ok {
			continue
		}
		if *to, err = strconv.ParseFloat(strings.TrimSpace(fields[k]), 64); err != nil {
			return r, fmt.Errorf("%s is %.40q, want a number", c, fields[k])
		}
	}
	return r, nil
}

// tableFile returns the paths of the rows, by robot.
func tableFile(name string, rows map[string][]row, at map[string]int) (*File, error) {
	has := func(c string) bool { _, ok := at[c]; return ok }
	f := &File{Kind: Table}
	moving, pushed := has("vx") && has("vy"), has("ax") && has("ay")
	if moving {
		f.Notes = append(f.Notes, "robots are on the cubics through positions and velocities of the rows; with straight motion, velocities are passed over")
	}
	var gaps []gap
	begin, end := math.Inf(1), math.Inf(-1)
	for _, all := range rows {
		slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(a.t, b.t) })
		begin, end = min(begin, all[0].t), max(end, all[len(all)-1].t)
		for k := 1; k < len(all) && moving && pushed; k++ {
			if g, bends := newGap(all[k-1], all[k]); bends {
				gaps = append(gaps, g)
			}
		}
	}
	var steps []float64 // of knots, the likelier ones first
	step := clockOf(gaps, begin, end)
	blurs := moving && pushed && blurred(rows)
	if blurs || len(gaps) > 0 {
		steps = []float64{step, stepOfBends(rows, begin, end), 0}
	}
	for robot, all := range rows {
		pieces, ok := inSteps(all, begin, steps)
		switch {
		case ok:
			all = pieces
		case len(gaps) > 0:
			all = withKnots(all, begin, step)
			f.Unclear = f.Unclear || blurs || unclear(all)
		}
		p := Path{Robot: robot}
		for _, r := range all {
			p.add(r, moving, has("heading"))
		}
		f.Paths = append(f.Paths, p)
	}
	return f, nil
}

func (p *Path) add(r row, moving, looks bool) {
	p.Times, p.X = append(p.Times, r.t), append(p.X, r.x)
	if looks {
		p.Headings = append(p.Headings, r.heading)
	}
	if moving {
		p.V = append(p.V, r.v)
	}
}
