package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/go-pcd/pcd/env/nav2d"
	"github.com/go-pcd/pcd/internal/planner"
	pb "github.com/go-pcd/pcd/serve/internal/pcdv1"
)

// A plan is exported in every format, and the same request gives the same plan.
func TestExport(t *testing.T) {
	_, url := start(t, Config{})
	c := clients(url)["json"]
	for name, begins := range map[string]string{
		"json": "{", "html": "<!", "png": "\x89PNG", "svg": "<?xml", "gif": "GIF89a", "csv": "t,robot,", "mcap": "\x89MCAP", "ros": "PK", "vda5050": "PK", "vda5050-2.1": "PK",
	} {
		r, err := c.Export(t.Context(), connect.NewRequest(&pb.ExportRequest{
			Request: &pb.PlanRequest{Task: &pb.PlanRequest_Yaml{Yaml: doorway}, Settings: &pb.Settings{Seed: new(uint64(7))}}, Format: name,
		}))
		if err != nil || !strings.HasPrefix(strings.ToLower(string(r.Msg.GetContent())), strings.ToLower(begins)) || r.Msg.GetName() != formats[name].name {
			t.Errorf("%s: %v, %.40q", name, err, r.Msg.GetContent())
			continue
		}
		var document planner.PlanSummary
		if name == "json" && (json.Unmarshal(r.Msg.GetContent(), &document) != nil || document.Plan.Length != directly(t, doorway, 7).Plan.Length) {
			t.Error("another plan was exported")
		}
	}
	_, err := c.Export(t.Context(), connect.NewRequest(&pb.ExportRequest{Format: "../x"}))
	if connect.CodeOf(err) != connect.CodeInvalidArgument {
		t.Errorf("an unknown format: %v", err)
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
	scene, err = read(&pb.File{Name: "small.map", Content: []byte("type octile\nheight 3\nwidth 4\nmap\n....\n.@@.\n....\n")})
	if err != nil || len(scene.GetScene().GetFields()["polygons"].GetListValue().GetValues()) == 0 {
		t.Errorf("a map: %v %v", scene, err)
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
		"a scene without its map":   example("hall.yaml"),
		"nothing":                   nil,
		"nonsense":                  {{Name: "x.bin", Content: []byte{0, 1, 2}}},
		"a misspelt scene":          {{Name: "x.yaml", Content: []byte("robbots: []\n")}},
		"a map without its picture": {{Name: "map.yaml", Content: []byte("image: ../../etc/passwd\nresolution: 0.05\norigin: [0, 0, 0]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.2\n")}},
	} {
		if _, err := read(files...); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The drawing board is served with a policy that lets nothing in from elsewhere.
func TestBoardIsServed(t *testing.T) {
	_, url := start(t, Config{})
	for path, want := range map[string]string{"/": "Drawing board", "/main.js": "import", "/board.css": ":root"} {
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil || r.StatusCode != http.StatusOK || !strings.Contains(string(text), want) || !strings.Contains(r.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %v", path, r.StatusCode, err)
		}
	}
	if status, _ := get(t, url+"/../go.mod"); status != http.StatusNotFound {
		t.Errorf("a file beside: %d", status)
	}
}
