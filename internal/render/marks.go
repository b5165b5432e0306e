package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-pcd/pcd/geom"
	navmetric "github.com/go-pcd/pcd/internal/metric/nav2d"
)

// MarkKind is a rule that a joint sample can break.
type MarkKind int

// The kinds of marks.
const (
	Overlap  MarkKind = iota // two robots overlap
	Hit                      // a robot hits an obstacle or the boundary
	Speeding                 // a robot is above its speed limit
)

// noMark is the kind of a chart whose lines carry none.
const noMark MarkKind = -1

// markKinds is the number of kinds.
const markKinds = int(Speeding) + 1

// String says what the mark means, for legends.
func (k MarkKind) String() string {
	if k < 0 || int(k) >= markKinds {
		return fmt.Sprintf("MarkKind(%d)", int(k))
	}
	return [...]string{"robots overlap", "obstacle or border hit", "above the speed limit"}[k]
}

// Mark is a place where a joint sample breaks a rule.
type Mark struct {
	Kind     MarkKind
	Waypoint int
	Robots   []int // two that overlap, or the one that hits or speeds
	At       geom.Vec2
}

func (m Mark) check(robots, waypoints int) string {
	want := 1
	if m.Kind == Overlap {
		want = 2
	}
	switch {
	case m.Kind < 0 || int(m.Kind) >= markKinds:
		return fmt.Sprintf("mark of unknown kind %d", int(m.Kind))
	case m.Waypoint < 0 || m.Waypoint >= waypoints:
		return fmt.Sprintf("mark at waypoint %d of %d", m.Waypoint, waypoints)
	case len(m.Robots) != want || slices.Min(m.Robots) < 0 || slices.Max(m.Robots) >= robots:
		return fmt.Sprintf("mark %q for robots %v of %d", m.Kind, m.Robots, robots)
	case !m.At.IsFinite():
		return fmt.Sprintf("mark at (%v, %v), want finite numbers", m.At.X, m.At.Y)
	}
	return ""
}

// FindMarks returns where a joint sample, one path per robot, breaks the rules it
// is judged by, in order of waypoints. The comparisons are those of the judgement,
// so that pictures agree with its numbers: a sample without marks is
// [navmetric.Sample.Feasible], and the other way round.
func FindMarks(rules navmetric.Criteria, limits []float64, paths [][]geom.Vec2) []Mark {
	out := []Mark{} // not nil: somebody has looked
	for i, p := range paths {
		reached := navmetric.Sample{TopSpeed: rules.Speeds(p)}
		for h, x := range p {
			if rules.World.Occupied(float32(x.X), float32(x.Y), float32(rules.Radii[i])) {
				out = append(out, Mark{Hit, h, []int{i}, x})
			}
			if limits[i] > 0 && !reached.Within(h, limits[i]) {
				out = append(out, Mark{Speeding, h, []int{i}, x})
			}
			for j := range i {
				if y := paths[j][h]; y.Dist(x) < rules.Radii[i]+rules.Radii[j] {
					touch := rules.Radii[j] / (rules.Radii[i] + rules.Radii[j])
					out = append(out, Mark{Overlap, h, []int{j, i}, y.Lerp(x, touch)})
				}
			}
		}
	}
	slices.SortStableFunc(out, earlier)
	return out
}

func earlier(a, b Mark) int { return cmp.Compare(a.Waypoint, b.Waypoint) }

// incident is a run of marks of one kind at successive waypoints.
type incident struct {
	mark        Mark // the first one
	first, last int  // waypoints
}

// incidents joins marks of the same kind and robots at successive waypoints, in
// order of their beginning.
func incidents(marks []Mark) []incident {
	var out []incident
	open := map[string]int{} // number of the last incident of a kind and robots
	for _, m := range slices.SortedStableFunc(slices.Values(marks), earlier) {
		key := fmt.Sprint(m.Kind, m.Robots)
		if i, ok := open[key]; ok && m.Waypoint <= out[i].last+1 {
			out[i].last = m.Waypoint
			continue
		}
		open[key] = len(out)
		out = append(out, incident{m, m.Waypoint, m.Waypoint})
	}
	return out
}

// describe says what happens in an incident.
func (c incident) describe(names []string) string {
	switch c.mark.Kind {
	case Overlap:
		return fmt.Sprintf("%s and %s overlap", names[c.mark.Robots[0]], names[c.mark.Robots[1]])
	case Hit:
		return fmt.Sprintf("%s hits an obstacle or the border", names[c.mark.Robots[0]])
	default:
		return fmt.Sprintf("%s is above its speed limit", names[c.mark.Robots[0]])
	}
}

// tally counts the marks of every kind.
func tally(marks []Mark) (counts [markKinds]int) {
	for _, m := range marks {
		counts[m.Kind]++
	}
	return counts
}

// tallyLine says how many waypoints break which rule, if somebody has looked.
func tallyLine(marks []Mark) string {
	if marks == nil {
		return ""
	}
	line := ""
	for k, n := range tally(marks) {
		if n == 0 {
			continue
		}
		if line != "" {
			line += ", "
		}
		line += fmt.Sprintf("%s ×%d", [...]string{"overlap", "hit", "too fast"}[k], n)
	}
	if line == "" {
		return "no rule broken at any waypoint"
	}
	return line
}
