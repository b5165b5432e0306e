package plan

import (
	"slices"

	"github.com/go-pcd/pcd/geom"
)

// ParkedInTheWay returns traffic that does not move and closes every way of robot i to its
// goal, as little of it as will do; nil if it leaves a way, or if there is none without it
// either.
func (t Team) ParkedInTheWay(i int) []Mover {
	closing := slices.DeleteFunc(slices.Clone(t.Traffic), func(m Mover) bool { return !m.parked() })
	if len(closing) == 0 || !t.leads(i, nil) || t.leads(i, closing) {
		return nil
	}
	for k := len(closing) - 1; k >= 0; k-- {
		if fewer := slices.Delete(slices.Clone(closing), k, k+1); !t.leads(i, fewer) {
			closing = fewer
		}
	}
	return closing
}

// parked reports whether it stays where it is.
func (m Mover) parked() bool { return motionless(m.Path) }

// leads reports whether a way leads robot i to its goal round obstacles and some traffic
// that is parked.
func (t Team) leads(i int, parked []Mover) bool {
	var solids []geom.Solid
	for _, p := range parked {
		solids = append(solids, geom.Circle{Center: p.Path[0], Radius: p.Radius})
	}
	t.Map = t.Map.With(solids...)
	return t.round(t.Robots[i]) != nil
}
