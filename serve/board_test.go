package serve

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/gif"
	"image/png"
	"io"
	"maps"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	"github.com/go-pcd/pcd/internal/thorough"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// A plan is exported in every format, each whole, and the same request gives the same plan.
func TestExport(t *testing.T) {
	thorough.Test(t)
	_, url := start(t, Config{})
	c := clients(url)["json"]
	plan := directly(t, doorway, 7).Plan
	for name, check := range map[string]func([]byte) error{
		"json": func(b []byte) error {
			var got planner.PlanSummary
			err := json.Unmarshal(b, &got)
			if err == nil && !maps.EqualFunc(got.Plan.Trajectories, plan.Trajectories, func(a, b planner.Waypoints) bool { return slices.EqualFunc(a, b, slices.Equal[[]float64]) }) {
				err = errors.New("another plan")
			}
			return err
		},
		"html": func(b []byte) error { return holds(b, "<!doctype html>", "ada", "bob", "</html>") },
		"svg":  func(b []byte) error { return errors.Join(xml.Unmarshal(b, new(any)), holds(b, "<svg", "</svg>")) },
		"png":  func(b []byte) error { _, err := png.Decode(bytes.NewReader(b)); return err },
		"gif": func(b []byte) error {
			g, err := gif.DecodeAll(bytes.NewReader(b))
			if err == nil && len(g.Image) < 10 {
				err = fmt.Errorf("%d pictures", len(g.Image))
			}
			return err
		},
		"csv": func(b []byte) error {
			rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
			if err == nil && (len(rows) < 2*len(plan.Trajectories["ada"]) || rows[1][1] != "ada" || rows[len(rows)-1][1] != "bob") {
				err = fmt.Errorf("%d rows, %v to %v", len(rows), rows[1], rows[len(rows)-1])
			}
			return err
		},
		"mcap":        func(b []byte) error { return holds(b, "mcap0\r\n", "ada", "mcap0\r\n") },
		"ros":         archived("ada", "bob"),
		"vda5050":     archived("ada", "bob"),
		"vda5050-2.1": archived("ada", "bob"),
	} {
		r, err := c.Export(t.Context(), connect.NewRequest(&pb.ExportRequest{
			Request: &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Seed: new(uint64(7))}}, Format: name,
		}))
		if err != nil || r.Msg.GetName() != formats[name].name || r.Msg.GetMediaType() != formats[name].media {
			t.Errorf("%s: %v, %v", name, err, r)
			continue
		}
		if err := check(r.Msg.GetContent()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := c.Export(t.Context(), connect.NewRequest(&pb.ExportRequest{Format: "../x"}))
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("an unknown format: %v", err)
	}
}

// holds reports which of some texts a file has not, one behind the other, in letters of any size. The first begins it.
func holds(b []byte, texts ...string) error {
	rest := strings.ToLower(string(b))
	for i, text := range texts {
		at := strings.Index(rest, text)
		if at < 0 || i == 0 && at > 100 {
			return fmt.Errorf("no %q in %.40q", text, rest)
		}
		rest = rest[at+len(text):]
	}
	return nil
}

// archived returns a check of archives: every robot has a file or is in one.
func archived(robots ...string) func([]byte) error {
	return func(b []byte) error {
		z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return err
		}
		all := ""
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				return err
			}
			text, err := io.ReadAll(r)
			if err != nil {
				return err
			}
			all += f.Name + " " + string(text)
		}
		for _, robot := range robots {
			if !strings.Contains(all, robot) {
				return fmt.Errorf("nothing of %s in %d files", robot, len(z.File))
			}
		}
		return nil
	}
}

// Scenes and maps are read from what a request holds, never from the machine.
func TestReadScene(t *testing.T) {
	_, url := start(t, Config{})
	c := clients(url)["grpc-web"]
	read := func(files ...*pb.File) (*pb.ReadSceneResponse, error) {
		r, err := c.ReadScene(t.Context(), connect.NewRequest(&pb.ReadSceneRequest{Files: files}))
		if err != nil {
			return nil, err
		}
		return r.Msg, nil
	}
	scene, err := read(&pb.File{Name: "doorway.yaml", Content: []byte(doorway)})
	if err != nil || len(scene.GetScene().GetFields()["robots"].GetListValue().GetValues()) != 2 {
		t.Errorf("a scene: %v %v", scene, err)
	}
	marked, err := read(&pb.File{Name: "doorway.yaml", Content: []byte("\ufeff" + strings.TrimSpace(doorway))})
	if err != nil || !proto.Equal(marked, scene) {
		t.Errorf("a scene behind a byte-order mark: %v %v", marked, err)
	}
	if scene, err = read(&pb.File{Name: "small.map", Content: []byte("type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n")}); err != nil {
		t.Fatal(err)
	}
	if got, err := protojson.Marshal(scene.GetScene().GetFields()["polygons"]); err != nil || strings.ReplaceAll(string(got), " ", "") != `[{"points":[[1,1],[3,1],[3,2],[1,2]]}]` {
		t.Errorf("a map: %s %v", got, err)
	}
	example := func(names ...string) (files []*pb.File) {
		for _, name := range names {
			content, err := os.ReadFile("../examples/maps/" + name)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, &pb.File{Name: name, Content: content})
		}
		return files
	}
	for robots, files := range map[int][]*pb.File{6: example("hall.map.yaml", "hall.yaml", "hall.pgm"), 100: example("random-32.map", "random-32.scen", "random-32.yaml")} {
		scene, err = read(files...)
		keys := scene.GetScene().GetFields()
		if err != nil || keys["map"] != nil || keys["team"] != nil || len(keys["polygons"].GetListValue().GetValues()) == 0 || len(keys["robots"].GetListValue().GetValues()) != robots {
			t.Errorf("a scene with its files: %v, %d keys", err, len(keys))
			continue
		}
		text, err := protojson.Marshal(scene.GetScene())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := nav2d.ReadScene(bytes.NewReader(text)); err != nil {
			t.Errorf("a scene with its files is none: %v", err)
		}
	}
	for name, files := range map[string][]*pb.File{
		"a scene without its map":    example("hall.yaml"),
		"nothing":                    nil,
		"a number that JSON has not": {{Name: "x.yaml", Content: []byte("bounds: {min: [0, 0], max: [.inf, 10]}\n")}},
		"nonsense":                   {{Name: "x.bin", Content: []byte{0, 1, 2}}},
		"a misspelt scene":           {{Name: "x.yaml", Content: []byte("robbots: []\n")}},
		"a map without its picture":  {{Name: "map.yaml", Content: []byte("image: ../../etc/passwd\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n")}},
	} {
		if _, err := read(files...); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The drawing board is served with all that it is made of, and a policy that lets nothing in from elsewhere.
func TestBoardIsServed(t *testing.T) {
	_, url := start(t, Config{})
	seen, ahead := map[string]bool{}, []string{""}
	for len(ahead) > 0 {
		name := ahead[0]
		if ahead = ahead[1:]; seen[name] {
			continue
		}
		seen[name] = true
		r, err := http.Get(url + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		media := map[string]string{"": "text/html", ".js": "text/javascript", ".css": "text/css"}[path.Ext(name)]
		if err != nil || r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), media) || !strings.HasPrefix(r.Header.Get("Content-Security-Policy"), "default-src 'none';") {
			t.Errorf("/%s: %d %v %v", name, r.StatusCode, r.Header, err)
		}
		for _, part := range parts.FindAllStringSubmatch(string(text), -1) {
			ahead = append(ahead, part[1]+part[2])
		}
	}
	if len(seen) < 9 {
		t.Errorf("the page is made of %v alone", slices.Sorted(maps.Keys(seen)))
	}
	for name, want := range map[string]int{"/../go.mod": 404, "/assets/main.js": 404, "/..%2fboard.go": 404} {
		if status, _ := get(t, url+name); status != want {
			t.Errorf("%s: %d, want %d", name, status, want)
		}
	}
}

// parts finds what a page or a program of it asks for.
var parts = regexp.MustCompile(`(?:href|src)="([a-z]+\.[a-z]+)"|from '\./([a-z]+\.js)'`)
