package messages

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-pcd/pcd/internal/told"
)

// real returns a number that YAML 1.1 reads as one: 1e-05 would be text.
func real(v float64) string {
	text := strconv.FormatFloat(v+0, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// stamp returns a time of seconds and nanoseconds.
func stamp(t float64) string {
	sec, nano := split(t)
	return fmt.Sprintf("{sec: %d, nanosec: %d}", sec, nano)
}

// split returns a time in whole seconds and nanoseconds.
func split(t float64) (sec, nano int64) {
	all := int64(math.Round(t * 1e9))
	return all / 1e9, all % 1e9
}

// head writes what a message was made of, as comments.
func (m *Team) head(w io.Writer, lines ...string) {
	made := []string{"scene sha256: " + orUnknown(m.Made.Scene), "plan sha256: " + m.Made.Plan, "program: " + m.Made.Program}
	for _, l := range append(lines, made...) {
		fmt.Fprintf(w, "# %s\n", strings.Map(func(r rune) rune {
			if r < ' ' {
				return ' '
			}
			return r
		}, l))
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// ROSPath writes the path of a robot as nav_msgs/Path for "ros2 topic pub": poses with stamps, with
// straight lines between them. Controllers follow its shape and not its stamps.
func (m *Team) ROSPath(w io.Writer, robot int, rate float64) error {
	out := bufio.NewWriter(w)
	r := &m.Robots[robot]
	way := "the way is straight from pose to pose"
	if r.Path.Curved() {
		way = "lines from pose to pose are off the curve by at most " + told.AtLeast(m.chord(), 3) +
			", and turn at corners: a robot with limits of turning keeps them on the curve, which trajectory.yaml and plan.json have"
	}
	m.head(out, "nav_msgs/msg/Path", "robot: "+r.Name, "ros2 topic pub --once /plan nav_msgs/msg/Path \"$(cat FILE)\"; whoever follows it keeps the way, and no times", way)
	fmt.Fprintf(out, "header: {stamp: {sec: 0, nanosec: 0}, frame_id: map}\nposes:\n")
	times := m.polylineTimes(r, rate)
	for k, s := range r.States(times) {
		fmt.Fprintf(out, "- header: {stamp: %s, frame_id: map}\n  pose: {position: {x: %s, y: %s, z: 0.0}, orientation: %s}\n",
			stamp(times[k]), real(s.X.X), real(s.X.Y), turned(s.Heading))
	}
	return out.Flush()
}

// joined returns the times of a rate, which may be 0 for none, with those of points, all in whole nanoseconds as stamps have
// them, so that states are those of their stamps. Of the rate those are left out that lie next to a point, from which
// nobody could tell how fast it goes.
func (m *Team) joined(points []float64, rate float64) []float64 {
	times := slices.Clone(points)
	if rate > 0 {
		next := max(1e-9, 0.01/rate)
		times = append(times, slices.DeleteFunc(m.times(rate), func(t float64) bool {
			k, _ := slices.BinarySearch(points, t)
			return k < len(points) && points[k]-t < next || k > 0 && t-points[k-1] < next
		})...)
	}
	slices.Sort(times)
	return m.stamped(times)
}

// stamped returns times that increase as stamps have them, in whole nanoseconds.
func (m *Team) stamped(times []float64) []float64 {
	times = slices.Clone(times)
	for k, t := range times {
		times[k] = min(math.Round(t*1e9)/1e9, m.end())
	}
	return slices.Compact(times)
}

// turned returns a heading as a quaternion.
func turned(heading float64) string {
	s, c := math.Sincos(heading / 2)
	return fmt.Sprintf("{x: 0.0, y: 0.0, z: %s, w: %s}", real(s), real(c))
}

// ROSTrajectory writes the team as trajectory_msgs/MultiDOFJointTrajectory for "ros2 topic
// pub": a joint for each robot, with velocities and accelerations where robots are on curves.
// The knots of curves are among the points, so that the cubics through them are the motion. Of
// straight motion the points are the waypoints alone, at which acceleration is limited: between any others a
// speed that changes at once would be told to change within less than a step.
func (m *Team) ROSTrajectory(w io.Writer, rate float64) error {
	out := bufio.NewWriter(w)
	curved := m.Curved()
	if !curved {
		rate = 0
	}
	times := m.joined(m.Robots[0].Path.Times, rate)
	m.head(out, "trajectory_msgs/msg/MultiDOFJointTrajectory")
	fmt.Fprint(out, "header: {stamp: {sec: 0, nanosec: 0}, frame_id: map}\njoint_names: [")
	states := make([][]State, len(m.Robots))
	for i := range m.Robots {
		states[i] = m.Robots[i].States(times)
		fmt.Fprint(out, strings.Repeat(", ", min(i, 1)), quoted(m.Robots[i].Name))
	}
	fmt.Fprint(out, "]\npoints:\n")
	for k, t := range times {
		fmt.Fprint(out, "- transforms:\n")
		for i := range states {
			s := states[i][k]
			fmt.Fprintf(out, "  - {translation: {x: %s, y: %s, z: 0.0}, rotation: %s}\n", real(s.X.X), real(s.X.Y), turned(s.Heading))
		}
		if curved {
			writeTwists(out, "velocities", states, k, func(s State) (float64, float64) { return s.V.X, s.V.Y })
			writeTwists(out, "accelerations", states, k, func(s State) (float64, float64) { return s.A.X, s.A.Y })
		}
		fmt.Fprintf(out, "  time_from_start: %s\n", stamp(t))
	}
	return out.Flush()
}

// writeTwists writes a list of vectors, one for each robot.
func writeTwists(out io.Writer, key string, states [][]State, k int, of func(State) (x, y float64)) {
	fmt.Fprintf(out, "  %s:\n", key)
	for i := range states {
		x, y := of(states[i][k])
		fmt.Fprintf(out, "  - {linear: {x: %s, y: %s, z: 0.0}, angular: {x: 0.0, y: 0.0, z: 0.0}}\n", real(x), real(y))
	}
}

// quoted returns a text as YAML reads it, whatever is in it.
func quoted(s string) string {
	data, err := json.Marshal(s) // JSON is YAML
	if err != nil {
		return strconv.Quote(s)
	}
	return string(data)
}
