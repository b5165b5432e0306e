package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/heading"
	"github.com/go-pcd/pcd/internal/paths"
)

// crossing is a team of three on curves that cross, one after the other, beside a wall.
func crossing() *Team {
	way := func(points ...geom.Vec2) *paths.Path {
		c := geom.NaturalSpline(points, 0.5, geom.Vec2{}, geom.Vec2{})
		p := &paths.Path{X: c.X, V: c.V}
		for h := range c.X {
			p.Times = append(p.Times, 0.5*float64(h))
		}
		return p
	}
	line := func(a, b geom.Vec2, wait int) *paths.Path {
		var points []geom.Vec2
		for h := range 12 {
			points = append(points, a.Lerp(b, min(max(float64(h-wait)/6, 0), 1)))
		}
		return way(points...)
	}
	return &Team{
		Name: "crossing", Made: Made{Scene: strings.Repeat("a", 64), Plan: strings.Repeat("b", 64), Margin: 0.1, Program: "pcd test"}, Plan: []byte(`{"plan": 1}`),
		Border:    &geom.Box{Min: geom.Vec2{X: -6, Y: -6}, Max: geom.Vec2{X: 6, Y: 6}},
		Obstacles: []geom.Convex{{Core: geom.Rectangle(geom.Vec2{X: 3, Y: 3}, geom.Vec2{X: 1, Y: 2}, 0.3), Radius: 0.2}, {Core: geom.Polygon{{X: -3, Y: 3}}, Radius: 0.5}},
		Robots: []Robot{
			{"amr 1", 0.3, line(geom.Vec2{X: -5}, geom.Vec2{X: 5}, 0), heading.Rule{}},
			{"amr: \"2\"", 0.3, line(geom.Vec2{Y: -5}, geom.Vec2{Y: 5}, 4), heading.Rule{}},
			{"AMR 1", 0.3, way(geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}, geom.Vec2{X: -5, Y: -5}), heading.Rule{}},
		},
	}
}

// Tables and ROS messages that are read again are the motion that was written.
func TestTablesAndROSMessagesAreTheMotion(t *testing.T) {
	m := crossing()
	for what, write := range map[string]func(w io.Writer) error{
		"table": func(w io.Writer) error { return m.CSV(w, 7) }, "trajectory.yaml": func(w io.Writer) error { return m.ROSTrajectory(w, 7) },
	} {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			t.Fatal(err)
		}
		f, err := paths.Read(what, text.Bytes(), paths.Options{})
		if err != nil || len(f.Paths) != 3 {
			t.Fatalf("%s: %v: %s", what, err, text.Bytes()[:min(400, text.Len())])
		}
		if f.Claim == nil || f.Claim.Scene != m.Made.Scene || !bytes.Contains(text.Bytes(), []byte(m.Made.Plan)) {
			t.Errorf("%s: made of %+v, want %+v", what, f.Claim, m.Made)
		}
		for _, p := range f.Paths {
			read := Robot{Path: &p}
			for _, r := range m.Robots {
				if r.Name != p.Robot {
					continue
				}
				for k := range 200 {
					time := m.end() * float64(k) / 200
					if a, b := read.at(time), r.at(time); a.X.Dist(b.X) > 1e-8 || a.V.Dist(b.V) > 1e-6 {
						t.Fatalf("%s, %s at %v: %+v, want %+v", what, p.Robot, time, a, b)
					}
				}
				read.Path = nil
			}
			if read.Path != nil {
				t.Errorf("%s: nobody is %q", what, p.Robot)
			}
		}
	}
	var text bytes.Buffer
	if err := m.ROSPath(&text, 1, 10); err != nil {
		t.Fatal(err)
	}
	f, err := paths.Read("path.yaml", text.Bytes(), paths.Options{})
	if err != nil || f.Paths[0].Robot != m.Robots[1].Name || len(f.Paths[0].X) < 56 || strings.Contains(text.String(), "e-") {
		t.Errorf("%v, %+v", err, f.Kind)
	}
}

// A recording has every robot at every time in order, with schemas before, and its plan.
func TestRecording(t *testing.T) {
	m := crossing()
	m.Traffic = []Robot{{"tug", 0.5, &paths.Path{Times: []float64{0, 5.5}, X: []geom.Vec2{{X: -4, Y: 5}, {X: 4, Y: 5}}}, heading.Rule{}},
		{"van", 0.4, &paths.Path{Times: []float64{0, 5.5}, X: []geom.Vec2{{X: 5, Y: -4}, {X: 5, Y: 4}}}, heading.Rule{}}}
	var file bytes.Buffer
	if err := m.MCAP(&file, 10); err != nil {
		t.Fatal(err)
	}
	r, err := mcap.NewReader(bytes.NewReader(file.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	all, err := r.Messages()
	if err != nil {
		t.Fatal(err)
	}
	topics, last := map[string]int{}, uint64(0)
	for {
		schema, channel, message, err := all.NextInto(nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if topics[channel.Topic]++; message.LogTime < last || schema.Encoding != "jsonschema" || !json.Valid(message.Data) || !json.Valid(schema.Data) {
			t.Fatalf("%s at %d, a %s", channel.Topic, message.LogTime, schema.Encoding)
		}
		last = message.LogTime
		if strings.HasSuffix(channel.Topic, "van/path") {
			var way foxPoses
			if err := json.Unmarshal(message.Data, &way); err != nil || len(way.Poses) == 0 || way.Poses[0].Position.X != 5 || way.Poses[0].Position.Y != -4 {
				t.Errorf("the way of the second mover: %v, %v", way, err)
			}
		}
		if channel.Topic == "/tf" {
			var f foxTransforms
			if err := json.Unmarshal(message.Data, &f); err != nil || len(f.Transforms) != 5 || f.Transforms[3].Child != "traffic/tug" {
				t.Fatal(err, f)
			}
			at := float64(f.Transforms[0].Timestamp.Sec) + float64(f.Transforms[0].Timestamp.Nsec)/1e9
			if x := m.Robots[0].at(at).X; math.Abs(x.X-f.Transforms[0].Translation.X) > 1e-9 || uint64(math.Round(at*1e9)) != message.LogTime {
				t.Fatalf("at %v: %+v, want %v", at, f.Transforms[0], x)
			}
			if x := -4 + 8*at/5.5; math.Abs(x-f.Transforms[3].Translation.X) > 1e-9 {
				t.Fatalf("traffic at %v: %+v, want %v", at, f.Transforms[3], x)
			}
		}
	}
	if topics["/tf"] != 56 || topics["/clearance"] != 56 || topics["/map"] != 1 || topics["/robots"] != 1 || topics["/amr 1/path"] != 1 ||
		topics["/traffic"] != 1 || topics["/traffic/tug/path"] != 1 || topics["/traffic/van/path"] != 1 {
		t.Errorf("topics %v", topics)
	}
	if last != uint64(5.5e9) {
		t.Errorf("it ends at %d", last)
	}
}

// Outlines cover what they are drawn around, and little more.
func TestOutlinesCover(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		c := geom.Convex{Core: geom.Rectangle(geom.Vec2{X: r.NormFloat64()}, geom.Vec2{X: r.Float64(), Y: r.Float64()}, 6*r.Float64())[:[]int{1, 2, 3, 4}[r.IntN(4)]], Radius: r.Float64()}
		p := outline(c)
		if len(c.Core) > 2 || c.Radius > 0 {
			if !p.IsConvex() {
				t.Fatalf("%+v has the outline %v", c, p)
			}
		}
		for _, v := range p {
			if d, _ := c.SignedDistance(v); d > 0.01*c.Radius {
				t.Fatalf("%+v: %v is %v away", c, v, d)
			}
		}
		for k := range 100 {
			s, cos := math.Sincos(2 * math.Pi * float64(k) / 100)
			n := geom.Vec2{X: cos, Y: s}
			far := math.Inf(-1)
			for _, v := range p {
				far = max(far, v.Dot(n))
			}
			for _, v := range c.Core {
				if v.Dot(n)+c.Radius > far+1e-12 {
					t.Fatalf("%+v: not covered along %v", c, n)
				}
			}
		}
	}
}

// Whoever releases orders as releases.json says keeps robots apart, whatever their delays,
// and everybody arrives; without it robots meet.
func TestOrdersKeepRobotsApart(t *testing.T) {
	m := crossing()
	for _, version := range []VDAVersion{VDA21, VDA30} {
		files, err := m.VDA5050(t.Context(), version, time.Unix(0, 0))
		if err != nil {
			t.Fatal(err)
		}
		var releases Releases
		if err := json.Unmarshal(files["releases.json"], &releases); err != nil || !releases.Certified || releases.Deviation <= 0 || len(releases.Holds) == 0 {
			t.Fatalf("%v: %+v", err, releases)
		}
		var orders []vdaOrder
		for _, s := range m.Serials() {
			var o vdaOrder
			if err := json.Unmarshal(files["order_"+s+".json"], &o); err != nil || o.SerialNumber != s || len(o.Edges) != len(o.Nodes)-1 {
				t.Fatalf("%v: %+v", err, o)
			}
			orders = append(orders, o)
		}
		r := rand.New(rand.NewPCG(3, 4))
		free, met := 0.0, false
		for range 100 {
			gap, arrived := drive(r, m, orders, releases.Holds)
			free = min(free, gap-2*releases.Deviation)
			if !arrived {
				t.Fatal("somebody does not arrive")
			}
			gap, _ = drive(r, m, orders, nil)
			met = met || gap < 0
		}
		if free < -1e-9 {
			t.Errorf("%s: robots come %v too near to each other", version, -free)
		}
		if !met {
			t.Errorf("%s: robots do not meet without releases", version)
		}
	}
}

// drive lets robots go along their orders at random speeds, and returns the smallest gap.
func drive(r *rand.Rand, m *Team, orders []vdaOrder, holds []Release) (gap float64, arrived bool) {
	type place struct {
		sequence int
		x        geom.Vec2
	}
	ways := make([][]place, len(orders))
	for i, o := range orders {
		ways[i] = append(ways[i], place{0, geom.Vec2{X: o.Nodes[0].Position.X, Y: o.Nodes[0].Position.Y}})
		for k, e := range o.Edges {
			points := e.Trajectory.ControlPoints
			for j := 1; j < len(points); j++ {
				for u := range 8 {
					a, b := geom.Vec2(points[j-1]), geom.Vec2(points[j])
					ways[i] = append(ways[i], place{2 * k, a.Lerp(b, float64(u+1)/8)})
				}
			}
			ways[i][len(ways[i])-1].sequence = 2 * (k + 1)
		}
	}
	at, gap := make([]int, len(orders)), math.Inf(1)
	for idle := 0; idle < 2000; {
		i := r.IntN(len(orders))
		steps := r.IntN(20)
		idle++
		for range steps {
			here := ways[i][at[i]].sequence
			blocked := at[i]+1 == len(ways[i])
			for _, h := range holds {
				other := 0
				for j, o := range orders {
					if o.SerialNumber == h.After {
						other = j
					}
				}
				blocked = blocked || h.Robot == orders[i].SerialNumber && here >= h.SequenceID && ways[other][at[other]].sequence < h.Reached
			}
			if blocked {
				break
			}
			at[i]++
			idle = 0
			for j := range orders {
				if j != i {
					gap = min(gap, ways[i][at[i]].x.Dist(ways[j][at[j]].x)-m.Robots[i].Radius-m.Robots[j].Radius)
				}
			}
		}
	}
	arrived = true
	for i := range at {
		arrived = arrived && at[i]+1 == len(ways[i])
	}
	return gap, arrived
}

func TestSerials(t *testing.T) {
	got := Serials([]string{"a b", "a/b", "A_b", "", "..", "straße 1"})
	if want := "[a_b a_b_2 A_b_3 _ _.. stra_e_1]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %v", got, want)
	}
}
