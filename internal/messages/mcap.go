package messages

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/field"
)

// recording writes messages with JSON schemas.
type recording struct {
	w        *mcap.Writer
	schemas  map[string]uint16
	channels map[string]*mcap.Channel
	sequence map[uint16]uint32
}

// MCAP writes a recording for viewers, with messages of the Foxglove schemas: the map once on
// /map, robots once on /robots and as they move on /tf, their ways on /NAME/path, how far they
// are from each other and from obstacles on /clearance. Traffic is on /traffic and on
// /traffic/NAME/path, and moves in frames traffic/NAME. Times begin at 0. plan.json is
// attached, and what it was made of is the metadata "pcd". Chunks are not compressed: every
// reader opens them.
func (m *Team) MCAP(w io.Writer, rate float64) (err error) {
	r := &recording{schemas: map[string]uint16{}, channels: map[string]*mcap.Channel{}, sequence: map[uint16]uint32{}}
	r.w, err = mcap.NewWriter(w, &mcap.WriterOptions{Chunked: true, ChunkSize: 1 << 20, Compression: mcap.CompressionNone, IncludeCRC: true, OverrideLibrary: true})
	if err != nil {
		return err
	}
	if err := r.w.WriteHeader(&mcap.Header{Library: m.Made.Program}); err != nil {
		return err
	}
	times := m.times(rate)
	states := make([][]State, len(m.Robots)+len(m.Traffic)) // of robots, then of traffic
	for i := range m.Robots {
		states[i] = m.Robots[i].States(times)
	}
	for i := range m.Traffic {
		states[len(m.Robots)+i] = m.Traffic[i].States(times)
	}
	if err := m.still(r, times, states); err != nil {
		return err
	}
	for k, t := range times {
		if err := m.moving(r, t, k, states); err != nil {
			return err
		}
	}
	if err := r.w.WriteMetadata(&mcap.Metadata{Name: "pcd", Metadata: map[string]string{
		"scene_sha256": m.Made.Scene, "plan_sha256": m.Made.Plan, "program": m.Made.Program, "scene": m.Name, "margin": number(m.Made.Margin),
	}}); err != nil {
		return err
	}
	if m.Plan != nil {
		a := &mcap.Attachment{Name: "plan.json", MediaType: "application/json", DataSize: uint64(len(m.Plan)), Data: bytes.NewReader(m.Plan)}
		if err := r.w.WriteAttachment(a); err != nil {
			return err
		}
	}
	return r.w.Close()
}

// still writes what is sent once, at the first time.
func (m *Team) still(r *recording, times []float64, states [][]State) error {
	if err := r.write("/map", "foxglove.SceneUpdate", 0, m.scene()); err != nil {
		return err
	}
	robots, traffic := foxScene{Deletions: []foxNothing{}}, foxScene{Deletions: []foxNothing{}}
	for i, robot := range m.Robots {
		robots.Entities = append(robots.Entities, robot.entity(robot.Name, colorOf(i)))
		if err := r.write("/"+robot.Name+"/path", "foxglove.PosesInFrame", 0, wayOf(states[i])); err != nil {
			return err
		}
	}
	if err := r.write("/robots", "foxglove.SceneUpdate", 0, robots); err != nil || len(m.Traffic) == 0 {
		return err
	}
	for i, mover := range m.Traffic {
		traffic.Entities = append(traffic.Entities, mover.entity(frameOfTraffic(mover), foxColor{0.35, 0.35, 0.38, 1}))
		if err := r.write("/"+frameOfTraffic(mover)+"/path", "foxglove.PosesInFrame", 0, wayOf(states[len(m.Robots)+i])); err != nil {
			return err
		}
	}
	return r.write("/traffic", "foxglove.SceneUpdate", 0, traffic)
}

// frameOfTraffic is apart from those of robots.
func frameOfTraffic(r Robot) string { return "traffic/" + r.Name }

// entity returns a disk in a frame that moves.
func (r *Robot) entity(frame string, color foxColor) foxEntity {
	e := newEntity(frame, frame)
	e.FrameLocked = true
	height := r.Radius
	e.Metadata = append(e.Metadata, foxKeyValue{"radius", number(r.Radius)})
	e.Cylinders = append(e.Cylinders, foxCylinder{
		Pose: foxPose{foxVector{Z: height / 2}, foxQuaternion{W: 1}}, Size: foxVector{2 * r.Radius, 2 * r.Radius, height}, Bottom: 1, Top: 1, Color: color,
	})
	e.Lines = append(e.Lines, foxLine{
		Type: 0, Pose: upright(), Thickness: r.Radius / 8, Color: foxColor{1, 1, 1, 1}, Colors: []foxColor{}, Indices: []int{},
		Points: []foxVector{{Z: height * 1.02}, {X: r.Radius, Z: height * 1.02}},
	})
	e.Texts = append(e.Texts, foxText{
		Pose: foxPose{foxVector{Z: 1.5 * height}, foxQuaternion{W: 1}}, Billboard: true, FontSize: r.Radius, Color: foxColor{0.1, 0.1, 0.1, 1}, Text: r.Name,
	})
	return e
}

// wayOf returns states as poses.
func wayOf(states []State) foxPoses {
	way := foxPoses{Frame: "map", Poses: []foxPose{}}
	for _, s := range states {
		way.Poses = append(way.Poses, foxPose{foxVector{X: s.X.X, Y: s.X.Y}, spin(s.Heading)})
	}
	return way
}

// moving writes where robots are at a time, and how far from each other.
func (m *Team) moving(r *recording, t float64, k int, states [][]State) error {
	sec, nano := split(t)
	at := foxTime{sec, nano}
	frames := foxTransforms{}
	add := func(name string, s State) {
		frames.Transforms = append(frames.Transforms, foxTransform{at, "map", name, foxVector{X: s.X.X, Y: s.X.Y}, spin(s.Heading)})
	}
	for i, robot := range m.Robots {
		add(robot.Name, states[i][k])
	}
	for i, mover := range m.Traffic {
		add(frameOfTraffic(mover), states[len(m.Robots)+i][k])
	}
	if err := r.write("/tf", "foxglove.FrameTransforms", t, frames); err != nil {
		return err
	}
	c := clearance{Timestamp: at, Margin: m.Made.Margin}
	least := func(of **float64, gap float64) {
		if *of == nil || gap < **of {
			*of = &gap
		}
	}
	for i := range m.Robots {
		for j := range i {
			least(&c.Separation, states[i][k].X.Dist(states[j][k].X)-m.Robots[i].Radius-m.Robots[j].Radius)
		}
		for j, mover := range m.Traffic {
			least(&c.Separation, states[i][k].X.Dist(states[len(m.Robots)+j][k].X)-m.Robots[i].Radius-mover.Radius)
		}
		if len(m.Obstacles) > 0 {
			d, _ := m.walls().SignedDistance(states[i][k].X)
			least(&c.Obstacles, d-m.Robots[i].Radius)
		}
	}
	return r.write("/clearance", "pcd.Clearance", t, c)
}

// walls returns the obstacles by place.
func (m *Team) walls() *field.Index {
	if m.index == nil {
		solids := make([]geom.Solid, len(m.Obstacles))
		for k, o := range m.Obstacles {
			solids[k] = o
		}
		m.index = field.NewIndex(solids)
	}
	return m.index
}

// scene returns obstacles and border.
func (m *Team) scene() foxScene {
	out := foxScene{Deletions: []foxNothing{}}
	walls := newEntity("walls", "map")
	walls.Metadata = append(walls.Metadata, foxKeyValue{"scene_sha256", m.Made.Scene}, foxKeyValue{"plan_sha256", m.Made.Plan})
	t := foxTriangles{Pose: upright(), Points: []foxVector{}, Color: foxColor{0.75, 0.77, 0.8, 1}, Colors: []foxColor{}, Indices: []int{}}
	for _, o := range m.Obstacles {
		p := outline(o)
		for k := 1; k+1 < len(p); k++ {
			for _, v := range [3]geom.Vec2{p[0], p[k], p[k+1]} {
				t.Points = append(t.Points, foxVector{X: v.X, Y: v.Y})
			}
		}
	}
	walls.Triangles = append(walls.Triangles, t)
	if b := m.Border; b != nil {
		line := foxLine{Type: 1, Pose: upright(), Thickness: 2, ScaleInvariant: true, Color: foxColor{0.3, 0.3, 0.35, 1}, Colors: []foxColor{}, Indices: []int{}}
		for _, v := range b.Convex().Core {
			line.Points = append(line.Points, foxVector{X: v.X, Y: v.Y})
		}
		walls.Lines = append(walls.Lines, line)
	}
	out.Entities = append(out.Entities, walls)
	return out
}

func upright() foxPose { return foxPose{Orientation: foxQuaternion{W: 1}} }

func spin(heading float64) foxQuaternion {
	s, c := math.Sincos(heading / 2)
	return foxQuaternion{Z: s, W: c}
}

// colorOf returns a colour that differs from those of robots near it in number.
func colorOf(i int) foxColor {
	hue := math.Mod(float64(i)*0.618033988749895, 1) * 2 * math.Pi
	shade := func(phase float64) float64 { return 0.5 + 0.4*math.Cos(hue-phase) }
	return foxColor{shade(0), shade(2 * math.Pi / 3), shade(4 * math.Pi / 3), 1}
}

// prototypes are the messages of the schemas.
var prototypes = map[string]any{
	"foxglove.SceneUpdate": foxScene{}, "foxglove.PosesInFrame": foxPoses{}, "foxglove.FrameTransforms": foxTransforms{}, "pcd.Clearance": clearance{},
}

// write writes a message. Its schema and its channel are written before the first of them.
func (r *recording) write(topic, schema string, t float64, message any) error {
	c := r.channels[topic]
	if c == nil {
		if r.schemas[schema] == 0 {
			data, err := schemaOf(schema, prototypes[schema])
			if err != nil {
				return err
			}
			r.schemas[schema] = uint16(len(r.schemas) + 1)
			if err := r.w.WriteSchema(&mcap.Schema{ID: r.schemas[schema], Name: schema, Encoding: "jsonschema", Data: data}); err != nil {
				return err
			}
		}
		if len(r.channels) == math.MaxUint16 {
			return fmt.Errorf("messages: more than %d topics", math.MaxUint16)
		}
		c = &mcap.Channel{ID: uint16(len(r.channels) + 1), SchemaID: r.schemas[schema], Topic: topic, MessageEncoding: "json", Metadata: map[string]string{}}
		r.channels[topic] = c
		if err := r.w.WriteChannel(c); err != nil {
			return err
		}
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	sec, nano := split(t)
	at := uint64(sec*1e9 + nano)
	r.sequence[c.ID]++
	return r.w.WriteMessage(&mcap.Message{ChannelID: c.ID, Sequence: r.sequence[c.ID], LogTime: at, PublishTime: at, Data: data})
}
