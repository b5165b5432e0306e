package paths

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/go-pcd/pcd/geom"
	"github.com/go-pcd/pcd/internal/yamlfile"
)

// The messages, as far as they are read.
type (
	rosTime struct {
		Sec     float64 `yaml:"sec"`
		Nanosec float64 `yaml:"nanosec"`
	}
	rosHeader struct {
		Stamp   rosTime `yaml:"stamp"`
		FrameID string  `yaml:"frame_id"`
	}
	rosVector struct {
		X float64 `yaml:"x"`
		Y float64 `yaml:"y"`
	}
	rosPoses struct {
		Header rosHeader `yaml:"header"`
		Poses  []struct {
			Header rosHeader `yaml:"header"`
			Pose   struct {
				Position rosVector `yaml:"position"`
			} `yaml:"pose"`
		} `yaml:"poses"`
	}
	rosJointTrajectory struct {
		Header rosHeader `yaml:"header"`
		Names  []string  `yaml:"joint_names"`
		Points []struct {
			Transforms []struct {
				Translation rosVector `yaml:"translation"`
			} `yaml:"transforms"`
			Velocities []struct {
				Linear rosVector `yaml:"linear"`
			} `yaml:"velocities"`
			Time rosTime `yaml:"time_from_start"`
		} `yaml:"points"`
	}
)

func (t rosTime) seconds() float64 { return t.Sec + t.Nanosec/1e9 }

var (
	documentEnd = regexp.MustCompile(`(?m)^---\s*$`)
	robotLine   = regexp.MustCompile(`(?m)^# robot: (.+?)\s*$`)
)

// maxMessage is the size of the largest YAML message that is read.
const maxMessage = 16 << 20

func decodeMessage(name string, text []byte, v any) error {
	if len(text) > maxMessage {
		return broken(name, 0, "the message is larger than %d MiB: write fewer points a second (pcd export --rate), or judge plan.json or a table", maxMessage>>20)
	}
	err := yamlfile.Decode(bytes.NewReader(text), v, yamlfile.Options{MaxBytes: maxMessage})
	var y *yamlfile.Error
	if errors.As(err, &y) {
		return broken(name, y.Line, "%s", y.Message)
	}
	return err
}

// documents returns the messages of a file: "ros2 topic echo" ends each with a line of its own.
func documents(text []byte) (out [][]byte) {
	for _, d := range documentEnd.Split(string(text), -1) {
		if len(bytes.TrimSpace([]byte(d))) > 0 {
			out = append(out, []byte(d))
		}
	}
	return out
}

// readROSPaths reads nav_msgs/Path, a robot in each message: that of a comment
// "# robot: NAME", or that of the file.
func readROSPaths(name string, text []byte) (*File, error) {
	f := &File{Kind: ROSPath}
	all := documents(text)
	for k, d := range all {
		var m rosPoses
		if err := decodeMessage(name, d, &m); err != nil {
			return nil, err
		}
		p := Path{Robot: baseName(name)}
		if len(all) > 1 {
			p.Robot = fmt.Sprintf("%s %d", baseName(name), k+1)
		}
		if said := robotLine.FindSubmatch(d); said != nil {
			p.Robot = string(said[1])
		}
		stamped := false
		for _, pose := range m.Poses {
			p.X = append(p.X, geom.Vec2(pose.Pose.Position))
			p.Times = append(p.Times, pose.Header.Stamp.seconds())
			stamped = stamped || pose.Header.Stamp != m.Poses[0].Header.Stamp
		}
		if !stamped && len(p.X) > 1 {
			p.Times = nil
			f.Notes = append(f.Notes, "poses have no stamps: the path says where a robot goes, and not when")
		}
		f.Paths = append(f.Paths, p)
	}
	return f, nil
}

// readMultiDOF reads trajectory_msgs/MultiDOFJointTrajectory, a joint for each robot.
func readMultiDOF(name string, text []byte) (*File, error) {
	f := &File{Kind: MultiDOF}
	for _, d := range documents(text) {
		var m rosJointTrajectory
		if err := decodeMessage(name, d, &m); err != nil {
			return nil, err
		}
		ways := make([]Path, len(m.Names))
		for i, joint := range m.Names {
			ways[i].Robot = joint
		}
		for k, point := range m.Points {
			if len(point.Transforms) != len(ways) {
				return nil, broken(name, 0, "point %d has %d transforms, want one for each of %d joints", k+1, len(point.Transforms), len(ways))
			}
			if n := len(point.Velocities); n != 0 && n != len(ways) || (n == 0) != (len(m.Points[0].Velocities) == 0) {
				return nil, broken(name, 0, "point %d has %d velocities, want none in any point or one for each joint", k+1, n)
			}
			for i := range ways {
				ways[i].X = append(ways[i].X, geom.Vec2(point.Transforms[i].Translation))
				ways[i].Times = append(ways[i].Times, m.Header.Stamp.seconds()+point.Time.seconds())
				if len(point.Velocities) > 0 {
					ways[i].V = append(ways[i].V, geom.Vec2(point.Velocities[i].Linear))
				}
			}
		}
		f.Paths = append(f.Paths, ways...)
	}
	return f, nil
}
