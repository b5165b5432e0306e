package paths

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/quote"
)

// The messages of VDA 5050, as far as they are read.
type (
	vdaHeader struct {
		Timestamp, Version, SerialNumber string
	}
	vdaPoint struct {
		X, Y float64
		ETA  string `json:"eta"`
	}
	vdaState struct {
		vdaHeader
		Old  *vdaPoint `json:"agvPosition"`         // 2.1
		New  *vdaPoint `json:"mobileRobotPosition"` // 3.0
		Path *struct {
			Polyline []vdaPoint
		} `json:"intermediatePath"`
	}
	vdaOrder struct {
		vdaHeader
		Nodes []struct {
			SequenceID int       `json:"sequenceId"`
			Position   *vdaPoint `json:"nodePosition"`
		}
		Edges []struct {
			SequenceID int `json:"sequenceId"`
			Trajectory *struct {
				Degree        *float64
				ControlPoints []vdaPoint
			}
		}
	}
)

// readStates reads states: where each robot is, and the way that it means to go, with times.
// Times count from the first of all.
func readStates(name string, objects []object) (*File, error) {
	f := &File{Kind: State}
	type stamped struct {
		at time.Time
		x  geom.Vec2
	}
	ways, first := map[string][]stamped{}, time.Time{}
	for _, o := range objects {
		var s vdaState
		if err := o.decode(name, &s); err != nil {
			return nil, err
		}
		who := cmp.Or(s.SerialNumber, baseName(name))
		if s.Path == nil || len(s.Path.Polyline) == 0 {
			return nil, broken(name, 0, "the state of %s has no intermediatePath", quote.Text(who))
		}
		if ways[who] != nil {
			return nil, broken(name, 0, "two states of %s, want the one to be judged", quote.Text(who))
		}
		var way []stamped
		if at := cmp.Or(s.New, s.Old); at != nil {
			t, err := instant(name, who, s.Timestamp)
			if err != nil {
				return nil, err
			}
			way = append(way, stamped{t, geom.Vec2{X: at.X, Y: at.Y}})
		}
		for _, p := range s.Path.Polyline {
			t, err := instant(name, who, p.ETA)
			if err != nil {
				return nil, err
			}
			if x := (geom.Vec2{X: p.X, Y: p.Y}); len(way) != 1 || way[0] != (stamped{t, x}) {
				way = append(way, stamped{t, x})
			}
		}
		for _, p := range way {
			if first.IsZero() || p.at.Before(first) {
				first = p.at
			}
		}
		ways[who] = way
	}
	for who, way := range ways {
		p := Path{Robot: who}
		for _, s := range way {
			p.X, p.Times = append(p.X, s.x), append(p.Times, s.at.Sub(first).Seconds())
		}
		f.Paths = append(f.Paths, p)
	}
	return f, nil
}

func instant(name, who, text string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return t, broken(name, 0, "a time of %s is %s, want ISO 8601 as 2026-01-31T12:00:00.00Z", quote.Text(who), quote.Text(text))
	}
	return t, nil
}

// readOrders reads orders: the ways without times. Edges without a trajectory are straight.
func readOrders(name string, objects []object) (*File, error) {
	f := &File{Kind: Order, Notes: []string{"orders say where robots go, and not when: two ways have to be apart at any times"}}
	for _, o := range objects {
		var m vdaOrder
		if err := o.decode(name, &m); err != nil {
			return nil, err
		}
		p := Path{Robot: cmp.Or(m.SerialNumber, baseName(name))}
		type element struct {
			sequence int
			points   []vdaPoint
		}
		var all []element
		for _, n := range m.Nodes {
			if n.Position == nil {
				return nil, broken(name, 0, "node %d of %s has no position", n.SequenceID, quote.Text(p.Robot))
			}
			all = append(all, element{n.SequenceID, []vdaPoint{*n.Position}})
		}
		for _, e := range m.Edges {
			if e.Trajectory == nil {
				continue
			}
			if d := e.Trajectory.Degree; d != nil && *d != 1 {
				return nil, broken(name, 0, "edge %d of %s is a curve of degree %v, want polylines, of degree 1", e.SequenceID, quote.Text(p.Robot), *d)
			}
			all = append(all, element{e.SequenceID, e.Trajectory.ControlPoints})
		}
		slices.SortStableFunc(all, func(a, b element) int { return cmp.Compare(a.sequence, b.sequence) })
		for _, e := range all {
			for _, q := range e.points {
				if x := (geom.Vec2{X: q.X, Y: q.Y}); len(p.X) == 0 || p.X[len(p.X)-1] != x {
					p.X = append(p.X, x)
				}
			}
		}
		f.Paths = append(f.Paths, p)
	}
	return f, nil
}
