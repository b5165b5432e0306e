package messages

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-pcd/pcd/geom"
)

// VDAVersion is a version of VDA 5050.
type VDAVersion string

// The versions that are written.
const (
	VDA21 VDAVersion = "2.1.0"
	VDA30 VDAVersion = "3.0.0"
)

// The messages, with the keys of both versions.
type (
	vdaHeader struct {
		HeaderID     int    `json:"headerId"`
		Timestamp    string `json:"timestamp"`
		Version      string `json:"version"`
		Manufacturer string `json:"manufacturer"`
		SerialNumber string `json:"serialNumber"`
	}
	vdaOrder struct {
		vdaHeader
		OrderID  string    `json:"orderId"`
		UpdateID int       `json:"orderUpdateId"`
		Nodes    []vdaNode `json:"nodes"`
		Edges    []vdaEdge `json:"edges"`
		Made     Made      `json:"pcd"` // unknown properties are allowed
	}
	vdaNode struct {
		NodeID     string   `json:"nodeId"`
		SequenceID int      `json:"sequenceId"`
		Released   bool     `json:"released"`
		Position   vdaPlace `json:"nodePosition"`
		Actions    []any    `json:"actions"`
	}
	vdaPlace struct {
		X         float64 `json:"x"`
		Y         float64 `json:"y"`
		MapID     string  `json:"mapId"`
		Deviation any     `json:"allowedDeviationXY,omitempty"`
	}
	vdaEllipse struct {
		A     float64 `json:"a"`
		B     float64 `json:"b"`
		Theta float64 `json:"theta"`
	}
	vdaEdge struct {
		EdgeID          string         `json:"edgeId"`
		SequenceID      int            `json:"sequenceId"`
		Released        bool           `json:"released"`
		StartNodeID     string         `json:"startNodeId,omitempty"` // 2.1
		EndNodeID       string         `json:"endNodeId,omitempty"`
		MaxSpeed        float64        `json:"maxSpeed,omitempty"`     // 2.1
		MaximumSpeed    float64        `json:"maximumSpeed,omitempty"` // 3.0
		OrientationType string         `json:"orientationType,omitempty"`
		Trajectory      *vdaTrajectory `json:"trajectory,omitempty"`
		Length          float64        `json:"length"`
		Actions         []any          `json:"actions"`
	}
	vdaTrajectory struct {
		Degree        int        `json:"degree"`
		KnotVector    []float64  `json:"knotVector"`
		ControlPoints []vdaPoint `json:"controlPoints"`
	}
	vdaPoint struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}
	vdaZoneSet struct {
		vdaHeader
		ZoneSet struct {
			MapID     string    `json:"mapId"`
			ZoneSetID string    `json:"zoneSetId"`
			Zones     []vdaZone `json:"zones"`
		} `json:"zoneSet"`
		Made Made `json:"pcd"`
	}
	vdaZone struct {
		ZoneID   string     `json:"zoneId"`
		ZoneType string     `json:"zoneType"`
		Vertices []vdaPoint `json:"vertices"`
	}
)

// Releases say when a fleet manager releases more of an order: the nodes of a robot after one,
// when another robot has passed a node of its own.
type Releases struct {
	Made      Made    `json:"pcd"`
	Certified bool    `json:"certified"` // whoever releases so keeps everybody apart, however late
	Deviation float64 `json:"deviation"` // from its polyline that a robot may have, included
	Open      int     `json:"open"`      // places that no order covers
	// Traffic moves by the clock and waits for nobody: robots keep clear of it on time only, and
	// no order of releases is certified.
	Traffic []string  `json:"traffic,omitempty"`
	Holds   []Release `json:"holds"`
}

// Release holds a robot at a node until another one has passed a node.
type Release struct {
	Robot      string `json:"serialNumber"`
	SequenceID int    `json:"sequenceId"` // it goes beyond this node only when
	After      string `json:"after"`      // this robot
	Reached    int    `json:"reachedSequenceId"`
}

// VDA5050 returns the files of orders, by name: order_SERIAL.json for each robot, releases.json,
// and of version 3.0.0 zones.json with the obstacles. Polylines are judged: with deviations as
// they allow, they keep clear of obstacles, and of each other in the order of releases. What is
// released at first is what nobody has to wait for.
func (m *Team) VDA5050(ctx context.Context, version VDAVersion, now time.Time) (map[string][]byte, error) {
	w, err := m.ways(ctx)
	if err != nil {
		return nil, err
	}
	v := vda{team: m, ways: w, version: version, now: now, serials: m.Serials(), out: map[string][]byte{}}
	for i := range m.Robots {
		v.stops = append(v.stops, w.stops(i))
	}
	for i := range m.Robots {
		if err := v.put("order_"+v.serials[i]+".json", v.order(i)); err != nil {
			return nil, err
		}
	}
	if err := v.put("releases.json", v.releases()); err != nil {
		return nil, err
	}
	if version == VDA30 {
		err = v.put("zones.json", v.zones())
	}
	return v.out, err
}

// vda makes the messages of a version.
type vda struct {
	team    *Team
	ways    *ways
	version VDAVersion
	now     time.Time
	serials []string
	stops   [][]stop
	out     map[string][]byte
}

// mapID is what orders and zones call the map.
const mapID = "map"

func (v *vda) put(name string, message any) error {
	data, err := json.MarshalIndent(message, "", "  ")
	v.out[name] = append(data, '\n')
	return err
}

// Serials returns the names of the robots as [Serials] makes them.
func (m *Team) Serials() []string {
	var names []string
	for _, r := range m.Robots {
		names = append(names, r.Name)
	}
	return Serials(names)
}

// Serials returns names as serial numbers and files may have them: of A-Z a-z 0-9 _ . -, not
// beginning with a point, and different, whatever case counts.
func Serials(names []string) (out []string) {
	taken := map[string]bool{}
	for _, of := range names {
		name := strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_.-", c) {
				return c
			}
			return '_'
		}, of)
		if name == "" || name[0] == '.' {
			name = "_" + name
		}
		for base, k := name, 2; taken[strings.ToLower(name)]; k++ {
			name = fmt.Sprintf("%s_%d", base, k)
		}
		taken[strings.ToLower(name)] = true
		out = append(out, name)
	}
	return out
}

func (v *vda) header(serial string) vdaHeader {
	layout := "2006-01-02T15:04:05.000Z"
	if v.version == VDA21 {
		layout = "2006-01-02T15:04:05.00Z"
	}
	return vdaHeader{Timestamp: v.now.UTC().Format(layout), Version: string(v.version), Manufacturer: "pcd", SerialNumber: serial}
}

// order returns the order of robot i.
func (v *vda) order(i int) vdaOrder {
	o := vdaOrder{vdaHeader: v.header(v.serials[i]), OrderID: "pcd-" + v.team.Made.Plan[:min(12, len(v.team.Made.Plan))], Made: v.team.Made, Edges: []vdaEdge{}}
	base := v.released(i)
	for k, s := range v.stops[i] {
		node := vdaNode{NodeID: fmt.Sprintf("%s-%d", v.serials[i], 2*k), SequenceID: 2 * k, Released: k <= base, Actions: []any{}}
		node.Position = vdaPlace{X: s.at.X, Y: s.at.Y, MapID: mapID}
		if d := v.ways.deviation; d > 0 {
			node.Position.Deviation = any(d)
			if v.version == VDA30 {
				node.Position.Deviation = vdaEllipse{A: d, B: d}
			}
		}
		o.Nodes = append(o.Nodes, node)
		if k > 0 {
			o.Edges = append(o.Edges, v.edge(i, k, k <= base))
		}
	}
	return o
}

// released returns the last stop of robot i that nobody has to wait for at first.
func (v *vda) released(i int) int {
	base := len(v.stops[i]) - 1
	for _, p := range v.ways.order.Passages {
		if p.Robot == i && p.Reached > 0 {
			base = min(base, v.stopOf(i, p.At))
		}
	}
	return base
}

// stopOf returns the stop of a progress.
func (v *vda) stopOf(i int, s float64) int {
	for k, at := range v.stops[i] {
		if s <= at.to {
			return k
		}
	}
	return len(v.stops[i]) - 1
}

// edge returns the edge to stop k of robot i.
func (v *vda) edge(i, k int, released bool) vdaEdge {
	a, b := v.stops[i][k-1], v.stops[i][k]
	points := v.ways.between(i, a.to, b.from)
	e := vdaEdge{
		EdgeID: fmt.Sprintf("%s-%d", v.serials[i], 2*k-1), SequenceID: 2*k - 1, Released: released, Actions: []any{},
		Length: geom.Length(points), Trajectory: &vdaTrajectory{Degree: 1},
	}
	n := len(points)
	e.Trajectory.KnotVector = append(e.Trajectory.KnotVector, 0)
	for j, p := range points {
		e.Trajectory.ControlPoints = append(e.Trajectory.ControlPoints, vdaPoint(p))
		e.Trajectory.KnotVector = append(e.Trajectory.KnotVector, float64(j)/float64(n-1))
	}
	e.Trajectory.KnotVector = append(e.Trajectory.KnotVector, 1)
	fastest := v.fastest(i, a.to, b.from)
	if v.version == VDA21 {
		e.StartNodeID, e.EndNodeID = fmt.Sprintf("%s-%d", v.serials[i], 2*k-2), fmt.Sprintf("%s-%d", v.serials[i], 2*k)
		e.MaxSpeed = fastest
	} else {
		e.MaximumSpeed, e.OrientationType = fastest, "TANGENTIAL"
	}
	return e
}

// fastest returns the highest speed of robot i from one progress to another.
func (v *vda) fastest(i int, from, to float64) (most float64) {
	points := v.ways.points[i]
	dt := v.team.Robots[i].Path.Times[len(v.team.Robots[i].Path.Times)-1] / float64(len(points)-1)
	for k := int(from); float64(k) < to; k++ {
		most = max(most, points[k].Dist(points[k+1])/dt)
	}
	return math.Ceil(most*1e4) / 1e4
}

// releases returns who waits for whom, by nodes.
func (v *vda) releases() Releases {
	out := Releases{Made: v.team.Made, Certified: v.ways.open == 0 && len(v.team.Traffic) == 0, Deviation: v.ways.deviation, Open: v.ways.open, Holds: []Release{}}
	for _, m := range v.team.Traffic {
		out.Traffic = append(out.Traffic, m.Name)
	}
	for _, p := range v.ways.order.Passages {
		if p.Reached > 0 {
			out.Holds = append(out.Holds, Release{v.serials[p.Robot], 2 * v.stopOf(p.Robot, p.At), v.serials[p.After], 2 * v.stopOf(p.After, p.Reached)})
		}
	}
	return out
}

// zones returns the obstacles as zones that nobody may enter.
func (v *vda) zones() vdaZoneSet {
	out := vdaZoneSet{vdaHeader: v.header("fleet"), Made: v.team.Made}
	out.ZoneSet.MapID, out.ZoneSet.Zones = mapID, []vdaZone{}
	out.ZoneSet.ZoneSetID = "pcd-" + v.team.Made.Plan[:min(12, len(v.team.Made.Plan))]
	for k, o := range v.team.Obstacles {
		z := vdaZone{ZoneID: fmt.Sprintf("obstacle-%d", k), ZoneType: "BLOCKED"}
		for _, p := range outline(o) {
			z.Vertices = append(z.Vertices, vdaPoint(p))
		}
		if len(z.Vertices) >= 3 {
			out.ZoneSet.Zones = append(out.ZoneSet.Zones, z)
		}
	}
	return out
}
