package paths

import (
	"bytes"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-pcd/pcd/internal/quote"
)

// MaxBytes is the size of the largest file: a table of 200 robots that drive for five minutes, at
// 50 points a second, has half as many.
const MaxBytes = 512 << 20

// Options says how what a file leaves open is read.
type Options struct {
	// Straight reads points without velocities, though the file may give some.
	Straight bool
	// Robots are the names of those whose steps a result of path finding lists, in its order;
	// Height is the number of rows of its grid.
	Robots []string
	Height int
}

// Read reads a file. Its kind is told by its content.
func Read(name string, data []byte, o Options) (*File, error) {
	if len(data) > MaxBytes {
		return nil, broken(name, 0, "%d bytes, want at most %d", len(data), MaxBytes)
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	f, err := read(name, text, o)
	if err != nil {
		return nil, err
	}
	if made := madeOf.FindSubmatch(text); made != nil && f.Claim == nil {
		f.Claim = &Claim{Scene: string(made[1])}
	}
	if len(f.Paths) == 0 {
		return nil, broken(name, 0, "there are no paths in it")
	}
	slices.SortStableFunc(f.Paths, func(a, b Path) int { return strings.Compare(a.Robot, b.Robot) })
	for k := range f.Paths {
		if k > 0 && f.Paths[k].Robot == f.Paths[k-1].Robot {
			return nil, broken(name, 0, "robot %s has two paths", quote.Text(f.Paths[k].Robot))
		}
		if err := f.Paths[k].check(name); err != nil {
			return nil, err
		}
		if o.Straight {
			f.Paths[k].V = nil
		}
	}
	return f, nil
}

var (
	madeOf     = regexp.MustCompile(`(?:scene sha256: |"scene_sha256"\s*:\s*")([0-9a-f]{64})`)
	rosPath    = regexp.MustCompile(`(?m)^poses\s*:`)
	rosJoints  = regexp.MustCompile(`(?m)^joint_names\s*:`)
	mapfStep   = regexp.MustCompile(`(?m)^\d+:\(`)
	tumComment = regexp.MustCompile(`^(#[^\n]*\n|\s)*`)
	tableHead  = regexp.MustCompile(`^(#[^\n]*\n)*[^\n:{]*[,;]`)
	tumRow     = regexp.MustCompile(`^[-+\d.eE]+([ \t]+[-+\d.eEnaN]+){7}[ \t]*(\r?\n|$)`)
)

func read(name string, text []byte, o Options) (*File, error) {
	switch {
	case len(text) == 0:
		return nil, broken(name, 0, "the file is empty")
	case text[0] == '{' || text[0] == '[':
		return readJSON(name, text)
	case rosJoints.Match(text):
		return readMultiDOF(name, text)
	case rosPath.Match(text):
		return readROSPaths(name, text)
	case mapfStep.Match(text):
		return readSteps(name, text, o)
	case tumRow.Match(tumComment.ReplaceAll(text, nil)):
		return readTUM(name, text)
	case tableHead.Match(text):
		return readTable(name, text)
	}
	return nil, broken(name, 0, "no paths that are known: want plan.json, a table (CSV), ROS messages as YAML, a VDA 5050 state or order, "+
		"a TUM trajectory or a result of multi-agent path finding")
}

// readJSON reads what is written as JSON, told apart by its keys.
func readJSON(name string, text []byte) (*File, error) {
	objects, err := objectsOf(name, text)
	if err != nil {
		return nil, err
	}
	first := objects[0]
	switch {
	case first["trajectories"] != nil || first["plan"] != nil || first["nearest"] != nil:
		return readPlan(name, objects[0])
	case first["poses"] != nil || first["joint_names"] != nil:
		return nil, broken(name, 0, "a ROS message as JSON: give it as YAML, in lines")
	case first["orderId"] != nil && first["nodes"] != nil:
		return readOrders(name, objects)
	case first["orderId"] != nil || first["serialNumber"] != nil:
		return readStates(name, objects)
	}
	return nil, broken(name, 0, "JSON, but neither plan.json nor a state or an order of VDA 5050")
}

type object map[string]json.RawMessage

// objectsOf returns the objects of a text: one, a list of them, or one after the other.
func objectsOf(name string, text []byte) (out []object, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, broken(name, lineOf(text, dec.InputOffset()), "not JSON: %v", err)
		}
		if raw[0] == '[' {
			var list []object
			if err := json.Unmarshal(raw, &list); err != nil {
				return nil, broken(name, 0, "not a list of objects: %v", err)
			}
			out = append(out, list...)
			continue
		}
		var one object
		if err := json.Unmarshal(raw, &one); err != nil {
			return nil, broken(name, 0, "not an object: %v", err)
		}
		out = append(out, one)
	}
	out = slices.DeleteFunc(out, func(o object) bool { return o == nil })
	if len(out) == 0 {
		return nil, broken(name, 0, "there is nothing in it")
	}
	return out, nil
}

func lineOf(text []byte, at int64) int {
	return 1 + bytes.Count(text[:min(int(at), len(text))], []byte("\n"))
}

// decode reads the keys of an object into a struct.
func (o object) decode(name string, v any) error {
	whole, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(whole, v)
	}
	if err != nil {
		return broken(name, 0, "%v", err)
	}
	return nil
}

// baseName is the name of a file without folder and ending: that of its robot where the file
// does not say.
func baseName(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}
