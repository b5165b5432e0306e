package load

import (
	"fmt"
	"math"
	"strings"
)

// disturb adds a disturbance to an update, and returns what it changes once it is in force.
func (d *team) disturb(m map[string]any, takeover float64) (then func()) {
	robots := d.now.Plan.Robots
	who := robots[d.random.IntN(len(robots))].Name
	switch kind := d.random.IntN(4); {
	case kind == 0:
		x, y := d.place(takeover, 0)
		m["goals"] = []any{map[string]any{"robot": who, "x": x, "y": y}}
		return func() {}
	case kind == 1:
		all := []any{circle(5, 5, 0.8)}
		for range d.random.IntN(3) {
			x, y := d.place(takeover, 2)
			all = append(all, circle(x, y, 0.3))
		}
		m["obstacles"] = map[string]any{"scene": map[string]any{"circles": all}}
		return func() { d.scene["circles"] = all }
	case kind == 2:
		m["late"] = []any{map[string]any{"robot": who, "seconds": 0.02 + 0.18*d.random.Float64()}}
		return func() {}
	}
	for _, r := range robots {
		if strings.HasPrefix(r.Name, "guest") {
			m["leave"] = []any{r.Name}
			return func() { d.scene["robots"] = except(d.scene["robots"].([]any), r.Name) }
		}
	}
	name := fmt.Sprintf("guest%d", d.updates)
	x, y := d.place(takeover, 1.5)
	gx, gy := d.place(takeover, 0)
	m["join"] = []any{map[string]any{"name": name, "x": x, "y": y, "goal_x": gx, "goal_y": gy, "radius": 0.3, "speed": 2.0}}
	return func() {
		d.scene["robots"] = append(except(d.scene["robots"].([]any), ""), robot(name, x, y, gx, gy))
	}
}

// place returns a place within the hall and off its obstacles, so far from all robots.
func (d *team) place(takeover, away float64) (x, y float64) {
	for {
		x, y = 0.5+9*d.random.Float64(), 0.5+9*d.random.Float64()
		free := true
		for _, c := range d.scene["circles"].([]any) {
			at := c.(map[string]any)["center"].([]any)
			free = free && apart(x, y, number(at[0]), number(at[1])) > 1.2
		}
		for _, r := range d.now.Plan.Robots {
			s := r.at(d.now.Plan.Times, takeover-d.begins+d.now.From)
			free = free && apart(x, y, s.x, s.y) > away
		}
		if free {
			return x, y
		}
	}
}

func apart(x, y, u, v float64) float64 { return math.Hypot(x-u, y-v) }

func number(v any) float64 {
	if n, ok := v.(int); ok {
		return float64(n)
	}
	return v.(float64)
}

// except returns robots but for one.
func except(robots []any, name string) (rest []any) {
	for _, r := range robots {
		if r.(map[string]any)["name"] != name {
			rest = append(rest, r)
		}
	}
	return rest
}
